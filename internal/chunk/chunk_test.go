package chunk_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon/internal/chunk"
	"orihon/internal/tokens"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each file of testdata/outline is source code of one language; the golden
// beside it lists where its sections begin and what they are.
func TestSymbolsAreFound(t *testing.T) {
	files, err := filepath.Glob("testdata/outline/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			source, want, ok := strings.Cut(strings.ReplaceAll(string(raw), "\r\n", "\n"), "=====\n")
			if !ok {
				t.Fatalf("%s: want a line of ===== between source and outline", path)
			}
			var got strings.Builder
			from, paths := chunk.Outline(name, source)
			for i := range from {
				fmt.Fprintf(&got, "%d %s\n", from[i], paths[i])
			}
			if *update {
				if err := os.WriteFile(path, []byte(source+"=====\n"+got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// whole checks what holds for the chunks of any text.
func whole(t interface {
	Helper()
	Fatalf(string, ...any)
}, name, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	covered := make([]bool, len(lines))
	last := 0
	for _, c := range chunk.Split(name, text) {
		if c.Line < 1 || c.End < c.Line || c.End > len(lines) || c.Line < last {
			t.Fatalf("%s: lines %d to %d of %d, after one from %d", name, c.Line, c.End, len(lines), last)
		}
		last = c.Line
		if strings.TrimSpace(c.Text) == "" {
			if strings.TrimSpace(strings.ToValidUTF8(text, "")) != "" && strings.ToValidUTF8(text, "") == text {
				t.Fatalf("%s: an empty chunk at %d", name, c.Line)
			}
		}
		if n := tokens.Estimate(c.Text); n > chunk.Most {
			t.Fatalf("%s: %d tokens at line %d", name, n, c.Line)
		}
		var want []string
		for i := c.Line - 1; i < c.End; i++ {
			covered[i] = true
			want = append(want, strings.TrimSuffix(lines[i], "\r"))
		}
		if joined := strings.Join(want, "\n"); c.Text != joined && (c.Line != c.End || !strings.Contains(strings.ToValidUTF8(joined, ""), c.Text)) && strings.ToValidUTF8(text, "") == text {
			t.Fatalf("%s: lines %d to %d are %q, the chunk is %q", name, c.Line, c.End, joined, c.Text)
		}
	}
	for i := range lines {
		if !covered[i] && strings.TrimSpace(lines[i]) != "" {
			t.Fatalf("%s: line %d %q is in no chunk", name, i+1, lines[i])
		}
	}
}

var names = []string{
	"a.md", "a.go", "a.py", "a.ts", "a.java", "a.cs", "a.kt", "a.swift", "a.cpp", "a.rs", "a.php", "a.rb", "a.sh", "a.sql", "a.yaml", "a.json",
	"a.toml", "a.proto", "a.txt", "Makefile",
}

func TestEveryLineIsInAChunk(t *testing.T) {
	pieces := []string{
		"func Put() {", "}", "{", "(", ")", "class A:", "  def b(self):", "# Heading", "## 部署", "===", "---", "```", "`", `"`, "'", `"""`, "'''", "/*", "*/",
		"// 註解", "# remark", "-- x", "", "", "", "\t", "x = 1;", "impl<T> A for B {", "namespace a::b {", "#if X", "#else", "#endif", "#define A \\",
		"CREATE TABLE t (", "key: value", `"key": {`, "[table]", "end", "@Override", "#[test]", "void f(int a)", "public int X { get; }", "if (x) {",
		strings.Repeat("長", 900), strings.Repeat("word ", 700), strings.Repeat("x", 5000), "記憶體泄漏時先重啟",
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 120).Draw(rt, "lines"), rapid.SampledFrom([]string{"\n", "\r\n", "\n  "}).Draw(rt, "end"))
		for _, name := range names {
			whole(rt, name, text)
		}
	})
}

func FuzzSplit(f *testing.F) {
	files, _ := filepath.Glob("testdata/outline/*.txt")
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for i, name := range names {
			if strings.HasSuffix(strings.TrimSuffix(path, ".txt"), filepath.Ext(name)) {
				f.Add(i, string(raw))
			}
		}
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		whole(t, names[uint(i)%uint(len(names))], text)
	})
}

// Texts made to be slow would hold up an index: at this size anything quadratic
// runs into the time limit of the tests.
func TestTheCostOfHostileTextsIsLinear(t *testing.T) {
	for _, unit := range []string{"{", "(", "// x\n", "# a\n", "@A\n", "/*", "'", `"""`, "`", "func a() {\n", "class A:\n", "int\n", "長", "#if\n", "a b ", "impl<", "x\n\n"} {
		text := strings.Repeat(unit, 400_000/len(unit))
		for _, name := range names {
			if n := len(chunk.Split(name, text)); n > len(text) {
				t.Errorf("%s: %q: %d chunks", name, unit, n)
			}
		}
	}
}

func TestSmallSymbolsStandTogetherAndLargeOnesAreParted(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n\n")
	for i := range 6 {
		fmt.Fprintf(&b, "// F%d does little.\nfunc F%d() int { return %d }\n\n", i, i, i)
	}
	b.WriteString("// Large does much.\n// 做很多事。\nfunc (s *Store) Large() {\n")
	for i := range 200 {
		fmt.Fprintf(&b, "\ts.step(%d, \"some words here\")\n", i)
		if i%20 == 19 {
			b.WriteString("\n")
		}
	}
	b.WriteString("}\n")
	chunks := chunk.Split("a.go", b.String())
	if got, want := chunks[0].Heading, "F0, F1, F2, F3, F4, F5"; got != want {
		t.Errorf("heading %q, want %q", got, want)
	}
	if len(chunks) < 4 || !strings.HasPrefix(chunks[1].Text, "// Large does much.\n// 做很多事。\nfunc") {
		t.Fatalf("%d chunks, the second is %q", len(chunks), chunks[1].Text)
	}
	for i, c := range chunks[1:] {
		if c.Heading != "Store.Large" {
			t.Errorf("heading %q", c.Heading)
		}
		if i > 0 && c.Line > chunks[i].End {
			t.Errorf("part %d begins at line %d, the one before ended at %d: nothing is repeated", i, c.Line, chunks[i].End)
		}
	}
}
