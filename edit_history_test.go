package orihon_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon"
	"orihon/items"
	"orihon/memory"
)

func edited(t *testing.T, m *orihon.Memory, id string, change func(*memory.Item)) items.Edited {
	t.Helper()
	out, err := m.Items().Edit(t.Context(), id, func(it *memory.Item) error { change(it); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnEditIsANewVersionAndTheOldOneIsKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.open(t)
	it := remember(t, m, "We deploy with make shipp")
	out := edited(t, m, it.ID[len(it.ID)-12:], func(it *memory.Item) {
		it.ID, it.Scope = "other", memory.Global // not theirs to change
		it.Content, it.Metadata.Tags = "部署用 make ship", []string{"ops", "ops", ""}
	})
	if diff := cmp.Diff([]string{"content", "tags"}, out.Changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	if out.Item.ID != it.ID || out.Item.Scope != it.Scope || !out.Item.Metadata.UpdatedAt.After(it.Metadata.UpdatedAt) || len(out.Item.Metadata.Tags) != 1 {
		t.Errorf("edited to %+v", out.Item)
	}
	if !finds(t, m, "如何部署", "部署用 make ship") {
		t.Error("recall does not find the new text")
	}
	if _, err := m.Items().Forget(t.Context(), it.ID, "過時"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Items().Restore(t.Context(), it.ID); err != nil {
		t.Fatal(err)
	}

	h, err := m.Items().History(t.Context(), it.ID[len(it.ID)-12:])
	if err != nil {
		t.Fatal(err)
	}
	var versions, decisions []string
	for _, v := range h.Versions {
		if v.At.IsZero() {
			t.Errorf("nobody knows when: %+v", v)
		}
		versions = append(versions, fmt.Sprintf("%d %s %s %s", v.Line, v.Op, v.Item.Content, v.Why))
	}
	for _, r := range h.Decisions {
		decisions = append(decisions, string(r.Op)+" "+r.Why)
	}
	if diff := cmp.Diff([]string{
		"1 version We deploy with make shipp ", "2 version 部署用 make ship ", "3 retire 部署用 make ship 過時", "4 restore 部署用 make ship ",
	}, versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"add stated by user", "update edited: content, tags", "retire 過時", "restore "}, decisions); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
}

func TestAnEditWritesNoSecretAndNothingThatIsInvalid(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.open(t)
	it := remember(t, m, "The staging key lies in the vault")
	key := "AKIA" + "Q7RZ2LMK4WX9TB3D"
	out := edited(t, m, it.ID, func(it *memory.Item) {
		it.Content, it.Title, it.Triggers = "The key is "+key, "鑰匙 "+key, []string{key + " key"}
	})
	if len(out.Redacted) != 1 || strings.Contains(out.Item.Content+out.Item.Title+out.Item.Triggers[0], key) {
		t.Errorf("redacted %v: %+v", out.Redacted, out.Item)
	}
	if found := p.holding(t, key); len(found) > 0 {
		t.Errorf("the key stands in %v", found)
	}
	before := read(t, filepath.Join(p.private(t), "memory", "semantic.jsonl"))
	for name, change := range map[string]func(*memory.Item) error{
		"nothing left":        func(it *memory.Item) error { it.Content = "<private>all of it</private>"; return nil },
		"a confidence of two": func(it *memory.Item) error { it.Metadata.Confidence = 2; return nil },
		"an unknown kind":     func(it *memory.Item) error { it.Kind = "rumour"; return nil },
		"a change that fails": func(*memory.Item) error { return memory.ErrInvalid },
	} {
		if _, err := m.Items().Edit(t.Context(), it.ID, change); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	if same := edited(t, m, it.ID, func(*memory.Item) {}); len(same.Changed) != 0 {
		t.Errorf("changed by nobody: %v", same.Changed)
	}
	if diff := cmp.Diff(before, read(t, filepath.Join(p.private(t), "memory", "semantic.jsonl"))); diff != "" {
		t.Errorf("the ledger was written (-before +after):\n%s", diff)
	}
	if _, err := m.Items().Forget(t.Context(), it.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Items().Edit(t.Context(), it.ID, func(*memory.Item) error { return nil }); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("editing what was forgotten: %v, want ErrRefused", err)
	}
	if _, err := m.Items().Edit(t.Context(), "nobody", func(*memory.Item) error { return nil }); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("editing what is not there: %v, want ErrNotFound", err)
	}
}
