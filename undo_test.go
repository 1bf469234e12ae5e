package orihon_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon"
	"orihon/items"
	"orihon/memory"
)

func undo(t tb, m *orihon.Memory, u items.Undo) items.UndoResult {
	t.Helper()
	r, err := m.Items().Undo(t.Context(), u)
	if err != nil {
		t.Fatal(fmt.Errorf("undo %+v: %w", u, err))
	}
	return r
}

// visible is what a person sees of memory: what is listed, what lies in the
// archive, and what prompts bring.
func visible(t tb, m *orihon.Memory, prompts ...string) map[string]any {
	t.Helper()
	out := make(map[string]any)
	for _, s := range list(t, m, memory.Filter{Superseded: true}) {
		out["item "+s.Item.ID] = s.Item
	}
	gone, err := m.Items().Archived(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range gone {
		out["archived "+a.Item.ID] = a.Item
	}
	for _, p := range prompts {
		out["prompt "+p] = recall(t, m, p).Text
	}
	return out
}

func TestUndoWalksBackAndRedoForward(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	it := remember(t, m, "The gateway listens on port 8080")
	states := []map[string]any{visible(t, m, "gateway port")}
	step := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, visible(t, m, "gateway port"))
	}
	_, err := m.Items().Edit(t.Context(), it.ID, func(it *memory.Item) error { it.Content = "The gateway listens on port 9090"; return nil })
	step(err)
	_, err = m.Items().Forget(t.Context(), it.ID, "test")
	step(err)
	_, err = m.Items().Restore(t.Context(), it.ID)
	step(err)
	_, err = m.Items().Archive(t.Context(), "test", it.ID)
	step(err)
	_, err = m.Items().Restore(t.Context(), it.ID)
	step(err)
	for i := len(states) - 2; i >= 0; i-- {
		undo(t, m, items.Undo{ID: it.ID})
		if diff := cmp.Diff(states[i], visible(t, m, "gateway port")); diff != "" {
			t.Fatalf("back at %d (-then +now):\n%s", i, diff)
		}
	}
	if u := undo(t, m, items.Undo{Last: true}).Undone[0]; u.Lives || u.Archived || u.Decision.Op != "add" {
		t.Errorf("undone the add: %+v", u)
	}
	if finds(t, m, "gateway port", "gateway") {
		t.Error("it is recalled after its add was undone")
	}
	if _, err := m.Items().Undo(t.Context(), items.Undo{Last: true}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("nothing left to undo: %v", err)
	}
	for i := range states {
		undo(t, m, items.Undo{ID: it.ID, Redo: true})
		if diff := cmp.Diff(states[i], visible(t, m, "gateway port")); diff != "" {
			t.Fatalf("forward at %d (-then +now):\n%s", i, diff)
		}
	}
	if _, err := m.Items().Undo(t.Context(), items.Undo{ID: it.ID, Redo: true}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("nothing left to redo: %v", err)
	}
	// A new decision ends what could be redone.
	undo(t, m, items.Undo{ID: it.ID})
	if _, err := m.Items().Restore(t.Context(), it.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Items().Undo(t.Context(), items.Undo{ID: it.ID, Redo: true}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("redo after a new decision: %v", err)
	}
}

// Whatever was decided, taking it all back step by step shows every state again.
func TestUndoingAnySequenceShowsTheStatesBefore(t *testing.T) {
	texts := []string{"The gateway listens on port %d", "部署之前先跑資料庫遷移 %d 次", "We deploy with make ship%d", "回答用繁體中文，第 %d 版"}
	prompts := []string{"gateway port", "部署 遷移", "how do we deploy"}
	rapid.Check(t, func(rt *rapid.T) {
		p := &place{home: filepath.Join(t.TempDir(), "home"), dir: t.TempDir()}
		// A file that comes back may find its name taken.
		m := p.open(rt, set("recall.show_sources", "false"))
		defer m.Close()
		pick := func() (string, bool) {
			items := list(rt, m, memory.Filter{Retired: true, Superseded: true})
			if len(items) == 0 {
				return "", false
			}
			slices.SortFunc(items, func(a, b memory.Stored) int { return strings.Compare(a.Item.Content, b.Item.Content) })
			return items[rapid.IntRange(0, len(items)-1).Draw(rt, "item")].Item.ID, true
		}
		states := []map[string]any{visible(rt, m, prompts...)}
		audited := func() int {
			n := 0
			all, err := m.Items().Audits(rt.Context(), nil)
			if err != nil {
				rt.Fatal(err)
			}
			for _, r := range all {
				switch r.Op {
				case "add", "update", "confirm", "merge", "supersede", "archive", "restore", "retire":
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			before := audited()
			text := fmt.Sprintf(rapid.SampledFrom(texts).Draw(rt, "text"), rapid.IntRange(1, 3).Draw(rt, "number"))
			op := rapid.IntRange(0, 5).Draw(rt, "op")
			id, some := pick()
			var err error
			switch {
			case op <= 1 || !some:
				scope := rapid.SampledFrom([]memory.Scope{"", memory.Global, memory.Shared}).Draw(rt, "scope")
				_, err = m.Remember(rt.Context(), orihon.Statement{Text: text, Scope: scope})
			case op == 2:
				_, err = m.Items().Edit(rt.Context(), id, func(it *memory.Item) error { it.Content = text + "."; return nil })
			case op == 3:
				_, err = m.Items().Forget(rt.Context(), id, "test")
			case op == 4:
				_, err = m.Items().Archive(rt.Context(), "test", id)
			default:
				_, err = m.Items().Restore(rt.Context(), id)
			}
			if err != nil && !errors.Is(err, memory.ErrRefused) {
				rt.Fatal(err)
			}
			for range audited() - before {
				states = append(states, visible(rt, m, prompts...))
			}
		}
		for i := len(states) - 2; i >= 0; i-- {
			r := undo(rt, m, items.Undo{Last: true})
			if diff := cmp.Diff(states[i], visible(rt, m, prompts...)); diff != "" {
				rt.Fatalf("after taking back %+v (-before +now):\n%s", r.Undone, diff)
			}
		}
		if r, err := m.Items().Undo(rt.Context(), items.Undo{Last: true}); !errors.Is(err, memory.ErrNotFound) {
			rt.Fatalf("one more: %+v, %v", r, err)
		}
	})
}

// A statement that contradicts two ends one and lowers the other; both come back.
func TestUndoGivesBackTheBeliefInWhatWasContradicted(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "The gateway listens on port 8081")
	other := remember(t, m, "We deploy with make ship")
	if _, err := m.Items().Edit(t.Context(), other.ID, func(it *memory.Item) error { it.Content = "The gateway listens on port 8082"; return nil }); err != nil {
		t.Fatal(err)
	}
	before := visible(t, m, "gateway port")
	out, err := m.Remember(t.Context(), orihon.Statement{Text: "The gateway listens on port 8083"})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Conflicts) != 1 {
		t.Fatalf("%d conflicts beside what was replaced, want 1: %+v", len(out.Conflicts), out)
	}
	after := visible(t, m, "gateway port")
	for range 2 {
		undo(t, m, items.Undo{Last: true})
		if diff := cmp.Diff(before, visible(t, m, "gateway port")); diff != "" {
			t.Fatalf("taken back (-before +now):\n%s", diff)
		}
		undo(t, m, items.Undo{ID: out.Item.ID, Redo: true})
		if diff := cmp.Diff(after, visible(t, m, "gateway port")); diff != "" {
			t.Fatalf("redone (-before +now):\n%s", diff)
		}
	}
}

func TestUndoOfASuccessorReinstatesWhatItReplaced(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	old := remember(t, m, "The gateway listens on port 8080")
	before := visible(t, m, "which port does the gateway listen on?")
	out, err := m.Remember(t.Context(), orihon.Statement{Text: "The gateway listens on port 9090"})
	if err != nil {
		t.Fatal(err)
	}
	after := visible(t, m, "which port does the gateway listen on?")
	if out.Item.Relations.Supersedes != old.ID {
		t.Skip("SKIPPED: statements do not supersede each other yet")
	}
	if r := undo(t, m, items.Undo{ID: out.Item.ID, Reason: items.ReasonWrong}); !slices.Equal(r.Undone[0].With, []string{old.ID}) {
		t.Errorf("undone = %+v", r.Undone)
	}
	if diff := cmp.Diff(before, visible(t, m, "which port does the gateway listen on?")); diff != "" {
		t.Errorf("taken back (-before +now):\n%s", diff)
	}
	undo(t, m, items.Undo{ID: out.Item.ID, Redo: true})
	if diff := cmp.Diff(after, visible(t, m, "which port does the gateway listen on?")); diff != "" {
		t.Errorf("redone (-before +now):\n%s", diff)
	}
	undo(t, m, items.Undo{Last: true})
	undo(t, m, items.Undo{Last: true})
	if n := len(list(t, m, memory.Filter{Superseded: true})); n != 0 {
		t.Errorf("%d items live after everything was taken back", n)
	}
}

func TestUndoOfASharedBulletGivesItsTextBack(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	it := state(t, m, orihon.Statement{Text: "- The port is 8080.\n- The host is db1.", Scope: memory.Shared})
	var port memory.Item
	for _, s := range list(t, m, memory.Filter{}) {
		if strings.Contains(s.Item.Content, "port") {
			port = s.Item
		}
	}
	if port.ID == it.ID || port.ID == "" {
		t.Fatalf("not a bullet: %+v", port)
	}
	before := visible(t, m, "which port?")
	for i := range 2 {
		edited, err := m.Items().Edit(t.Context(), port.ID, func(it *memory.Item) error { it.Content = fmt.Sprintf("The port is 909%d.", i); return nil })
		if err != nil {
			t.Fatal(err)
		}
		undo(t, m, items.Undo{ID: edited.Item.ID})
		now := visible(t, m, "which port?")
		for _, v := range []map[string]any{before, now} {
			for k, x := range v {
				if it, ok := x.(memory.Item); ok {
					it.Metadata.UpdatedAt = start // is that of the file
					v[k] = it
				}
			}
		}
		if diff := cmp.Diff(before, now); diff != "" {
			t.Errorf("taken back (-before +now):\n%s", diff)
		}
	}
}

func TestASessionIsTakenBackButForWhatWasDecidedSince(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "Kept from before: the answer is 42")
	a := state(t, m, orihon.Statement{Text: "Port 8080 belongs to the gateway", Session: "s1", Source: memory.FromUser})
	b := state(t, m, orihon.Statement{Text: "部署之前先跑資料庫遷移", Session: "s1", Source: memory.FromUser})
	if _, err := m.Items().Edit(t.Context(), b.ID, func(it *memory.Item) error { it.Title = "Mended"; return nil }); err != nil {
		t.Fatal(err)
	}
	r := undo(t, m, items.Undo{Session: "s1", Reason: items.ReasonNoise})
	if len(r.Undone) != 1 || r.Undone[0].Item.ID != a.ID || len(r.Left) != 1 || r.Left[0].ID != b.ID {
		t.Errorf("result = %+v", r)
	}
	if got := contents(list(t, m, memory.Filter{})); len(got) != 2 {
		t.Errorf("left = %q", got)
	}
	for _, u := range []items.Undo{{Session: "unknown"}, {ID: "nothing"}, {Last: true, Reason: "mood"}, {}} {
		if _, err := m.Items().Undo(t.Context(), u); !errors.Is(err, memory.ErrNotFound) && !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("undo %+v = %v", u, err)
		}
	}
}

func TestReasonsOfUndosTellWhomToTrust(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	texts := []string{"Port 8080 belongs to the gateway", "部署之前先跑資料庫遷移", "Ann likes tea", "Backups run at noon", "The logo is blue"}
	var ids []string
	for _, text := range texts {
		ids = append(ids, state(t, m, orihon.Statement{Text: text, Source: memory.FromUser}).ID)
	}
	for i, reason := range []string{items.ReasonWrong, items.ReasonDuplicate, items.ReasonOutdated, "", items.ReasonNoise} {
		undo(t, m, items.Undo{ID: ids[i], Reason: reason})
	}
	undo(t, m, items.Undo{ID: ids[4], Redo: true})
	got, err := m.Items().Extractors(t.Context())
	want := []items.ExtractorTrust{{
		Name: "user", Added: 5, Undone: map[string]int{items.ReasonWrong: 1, items.ReasonDuplicate: 1, items.ReasonOutdated: 1, "": 1}, Score: (4 + 5 - 1.5) / 10,
	}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("trust differs (-want +got), %v:\n%s", err, diff)
	}
}
