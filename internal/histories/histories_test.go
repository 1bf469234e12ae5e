package histories_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orihon/internal/histories"
)

func TestFind(t *testing.T) {
	home := t.TempDir()
	day := time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC)
	write := func(path, text string, days int) {
		t.Helper()
		path = filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, day, day.AddDate(0, 0, days)); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256([]byte("/w/old"))
	old := hex.EncodeToString(sum[:])
	write(".claude/projects/-w-shop/s1.jsonl", `{"type":"user","cwd":"/w/shop"}`+"\n", 1)
	write(".claude/projects/-w-shop/s2.jsonl", `{"type":"summary"}`+"\n", 4)
	write(".claude/projects/-w-shop/s2/subagents/agent-1.jsonl", `{"type":"user","cwd":"/w/shop/deep"}`+"\n", 3)
	write(".claude/projects/-w-shop/memory/MEMORY.md", "- x\n", 9)
	write(".claude/projects/-w-bare/notes.txt", "x", 9)
	write(".gemini/projects.json", `{"projects":{"/w/site":"site"}}`, 0)
	write(".gemini/tmp/site/chats/session-a.jsonl", "{}", 2)
	write(".gemini/tmp/"+old+"/chats/session-b.json", "{}", 0)
	write(".gemini/tmp/named/chats/session-c.json", "{}", -1)
	write(".gemini/tmp/named/.project_root", "/w/named\n", -1)
	write(".gemini/tmp/lost/chats/session-d.json", "{}", -2)

	type row struct {
		Client, Folder string
		Files          []string
		Agents         int
	}
	var got []row
	for _, h := range histories.Find(&histories.Places{Claude: filepath.Join(home, ".claude"), Gemini: filepath.Join(home, ".gemini"), Folders: []string{"/w/old"}}) {
		r := row{Client: string(h.Client), Folder: h.Folder}
		for _, f := range h.Files {
			r.Files = append(r.Files, filepath.Base(f.Path))
			if f.Agent {
				r.Agents++
			}
		}
		got = append(got, r)
	}
	want := []row{
		{"claude-code", "/w/shop", []string{"s2.jsonl", "agent-1.jsonl", "s1.jsonl"}, 1},
		{"gemini-cli", "/w/site", []string{"session-a.jsonl"}, 0},
		{"gemini-cli", "/w/old", []string{"session-b.json"}, 0},
		{"gemini-cli", "/w/named", []string{"session-c.json"}, 0},
		{"gemini-cli", "", []string{"session-d.json"}, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if none := histories.Find(&histories.Places{Claude: filepath.Join(home, "none")}); none != nil {
		t.Errorf("where nothing is: %v", none)
	}
}

func TestRecord(t *testing.T) {
	home := t.TempDir()
	r, err := histories.Open(home)
	if err != nil || r.Answer != "" || histories.Wanted(home) {
		t.Fatalf("a new record: %+v, %v", r, err)
	}
	f := &histories.File{Path: "/w/s.jsonl", Size: 3, Modified: time.Now()}
	update(t, home, func(r *histories.Record) { r.Answer = histories.Yes })
	update(t, home, func(r *histories.Record) { r.Note(f) })
	if r, err = histories.Open(home); err != nil || r.Answer != histories.Yes || !histories.Wanted(home) {
		t.Fatalf("read again: %+v, %v", r, err)
	}
	if before, same := r.Known(f); !before || !same {
		t.Errorf("as it was: before %v, same %v", before, same)
	}
	f.Size++
	if before, same := r.Known(f); !before || same {
		t.Errorf("when it has grown: before %v, same %v", before, same)
	}
	if err := os.WriteFile(histories.Path(home), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err = histories.Open(home); err != nil || r.Answer != "" || len(r.Files) != 0 {
		t.Errorf("a damaged record: %+v, %v", r, err)
	}
}

// A file that a program has deleted is forgotten; one in a place that is not there
// now, as on a disk that is not attached, is not.
func TestRecordForgetsFilesThatAreGone(t *testing.T) {
	home, claude := t.TempDir(), t.TempDir()
	sessions := filepath.Join(claude, "projects", "-w")
	here, gone, away := filepath.Join(sessions, "here.jsonl"), filepath.Join(sessions, "gone.jsonl"), filepath.Join(home, "disk", "tmp", "away.json")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(here, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	update(t, home, func(r *histories.Record) {
		for _, path := range []string{here, gone, away} {
			r.Note(&histories.File{Path: path})
		}
		r.DropGone(&histories.Places{Claude: claude, Gemini: filepath.Join(home, "disk")})
	})
	r, err := histories.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{away, here}, slices.Sorted(maps.Keys(r.Files)), cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Error(diff)
	}
}

func update(t *testing.T, home string, change func(*histories.Record)) {
	t.Helper()
	if err := histories.Update(t.Context(), home, change); err != nil {
		t.Fatal(err)
	}
}
