package orihon_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon"
	"orihon/follow"
	"orihon/items"
	"orihon/memory"
)

func TestRestoringTakesForgettingBack(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	for _, it := range []memory.Item{
		state(t, m, orihon.Statement{Text: "The lighthouse stands in the north", Tags: []string{"coast"}, Triggers: []string{"lighthouse"}}),
		state(t, m, orihon.Statement{Text: "燈塔的鑰匙在門墊下", Scope: memory.Shared, Title: "燈塔"}),
		state(t, m, orihon.Statement{Text: "灯塔朝北", Scope: memory.Global, Kind: memory.Procedural}),
	} {
		before, err := m.Items().Get(t.Context(), it.ID)
		if err != nil {
			t.Fatal(err)
		}
		gone, err := m.Items().Forget(t.Context(), it.ID, "wrong")
		if err != nil || !gone.Retired {
			t.Fatalf("forget: %+v, %v", gone, err)
		}
		if finds(t, m, it.Content, it.Content) {
			t.Errorf("%q is still recalled", it.Content)
		}
		if got, err := m.Items().Get(t.Context(), it.ID); err != nil || !got.Retired || got.Reason != "wrong" {
			t.Errorf("%q: %+v, %v; want it retired with its reason", it.Content, got, err)
		}
		// Once more changes nothing.
		if _, err := m.Items().Forget(t.Context(), it.ID, "again"); err != nil {
			t.Error(err)
		}
		for range 2 {
			if _, err := m.Items().Restore(t.Context(), it.ID); err != nil {
				t.Fatal(err)
			}
		}
		after, err := m.Items().Get(t.Context(), it.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before.Item, after.Item); diff != "" || after.Retired {
			t.Errorf("%q came back changed:\n%s", it.Content, diff)
		}
		if !finds(t, m, it.Content, it.Content) {
			t.Errorf("%q is not recalled again", it.Content)
		}
	}
}

func TestAnItemIsNamedByEnoughOfItsID(t *testing.T) {
	m := newPlace(t).open(t)
	a := remember(t, m, "The lighthouse stands in the north")
	remember(t, m, "The harbour lies in the south")
	if got, err := m.Items().Get(t.Context(), a.ID[len(a.ID)-8:]); err != nil || got.Item.ID != a.ID {
		t.Errorf("by its end: %s, %v", got.Item.ID, err)
	}
	if _, err := m.Items().Get(t.Context(), a.ID[:4]); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("by a beginning that two have: %v, want ErrInvalid", err)
	}
	for _, id := range []string{"", "zzzzzzzz", a.ID[len(a.ID)-3:]} {
		if _, err := m.Items().Get(t.Context(), id); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("by %q: %v, want ErrNotFound", id, err)
		}
	}
}

func TestPurgingErasesEverywhereAndNothingElse(t *testing.T) {
	for name, tt := range map[string]struct{ prompt, text, word, other string }{
		"English":     {"remember: the vault code of the lighthouse is quokka-1917", "The vault code of the lighthouse is quokka-1917", "quokka-1917", "The harbour lies in the south"},
		"traditional": {"記住：燈塔保險箱的暗號是「長頸鹿鹿角」", "燈塔保險箱的暗號是「長頸鹿鹿角」", "長頸鹿鹿角", "港口在南邊"},
		"simplified":  {"请记住：灯塔保险箱的暗号是「长颈鹿鹿角」", "灯塔保险箱的暗号是「长颈鹿鹿角」", "长颈鹿鹿角", "港口在南边"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			other := remember(t, m, tt.other)
			m.Close()
			// It passes through a session: the journal, a body in io/, the daily
			// log, the episode, the usage log.
			p.begin(t, "s1", "startup")
			p.prompt(t, "s1", "p1", tt.prompt)
			p.prompt(t, "s1", "p2", "what was the vault code of the lighthouse? 暗號 暗号 "+tt.text)
			p.do(t, "s1", func(ctx context.Context, s *follow.Session) error {
				long := strings.Repeat("filler ", 8000) + tt.text
				input, _ := json.Marshal(map[string]string{"file_path": "notes.md", "content": long})
				return errors.Join(
					s.Action(ctx, follow.Action{ID: "t1", Tool: "Write", Input: input, Output: long}),
					s.Report(ctx, "a1", "Explore", "found: "+tt.text),
					s.Answer(ctx, "p2", tt.text))
			})
			p.end(t, "s1")
			p.work(t)
			p.prompt(t, "s2", "p3", tt.text)

			m = p.open(t)
			var id string
			for _, s := range list(t, m, memory.Filter{Kinds: []memory.Kind{memory.Semantic}}) {
				if s.Item.Content == tt.text {
					id = s.Item.ID
				}
			}
			if id == "" {
				t.Fatalf("it was not kept: %q", contents(list(t, m, memory.Filter{})))
			}
			if held := p.holding(t, tt.word); len(held) < 6 {
				t.Fatalf("only %v hold it: the test shows little", held)
			}
			before := list(t, m, memory.Filter{})
			left, err := m.Erase().Purge(t.Context(), id)
			if err != nil || len(left) > 0 {
				t.Fatalf("left %v, %v", left, err)
			}
			for _, file := range p.holding(t, tt.word) {
				t.Errorf("%s still holds it", file)
			}
			if got := list(t, m, memory.Filter{}); len(got) != len(before)-1 {
				t.Errorf("%d items of %d are left, want one less", len(got), len(before))
			}
			if !finds(t, m, other.Content, other.Content) {
				t.Error("another item is gone")
			}
			if _, err := m.Items().Get(t.Context(), id); !errors.Is(err, memory.ErrNotFound) {
				t.Errorf("it can still be had: %v", err)
			}
			records, err := m.Items().Audits(t.Context(), &memory.AuditFilter{Op: "purge"})
			if err != nil || len(records) != 1 || records[0].ID != id {
				t.Errorf("audit %+v, %v; want the purge with its ID", records, err)
			}
			if events := p.events(t, "s1"); len(events) < 6 {
				t.Errorf("%d events are left of the journal", len(events))
			}
			// What comes later does not bring it back.
			p.work(t)
			if held := p.holding(t, tt.word); len(held) > 0 {
				t.Errorf("it is back in %v", held)
			}
		})
	}
}

func TestPurgingNamesWhatItMayNotWrite(t *testing.T) {
	p := newPlace(t)
	notes := t.TempDir()
	write(t, filepath.Join(notes, "diary.md"), "# Diary\n\nThe vault code of the lighthouse is quokka-1917\n")
	m := p.open(t, set("memory.extra_dirs", notes))
	it := remember(t, m, "The vault code of the lighthouse is quokka-1917")
	left, err := m.Erase().Purge(t.Context(), it.ID)
	if err != nil || len(left) != 1 || !strings.Contains(left[0].Path, "diary.md") {
		t.Errorf("left %v, %v; want the diary", left, err)
	}
}

// A reason is kept as long as the audit trail is.
func TestReasonsHoldNoSecrets(t *testing.T) {
	token, hidden := "gh"+"p_"+strings.Repeat("aB3dE6", 6), "海象燈籠"
	reason := "because " + token + " <private>" + hidden + "</private>"
	const kept = "because [redacted:github-token]"
	tests := []struct {
		name   string
		decide func(t *testing.T, m *orihon.Memory) error
		file   string // that keeps the reason
	}{
		{"forget", func(t *testing.T, m *orihon.Memory) error {
			s, err := m.Items().Forget(t.Context(), remember(t, m, "The lighthouse stands in the north").ID, reason)
			if s.Reason != kept {
				t.Errorf("the reason is %q", s.Reason)
			}
			return err
		}, "memory/semantic.jsonl"},
		{"forget, shared", func(t *testing.T, m *orihon.Memory) error {
			_, err := m.Items().Forget(t.Context(), state(t, m, orihon.Statement{Text: "The lighthouse is red", Scope: memory.Shared}).ID, reason)
			return err
		}, ""},
		{"archive", func(t *testing.T, m *orihon.Memory) error {
			_, err := m.Items().Archive(t.Context(), reason, remember(t, m, "The lighthouse stands in the south").ID)
			return err
		}, "memory/semantic.jsonl"},
		{"archive, undo and redo", func(t *testing.T, m *orihon.Memory) error {
			it := remember(t, m, "The lighthouse stands in the west")
			_, err := m.Items().Archive(t.Context(), reason, it.ID)
			undo(t, m, items.Undo{Last: true})
			undo(t, m, items.Undo{ID: it.ID, Redo: true})
			return err
		}, "memory/semantic.jsonl"},
		{"undo, no reason of its own", func(t *testing.T, m *orihon.Memory) error {
			remember(t, m, "The lighthouse stands in the east")
			if _, err := m.Items().Undo(t.Context(), items.Undo{Last: true, Reason: reason}); !errors.Is(err, memory.ErrInvalid) {
				t.Errorf("undone: %v", err)
			}
			_, err := m.Items().Forget(t.Context(), list(t, m, memory.Filter{})[0].Item.ID, reason)
			return err
		}, ""},
		{"reject", func(t *testing.T, m *orihon.Memory) error {
			remember(t, m, "The gateway of the billing cluster listens on port 8080 behind nginx")
			noticed(t, m, "The gateway of the billing cluster listens on port 9090 behind nginx")
			_, ids := queue(t, m)
			_, err := m.Review().Reject(t.Context(), ids[0], reason)
			return err
		}, "candidates.jsonl"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			if err := tt.decide(t, p.open(t)); err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{token, hidden} {
				if held := everyByte(t, secret, p.home, p.dir); len(held) > 0 {
					t.Errorf("%q stands in %v", secret, held)
				}
			}
			for _, file := range []string{"audit.jsonl", tt.file} {
				if path := filepath.Join(p.private(t), file); file != "" && !strings.Contains(read(t, path), kept) {
					t.Errorf("%s does not keep the reason: %s", file, read(t, path))
				}
			}
		})
	}
}
