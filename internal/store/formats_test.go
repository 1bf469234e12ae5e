package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/store"
	"orihon/memory"
)

func TestTheVersionIsWrittenIntoLinesThatLackItAndNothingElse(t *testing.T) {
	s := openSpace(t)
	const before = "\ufeff" + `{"id":"a","content":"部署 <b>","metadata":{"confidence":0.5},"v_":1}` + "\r\n" +
		"  { \"id\": \"b\", \"content\": \"資料庫在 db1\", \"metadata\": {} }\n\n{}\n" +
		"not JSON\n[1]\n" +
		`{"v":1,"id":"c","content":"y","metadata":{"confidence":1}}` + "\n" + `{"id":"torn`
	const after = "\ufeff" + `{"v":1,"id":"a","content":"部署 <b>","metadata":{"confidence":0.5},"v_":1}` + "\r\n" +
		"  {\"v\":1, \"id\": \"b\", \"content\": \"資料庫在 db1\", \"metadata\": {} }\n\n{\"v\":1}\n" +
		"not JSON\n[1]\n" +
		`{"v":1,"id":"c","content":"y","metadata":{"confidence":1}}` + "\n" + `{"id":"torn`
	s.write("personal/semantic.jsonl", before)
	file := filepath.Join(s.dir, "personal", "semantic.jsonl")
	f, err := store.ReadFormat(file)
	if diff := cmp.Diff(store.FileFormat{Lines: 4, Unmarked: 3, Oldest: 1, Newest: 1}, f); err != nil || diff != "" {
		t.Errorf("format %v (-want +got):\n%s", err, diff)
	}
	aside, err := store.MarkVersions(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after, s.read("personal/semantic.jsonl")); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, s.read("personal/"+filepath.Base(aside))); diff != "" {
		t.Errorf("kept beside (-want +got):\n%s", diff)
	}
	if again, err := store.MarkVersions(t.Context(), file); again != "" || err != nil {
		t.Errorf("a second time kept %q, %v", again, err)
	}
	// A purge reaches what was kept.
	gone, err := s.Purge(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	if text := s.read("personal/" + filepath.Base(aside)); strings.Contains(text, "db1") {
		t.Errorf("purged from %v, but it stands in %s", gone.Files, aside)
	}
}

func TestALedgerOfANewerVersionIsRefusedWithItsLine(t *testing.T) {
	s := openSpace(t)
	const text = `{"id":"a","content":"x","metadata":{}}` + "\n" + `{"v":2,"id":"b"}` + "\n"
	s.write("personal/semantic.jsonl", text)
	_, err := store.MarkVersions(t.Context(), filepath.Join(s.dir, "personal", "semantic.jsonl"))
	if !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), "semantic.jsonl:2: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want ErrRefused in one line that names line 2", err)
	}
	if diff := cmp.Diff(text, s.read("personal/semantic.jsonl")); diff != "" {
		t.Errorf("it was changed (-want +got):\n%s", diff)
	}
	if _, err := store.MarkVersions(t.Context(), filepath.Join(s.dir, "none.jsonl")); err != nil {
		t.Errorf("a file that is not there: %v", err)
	}
}
