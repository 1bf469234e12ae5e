package orihon_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"orihon"
	"orihon/documents"
	"orihon/embed"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// prompted is a question whose budget holds documents in a hook.
const prompted = "How does the ferry scheduler decide which boat leaves the harbour first?"

// ferry is a place whose project has a file about a ferry.
func ferry(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	write(t, filepath.Join(p.dir, ".orihon", "config.yaml"), "language: en\n")
	write(t, filepath.Join(p.dir, "src", "ferry.go"), "package src\n\n// Schedule decides which boat of the ferry scheduler leaves the harbour first.\n// 渡輪排程。\nfunc Schedule() {}\n")
	return p
}

func index(t *testing.T, m *orihon.Memory, paths ...string) documents.Report {
	t.Helper()
	r, err := m.Documents().Index(t.Context(), nil, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDocumentsComeOnlyWhereTheyAreAskedFor(t *testing.T) {
	p := ferry(t)
	index(t, p.open(t))
	shows := func(text string) bool { return strings.Contains(text, "src/ferry.go:") }
	asked := func(q memory.Query, change ...func(*orihon.Options)) bool {
		t.Helper()
		q.Text = prompted
		r, err := p.open(t, change...).Recall(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return shows(r.Text)
	}
	enabled, hooks := set("rag.enabled", "true"), set("rag.hooks", "true")
	for _, tc := range []struct {
		name      string
		got, want bool
	}{
		{"a query that does not ask", asked(memory.Query{}), false},
		{"a query that asks", asked(memory.Query{Documents: true}), true},
		{"the settings ask", asked(memory.Query{}, enabled), true},
		{"a small budget", asked(memory.Query{Documents: true, MaxTokens: 2999}), false},
		{"a large one", asked(memory.Query{Documents: true, MaxTokens: 3000}), true},
		{"as of another day", asked(memory.Query{Documents: true, AsOf: p.now()}), false},
		{"a handle that only reads", asked(memory.Query{Documents: true}, readOnly), true},
		{"a hook", shows(p.prompt(t, "s1", "p1", prompted).Text), false},
		{"a hook, enabled elsewhere", shows(p.prompt(t, "s1", "p2", prompted, enabled).Text), false},
		{"a hook that may", shows(p.prompt(t, "s1", "p3", prompted, hooks).Text), true},
		{"a hook that has shown it", shows(p.prompt(t, "s1", "p4", prompted, hooks).Text), false},
		{"a short prompt in a hook", shows(p.prompt(t, "s2", "p1", "ferry scheduler", hooks).Text), false},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: shown %v, want %v", tc.name, tc.got, tc.want)
		}
	}
}

func TestAHookNeverIndexes(t *testing.T) {
	p := ferry(t)
	p.prompt(t, "s1", "p1", prompted, set("rag.hooks", "true"), set("rag.enabled", "true"), readOnly)
	s, err := p.open(t).Documents().Status(t.Context())
	if err != nil || s.Files != 0 || !strings.Contains(s.Stale, "orihon index") {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := p.open(t, readOnly).Documents().Index(t.Context(), nil); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("a handle that only reads indexes: %v", err)
	}
}

func TestASyncIndexesWhenItIsEnabled(t *testing.T) {
	p := ferry(t)
	files := func() int {
		t.Helper()
		s, err := p.open(t).Documents().Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Files
	}
	if _, err := p.open(t).Sync(t.Context()); err != nil || files() != 0 {
		t.Fatalf("%d files without being asked: %v", files(), err)
	}
	if _, err := p.open(t, set("rag.hooks", "true")).Sync(t.Context()); err != nil || files() == 0 {
		t.Errorf("no files: %v", err)
	}
}

func TestTwoThatIndexAtOnceDoItOnce(t *testing.T) {
	p := ferry(t)
	for i := range 30 {
		write(t, filepath.Join(p.dir, "docs", string(rune('a'+i))+".md"), strings.Repeat("Some text about boats.\n\n", 50))
	}
	var wg sync.WaitGroup
	reports := make([]documents.Report, 4)
	for i := range reports {
		m := p.open(t)
		wg.Go(func() {
			var err error
			if reports[i], err = m.Documents().Index(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	read := 0
	for _, r := range reports {
		if r.Busy && r.Read > 0 {
			t.Errorf("busy, and yet %d files read", r.Read)
		}
		read += r.Read
	}
	if read != 31 {
		t.Errorf("%d files were read by all together, want each once, 31", read)
	}
}

func TestADamagedIndexOfTheFilesIsBuiltAnew(t *testing.T) {
	p := ferry(t)
	m := p.open(t)
	first := index(t, m)
	s, err := m.Documents().Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Index, []byte(strings.Repeat("no database ", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := p.open(t).Recall(t.Context(), memory.Query{Text: prompted, Documents: true})
	if err != nil || strings.Contains(r.Text, "ferry.go") {
		t.Errorf("recall over a damaged index: %q, %v", r.Text, err)
	}
	again := index(t, p.open(t))
	if again.Rebuilt == "" || again.Read != first.Read || again.Passages != first.Passages {
		t.Errorf("%+v, first %+v", again, first)
	}
}

func TestIndexingStaysWithinTheProject(t *testing.T) {
	p := ferry(t)
	m := p.open(t)
	if _, err := m.Documents().Index(t.Context(), nil, filepath.Dir(p.dir)); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("the folder above: %v", err)
	}
	if r := index(t, m, "src"); r.Read != 1 {
		t.Errorf("%+v", r)
	}
}

func TestVanishedFilesAndFoldersLeaveNothingBehind(t *testing.T) {
	p := ferry(t)
	write(t, filepath.Join(p.dir, "boats.md"), "Some text about boats.\n")
	m := p.open(t)
	index(t, m)
	if err := os.Remove(filepath.Join(p.dir, "src", "ferry.go")); err != nil {
		t.Fatal(err)
	}
	r, err := m.Recall(t.Context(), memory.Query{Text: prompted, Documents: true})
	if err != nil || strings.Contains(r.Text, "ferry") {
		t.Errorf("a file that is no more is shown: %q, %v", r.Text, err)
	}

	// The index of another folder of this project, a worktree that was removed.
	s, err := m.Documents().Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(filepath.Dir(s.Index), "rag-00000000.db")
	write(t, gone, "derived")
	write(t, gone+".root", filepath.Join(p.dir, "no", "more"))
	index(t, m)
	if _, err := os.Stat(gone); err == nil {
		t.Error("the index of a folder that is no more is kept")
	}
	if s, err := m.Documents().Status(t.Context()); err != nil || s.Files == 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// What a document is shown with is what its file says at that moment, however
// old the index is.
func TestChangedFilesAreShownAsTheyAre(t *testing.T) {
	const (
		prompt = "How does the ferry scheduler decide which boat leaves the harbour first?"
		before = "package src\n\n// Schedule decides which boat of the ferry scheduler leaves the harbour first: the smallest.\nfunc Schedule() {}\n"
	)
	filler := strings.Repeat("// Nothing to see.\n", 40)
	tests := []struct {
		name       string
		change     func(t *testing.T, file string)
		want, gone string
	}{
		{"nothing changed", func(*testing.T, string) {}, "src/ferry.go:1", "biggest"},
		{"touched", func(t *testing.T, file string) { touch(t, file) }, "src/ferry.go:1", "biggest"},
		{"another word", func(t *testing.T, file string) {
			write(t, file, strings.ReplaceAll(before, "smallest", "biggest"))
			touch(t, file)
		}, "the biggest", "the smallest"},
		{"a word of the same length, at the same time", func(t *testing.T, file string) {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			write(t, file, strings.ReplaceAll(before, "smallest", "greatest"))
			if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, "the greatest", "the smallest"},
		{"moved down", func(t *testing.T, file string) { write(t, file, filler+before) }, "src/ferry.go:43", "src/ferry.go:1 "},
		{"in Chinese", func(t *testing.T, file string) {
			write(t, file, "package src\n\n// ferry scheduler: which boat leaves the harbour first? 最大的渡輪先離港。\nfunc Schedule() {}\n")
		}, "最大的渡輪先離港", "the smallest"},
		{"the text is gone", func(t *testing.T, file string) { write(t, file, "package src\n") }, "", "ferry.go"},
		{"the file is gone", func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, "", "ferry.go"},
		{"a folder in its place", func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(file, "x.md"), "Nothing.\n")
		}, "", "ferry.go"},
		{"binary now", func(t *testing.T, file string) { write(t, file, before+"\x00") }, "", "ferry.go"},
		{"it holds a secret now", func(t *testing.T, file string) {
			write(t, file, strings.ReplaceAll(before, "smallest", "one with the key "+"AKIA"+"Q7RZ2LMK4WX9TB3D"))
		}, "[redacted:", "Q7RZ2LMK"},
		{"a private span in it now", func(t *testing.T, file string) {
			write(t, file, "// <private>The biggest\n// of all.</private>\n"+before)
		}, "ferry scheduler leaves", "biggest"},
		{"too much to be read meanwhile", func(t *testing.T, file string) { write(t, file, before+strings.Repeat(filler, 8000)) }, "", "ferry.go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := ferry(t)
			file := filepath.Join(p.dir, "src", "ferry.go")
			write(t, file, before)
			index(t, p.open(t, func(o *orihon.Options) { o.Now = time.Now })) // as old as the file
			tt.change(t, file)
			r, err := p.open(t, readOnly).Recall(t.Context(), memory.Query{Text: prompt, Documents: true})
			if err != nil || len(r.Degraded) > 0 {
				t.Fatal(err, r.Degraded)
			}
			if !strings.Contains(r.Text, tt.want) || strings.Contains(r.Text, tt.gone) {
				t.Errorf("want %q and not %q in %q", tt.want, tt.gone, r.Text)
			}
		})
	}
}

func touch(t *testing.T, file string) {
	t.Helper()
	at := time.Now().Add(time.Hour)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

// A branch was changed under an old index: many files are other ones, and still
// nothing is shown that no file says.
func TestNothingOldIsShownAfterManyFilesChanged(t *testing.T) {
	p := newPlace(t)
	write(t, filepath.Join(p.dir, ".orihon", "config.yaml"), "language: en\n")
	file := func(i int) string { return filepath.Join(p.dir, "harbour", fmt.Sprintf("boat%d.md", i)) }
	for i := range 120 {
		write(t, file(i), fmt.Sprintf("# Boat %d\n\nThe ferry scheduler of harbour %d decides which boat leaves first, and said oldword.\n", i, i))
	}
	index(t, p.open(t))
	for i := range 120 {
		text := fmt.Sprintf("# Boat %d\n\nThe ferry scheduler of harbour %d decides which boat leaves first, and says newword.\n", i, i)
		if i%2 == 0 {
			text = "# Trains\n"
		}
		write(t, file(i), text)
		touch(t, file(i))
	}
	r, err := p.open(t, readOnly).Recall(t.Context(), memory.Query{Text: prompted, Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(r.Text, "oldword") || !strings.Contains(r.Text, "newword") {
		t.Errorf("shown: %q", r.Text)
	}
	// What cannot be read while a prompt waits is left out.
	for i := range 120 {
		write(t, file(i), fmt.Sprintf("# Boat %d\n\n%s\n", i, strings.Repeat("The ferry scheduler decides which boat leaves the harbour first. Bigword.\n\n", 8000)))
	}
	if r, err = p.open(t, readOnly).Recall(t.Context(), memory.Query{Text: prompted, Documents: true}); err != nil || strings.Contains(r.Text, "oldword") || strings.Contains(r.Text, "newword") {
		t.Errorf("shown: %q, %v", r.Text, err)
	}
}

// A span that is closed is nowhere but in its file, and the lines around it keep
// their numbers; where a file only speaks of the tags, nothing is lost.
func TestPrivateSpansOfDocumentsAreNeverIndexed(t *testing.T) {
	p := ferry(t)
	write(t, filepath.Join(p.dir, "docs", "ferry.md"), "<private>a\nb\nqumquatz\n</private>\n\n# How the ferry scheduler decides which boat leaves the harbour first\n\nThe code is <private>qumquatz\nand more</private> today.\n渡輪的密語是<private>海象燈籠</private>。\n")
	write(t, filepath.Join(p.dir, "docs", "tags.md"), "# Which boat leaves the harbour first\n\nThe ferry scheduler writes `<private>` but never closes it.\n\nBehind it the boat is seen.\n")
	write(t, filepath.Join(p.dir, "src", "tags.go"), "package src\n\n// Boat: the ferry scheduler cuts from <private> on.\nconst first, last = \"<private>\", \"</private>\"\n\n// harbourMaster decides which boat leaves first.\n")
	m := p.open(t)
	index(t, m)
	r, err := m.Recall(t.Context(), memory.Query{Text: prompted, Documents: true, MaxTokens: 4000})
	if err != nil {
		t.Fatal(err)
	}
	injected := p.prompt(t, "s1", "p1", prompted, set("rag.hooks", "true")).Text
	for _, want := range []string{"docs/ferry.md:6 ", "harbourMaster decides"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q is missing in %q", want, r.Text)
		}
	}
	if tags, err := m.Recall(t.Context(), memory.Query{Text: "which boat is seen behind a tag that is never closed?", Documents: true, MaxTokens: 4000}); err != nil || !strings.Contains(tags.Text, "Behind it the boat is seen") {
		t.Errorf("what stands behind a tag that is only written of is lost: %q, %v", tags.Text, err)
	}
	if !strings.Contains(injected, "docs/ferry.md:") {
		t.Errorf("nothing is injected: %q", injected)
	}
	for _, secret := range []string{"qumquatz", "and more", "海象燈籠"} {
		if strings.Contains(r.Text+injected, secret) {
			t.Errorf("%q is shown", secret)
		}
		if held := everyByte(t, secret, p.home); len(held) > 0 {
			t.Errorf("%q stands in %v", secret, held)
		}
	}
}

// Passages that an earlier version made are never shown.
func TestFilesIndexedByAnEarlierVersionAreReadAgain(t *testing.T) {
	p := ferry(t)
	file := filepath.Join(p.dir, "src", "ferry.go")
	m := p.open(t)
	index(t, m)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	// What would be cut differently by now, which nothing else tells.
	write(t, file, strings.Replace(read(t, file), "decides", "chooses", 1))
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	shows := func(text string) bool {
		t.Helper()
		r, err := m.Recall(t.Context(), memory.Query{Text: prompted, Documents: true})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(r.Text, text)
	}
	if !shows("Schedule decides") {
		t.Error("a file of the same size and time was read again")
	}
	s, err := m.Documents().Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x, err := sqlite.Open(t.Context(), s.Index, &sqlite.Options{Embedder: embed.NewHash(0)})
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := x.Stamp(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range stamp.Files {
		stamp.Files[i].Mark = "1/"
	}
	if err := errors.Join(x.Apply(t.Context(), memory.Batch{Files: stamp.Files}), x.Close()); err != nil {
		t.Fatal(err)
	}
	if shows("Schedule decides") || !shows("Schedule chooses") {
		t.Error("it is shown as it was indexed")
	}
	if r := index(t, m); r.Read != len(stamp.Files) {
		t.Errorf("%d of %d files were indexed again", r.Read, len(stamp.Files))
	}
}
