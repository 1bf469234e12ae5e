package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/store"
	"orihon/memory"
)

const (
	sectionBegin = "<!-- orihon memory-index: begin (written by the program; your own text goes outside) -->"
	sectionEnd   = "<!-- orihon memory-index: end -->"
)

func sectioned(text string) string { return sectionBegin + "\n" + text + sectionEnd }

func TestASectionIsKeptAndTheRestStaysToTheByte(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	tests := []struct{ name, before, text, after string }{
		{"no file", "", "- 部署用 make ship\n", sectioned("- 部署用 make ship\n") + "\n"},
		{"people's text, its end kept", "# Ours\n- one\n", "- x", "# Ours\n- one\n\n" + sectioned("- x\n") + "\n"},
		{"no newline at the end", "# Ours", "- x\n", "# Ours\n\n" + sectioned("- x\n") + "\n"},
		{"CRLF", "# Ours\r\n", "- x\n- y\n", crlf("# Ours\n\n" + sectioned("- x\n- y\n") + "\n")},
		{"CRLF, again", crlf("# Ours\n\n" + sectioned("- x\n") + "\nbehind\n"), "- y\n", crlf("# Ours\n\n" + sectioned("- y\n") + "\nbehind\n")},
		{"in the middle", "\ufeffa  \n\n\n" + sectioned("old\n") + "\n\n\t b", "- x\n", "\ufeffa  \n\n\n" + sectioned("- x\n") + "\n\n\t b"},
		{"the last line, without its newline", sectioned("old\n"), "- x\n", sectioned("- x\n")},
		{"what is behind a mark is the program's", "<!-- orihon memory-index: begin -->\nold\n<!-- orihon memory-index: end --> \n", "- x\n", sectioned("- x\n") + "\n"},
		{"emptied", "a\n\n" + sectioned("old\n") + "\n", "", "a\n\n" + sectioned("") + "\n"},
		{"marks in the text of an item", "", "- a\n  " + sectionEnd + "\n" + sectionBegin + "\n- <!-- open\n", sectioned("- a\n  (!-- orihon memory-index: end -->\n(!-- orihon memory-index: begin (written by the program; your own text goes outside) -->\n- (!-- open\n") + "\n"},
		{"indented marks are text", "- see\n  " + sectionBegin + "\n", "- x\n", "- see\n  " + sectionBegin + "\n\n" + sectioned("- x\n") + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openSpace(t)
			file := filepath.Join(s.dir, "personal", "MEMORY.md")
			if tt.before != "" {
				s.write("personal/MEMORY.md", tt.before)
			}
			k := store.Kept{File: store.CorePath("personal"), Text: tt.text}
			stale, err := s.Keep(t.Context(), true, k)
			if err != nil || !slices.Equal(stale, []string{file}) {
				t.Fatalf("out of date: %v, %v", stale, err)
			}
			if raw, _ := os.ReadFile(file); string(raw) != tt.before {
				t.Errorf("a look wrote %q", raw)
			}
			if _, err := s.Keep(t.Context(), false, k); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(raw)); diff != "" {
				t.Error(diff)
			}
			if again, err := s.Keep(t.Context(), false, k); err != nil || again != nil {
				t.Errorf("written again: %v, %v", again, err)
			}
			want := strings.TrimSuffix(strings.ReplaceAll(tt.text, "<!--", "(!--"), "\n")
			if got := strings.TrimSuffix(store.KeptSection(file), "\n"); got != want {
				t.Errorf("the section says %q, want %q", got, want)
			}
		})
	}
	s := openSpace(t)
	if changed, err := s.Keep(t.Context(), false, store.Kept{File: store.CorePath("personal")}); err != nil || changed != nil {
		t.Errorf("nothing to say: %v, %v", changed, err)
	}
}

func TestMarksThatMakeNoSectionAreNamedAndNothingIsWritten(t *testing.T) {
	tests := []struct {
		name, text, problem string
	}{
		{"no end", "a\n" + sectionBegin + "\nb\n", "MEMORY.md:2: refused: begins a section of the program's that does not end"},
		{"no beginning", "a\nb\n" + sectionEnd + "\n", "MEMORY.md:3: refused: ends a section of the program's that does not begin before it"},
		{"the wrong way round", sectionEnd + "\n" + sectionBegin + "\n", "MEMORY.md:1: "},
		{"two beginnings", sectionBegin + "\n" + sectioned("x\n") + "\n", "MEMORY.md:2: refused: begins the program's section a second time"},
		{"two sections", sectioned("x\n") + "\n" + sectioned("y\n") + "\n", "MEMORY.md:4: "},
		{"two ends", sectioned("x\n") + "\n" + sectionEnd + "\n", "MEMORY.md:4: refused: ends"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openSpace(t)
			s.write("personal/MEMORY.md", tt.text)
			changed, err := s.Keep(t.Context(), false,
				store.Kept{File: store.AtomIndexPath("personal"), Text: "- y\n"}, store.Kept{File: store.CorePath("personal"), Text: "- x\n"})
			if !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("got %v, want %q", err, tt.problem)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "personal", "_ATOM_INDEX.md")); err == nil || changed != nil {
				t.Error("another file was written all the same")
			}
			if _, problems := s.changes(nil, memory.FullLook); len(problems) != 1 || !strings.HasPrefix(problems[0].String(), "personal/"+tt.problem[:len("MEMORY.md:0:")]) {
				t.Errorf("a sync says %v", problems)
			}
		})
	}
}

func TestNoSectionIsWrittenThroughASymlink(t *testing.T) {
	for _, name := range []string{"MEMORY.md", "_ATOM_INDEX.md"} {
		s := openSpace(t)
		s.write("personal/x.md", "x\n")
		out := filepath.Join(t.TempDir(), "out.md")
		if err := os.WriteFile(out, []byte("theirs\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(out, filepath.Join(s.dir, "personal", name)); err != nil {
			t.Skip("SKIPPED: no symlinks here")
		}
		_, err := s.Keep(t.Context(), false, store.Kept{File: "personal/" + name, Text: "- x\n"})
		if !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), name+": refused: it is a symlink") {
			t.Errorf("%s: %v", name, err)
		}
		if raw, _ := os.ReadFile(out); string(raw) != "theirs\n" {
			t.Errorf("%s: the target says %q", name, raw)
		}
	}
	if got := store.KeptSection(t.TempDir()); got != "" {
		t.Errorf("a folder says %q", got)
	}
}

// What stands in a section is a copy: it is no note, opens no fence and ends no
// private span of the text around it, and what that text is accepted by stays.
func TestAMemoryFileIsReadWithoutTheSection(t *testing.T) {
	const before, behind = "# Core\n\n- Deploys: see deploys.md\n\n", "\n\n- 用繁體中文回答\n\nMore.\n"
	read := func(section string) (passages []string, hash, core string) {
		s := openForeign(t, t.TempDir())
		s.write("shared/MEMORY.md", before+section+behind)
		b, problems := s.changes(nil, memory.FullLook)
		if len(problems) > 0 {
			t.Errorf("problems: %v", problems)
		}
		for _, p := range b.Put {
			passages = append(passages, fmt.Sprintf("%d: %s", p.Line, p.Item.Content))
		}
		waiting, _, err := s.Waiting(t.Context())
		if err != nil || len(waiting) != 1 {
			t.Fatalf("waiting: %v, %v", waiting, err)
		}
		s.write("personal/MEMORY.md", before+section+behind)
		core, err = s.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return passages, waiting[0].Hash, core
	}
	_, hash, core := read(sectioned(""))
	for _, text := range []string{"- x\n", "- ```\n  open\n- <private>never closed\n- a\n  b\n\n# Heading\n"} {
		got, h, c := read(sectioned(text))
		n := strings.Count(text, "\n")
		want := []string{"3: Deploys: see deploys.md", fmt.Sprintf("%d: 用繁體中文回答", 8+n), "1: # Core\n\nMore."}
		want[2] = got[len(got)-1] // where the blank lines stand is not the matter here
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: passages (-want +got):\n%s", text, diff)
		}
		if last := got[len(got)-1]; !strings.HasPrefix(last, "1: # Core") || !strings.HasSuffix(last, "More.") || strings.Contains(last, "x") {
			t.Errorf("%q: the rest is %q", text, last)
		}
		if h != hash || c != core {
			t.Errorf("%q: what a person accepts and a session begins with goes by the section: %s %q, want %s %q", text, h, c, hash, core)
		}
	}
}
