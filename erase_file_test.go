package orihon_test

import (
	"path/filepath"
	"strings"
	"testing"

	"orihon"
)

// A text of a word or two goes only where it stands by itself, a longer one
// wherever it stands.
func TestAShortTextIsErasedOnlyAsAWord(t *testing.T) {
	for _, tt := range []struct{ text, before, after string }{
		{"Go", "go to google, Go, (GO) ergo go", "[] to google, [], ([]) ergo []"},
		{"tabs", "tabsize is 4; use tabs.", "tabsize is 4; use []."},
		{"用 tabs", "以後都用 tabs 縮排", "以後都[] 縮排"},
		{"縮排", "以後都縮排", "以後都[]"},
		{"The walrus ships in spring", "he said the  walrus ships in springs", "he said []s"},
		{"C++", "C++ and c++, not c", "[] and [], not c"},
		{"Go!", "go to google; Go!", "[] to google; []"},
		{"The walrus ships in spring.", "the walrus ships in spring? really; so The walrus ships in spring, right", "[]? really; so [], right"},
		{"金庫用把手四十二開。", "金庫用把手四十二開嗎？金庫用把手四十二開。", "[]嗎？[]"},
		{"金库用把手四十二开……", "金库用把手四十二开吗", "[]吗"},
	} {
		p := newPlace(t)
		m := p.open(t)
		it := state(t, m, orihon.Statement{Text: tt.text, Kind: "semantic", Topic: "fact"})
		if it.Content != tt.text {
			t.Errorf("%q was kept as %q", tt.text, it.Content)
		}
		for _, name := range []string{"hook.log", "exports/x.json"} {
			write(t, filepath.Join(p.home, name), tt.before)
		}
		if _, err := m.Erase().Purge(t.Context(), it.ID); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"hook.log", "exports/x.json"} {
			if got := strings.ReplaceAll(read(t, filepath.Join(p.home, name)), "[purged:"+it.ID+"]", "[]"); got != tt.after {
				t.Errorf("%q taken out of %q in %s leaves %q, want %q", tt.text, tt.before, name, got, tt.after)
			}
		}
	}
}

// What only looks compressed, or is damaged and does not say it, stays as it is.
func TestDamagedArchivesStay(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	it := remember(t, m, "The word of the house is qumquatz")
	whole := gzipped(t, strings.Repeat("nothing to see, however long one looks at it; ", 400))
	said := gzipped(t, "The word of the house is qumquatz. "+strings.Repeat("and so on; ", 400))
	files := map[string]string{
		"exports/a.gz": "\x1f\x8b\x08 is how it begins",
		"exports/b.gz": whole[:len(whole)-9],
		"exports/c.gz": whole,
		"exports/d.gz": said[:len(said)-5],
	}
	for name, text := range files {
		write(t, filepath.Join(p.home, name), text)
	}
	if _, err := m.Erase().Purge(t.Context(), it.ID); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if got := read(t, filepath.Join(p.home, name)); (got == text) == (name == "exports/d.gz") {
			t.Errorf("%s: changed %v", name, got != text)
		}
	}
	if left := everyByte(t, "qumquatz", p.home); len(left) > 0 {
		t.Errorf("it still stands in %v", left)
	}
}
