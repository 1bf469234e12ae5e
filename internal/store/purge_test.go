package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/store"
	"orihon/memory"
)

func TestPurgeLeavesNoByteOfAnItemInTheText(t *testing.T) {
	const first, last = "Ann's badge number is 4711-甲.", "Ann's badge number is 4712-甲, quoted \"so\"."
	s := openSpace(t)
	put(t, s, fact("badge", first), fact("other", "Another fact."))
	put(t, s, fact("badge", last))
	if err := s.Remove(t.Context(), "badge", "private", s.now); err != nil {
		t.Fatal(err)
	}
	s.write("personal/semantic.jsonl.torn-1", `{"v":1,"id":"badge","content":"Ann's badge num`+"\n")
	s.write("personal/notes.md", "Before.\n\n- "+first+"\n\nShe said: "+last+" And more.\n")
	s.write("personal/_staging/x.md", first+"\n")
	s.write("docs/manual.md", first+"\n")
	s.write("shared/other.md", "---\nid: other-atom\n---\n- Kept.\n")
	if err := s.AppendLog(t.Context(), s.now, "s", []store.LogTurn{{User: true, Text: first}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []memory.AuditRecord{{Op: "add", ID: "badge", Why: "said: " + first, Score: 0.9}, {Op: "add", ID: "other", Why: "fine"}} {
		if err := s.Audit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, ids := range [][]string{{"badge"}, {"badge", "other"}} {
		if err := s.Use(t.Context(), memory.Usage{Op: memory.UsageAccessed, IDs: ids}); err != nil {
			t.Fatal(err)
		}
	}

	got, err := s.Purge(t.Context(), "badge")
	if err != nil {
		t.Fatal(err)
	}
	want := memory.Purged{
		ID: "badge", Content: last, Versions: []string{first, last},
		Files: []string{
			"audit.jsonl", "personal/2026-11-21.md", "personal/_staging/x.md", "personal/notes.md", "personal/semantic.jsonl",
			"personal/semantic.jsonl.torn-1", "usage.jsonl",
		},
		Left: []string{filepath.Join(s.dir, "docs", "manual.md") + ":1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("purged differs (-want +got):\n%s", diff)
	}
	err = filepath.WalkDir(s.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(file, filepath.Join(s.dir, "docs")) {
			return err
		}
		raw, err := os.ReadFile(file)
		if strings.Contains(string(raw), "badge number") || strings.Contains(string(raw), "471") {
			t.Errorf("%s still says %q", file, raw)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if text := s.read("personal/notes.md"); text != "Before.\n\n\nShe said: [purged] And more.\n" {
		t.Errorf("notes = %q", text)
	}
	if _, err := s.Get(t.Context(), "other"); err != nil {
		t.Errorf("another item: %v", err)
	}
	var kept []string
	for r, err := range s.Audits(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, string(r.Op)+" "+r.ID+" "+r.Why)
	}
	if diff := cmp.Diff([]string{"add badge ", "add other fine"}, kept); diff != "" {
		t.Errorf("audit differs:\n%s", diff)
	}
	if _, err := s.Purge(t.Context(), "badge"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("second purge = %v, want ErrNotFound", err)
	}
}

func TestPurgeOfABulletAndOfAnAtom(t *testing.T) {
	s := openSpace(t)
	s.write("shared/a.md", "---\r\nid: a\r\n---\r\n- Keep this.\r\n- 刪掉這一條\r\n  與下一行。\r\n- Keep that.\r\n")
	s.write("shared/archive/old.md", "---\nid: a\n---\n- 刪掉這一條\n  與下一行。\n")
	b, _ := s.changes(nil, memory.FullLook)
	if _, err := s.Purge(t.Context(), b.Put[1].ID); err != nil {
		t.Fatal(err)
	}
	if got := s.read("shared/a.md"); got != "---\r\nid: a\r\n---\r\n- Keep this.\r\n- Keep that.\r\n" {
		t.Errorf("atom = %q", got)
	}
	if got := s.read("shared/archive/old.md"); strings.Contains(got, "刪掉") {
		t.Errorf("archived copy = %q", got)
	}
	if _, err := s.Purge(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"shared/a.md", "shared/archive/old.md"} {
		if _, err := os.Stat(filepath.Join(s.dir, file)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there", file)
		}
	}
}

// A purge that fails half-way can be repeated: what names the texts goes last.
func TestAPurgeThatFailedCanBeRepeated(t *testing.T) {
	for n := range 4 {
		s := openSpace(t)
		put(t, s, fact("x", "The secret word is rosebud."))
		s.write("personal/a.md", "The secret word is rosebud.\n")
		s.write("personal/b.md", "The secret word is rosebud.\n")
		if err := s.Use(t.Context(), memory.Usage{Op: memory.UsageAccessed, IDs: []string{"x"}}); err != nil {
			t.Fatal(err)
		}
		s.FailReplaces(n, errors.New("disk"))
		if _, err := s.Purge(t.Context(), "x"); err == nil {
			t.Fatalf("purge with %d good writes did not fail", n)
		}
		s.FailReplaces(0, nil)
		if _, err := s.Purge(t.Context(), "x"); err != nil {
			t.Fatalf("second purge after %d good writes: %v", n, err)
		}
		for _, file := range []string{"personal/a.md", "personal/b.md", "personal/semantic.jsonl", "state/usage.jsonl"} {
			if text := s.read(file); text != "" {
				t.Errorf("%s = %q", file, text)
			}
		}
	}
}
