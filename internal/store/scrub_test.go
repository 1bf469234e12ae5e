package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/copies"
)

// What is no item loses the words, and what is one keeps them.
func TestScrubTakesPiecesOutOfWhatIsNoItem(t *testing.T) {
	const text = "The harbour master keeps the spare key to the gate in the second drawer"
	const digest = `{"v":1,"id":"e1","kind":"episodic","content":"Asked: keeps the spare key to the g…","metadata":{"source":"system"}}`
	const other = `{"v":1,"id":"o1","kind":"semantic","content":"Ann says: keeps the spare key to the gate","metadata":{"source":"user"}}`
	files := map[string]string{ // before, and after
		"personal/notes.md":                            "# Notes\n\n- keeps the spare key to the gate\n\nSo: \"keeps the spare key\\n to the gate\", she said.\n",
		"personal/episodic.jsonl":                      digest + "\n" + `{"v":1,"op":"retire","id":"e0","why":"keeps the spare key to the gate"}` + "\n" + `{"v":1,"id":"torn","content":"The harbour master keeps th` + "\n",
		"personal/semantic.jsonl":                      other + "\n",
		"personal/keeps-the-spare-key-to-the-gate.txt": "x",
		"state/audit.jsonl":                            `{"v":1,"op":"skip","id":"x","why":"like: The harbour master keeps the spare …"}` + "\n",
	}
	after := map[string]string{
		"personal/notes.md":       "# Notes\n\n\nSo: \"[purged]\", she said.\n",
		"personal/episodic.jsonl": strings.Replace(digest, "keeps the spare key to the g", "[purged]", 1) + "\n" + `{"v":1,"op":"retire","id":"e0","why":"[purged]"}` + "\n",
		"personal/semantic.jsonl": other + "\n",
		"personal/purged.txt":     "x",
		"state/audit.jsonl":       `{"v":1,"op":"skip","id":"x","why":"like: [purged] …"}` + "\n",
	}
	disk := errors.New("disk")
	for n := range 4 { // good writes before the disk fails; with 3, it does not
		s := openSpace(t)
		for name, text := range files {
			s.write(name, text)
		}
		words := copies.New(text)
		s.FailReplaces(n, disk)
		if _, _, err := s.Scrub(t.Context(), "gone", words); (n < 3) != errors.Is(err, disk) {
			t.Fatalf("with %d good writes: %v", n, err)
		}
		s.FailReplaces(0, nil)
		if _, _, err := s.Scrub(t.Context(), "gone", words); err != nil {
			t.Fatal(err)
		}
		for name, want := range after {
			if got := s.read(name); got != want {
				t.Errorf("after %d good writes %s is\n%q, want\n%q", n, name, got, want)
			}
		}
		if _, err := os.Stat(filepath.Join(s.dir, "personal", "keeps-the-spare-key-to-the-gate.txt")); err == nil {
			t.Error("the name of a file tells")
		}
	}
}
