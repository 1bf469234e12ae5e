package orihon_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orihon"
	"orihon/memory"
)

func TestNobodySeesOrChangesWhatIsNotTheirs(t *testing.T) {
	users := []string{"ann", "bob"}
	roles := []string{"programmer", "art"}
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		p := &place{home: filepath.Join(dir, fmt.Sprint(run), "home"), dir: filepath.Join(dir, fmt.Sprint(run), "project")}
		if err := os.MkdirAll(p.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		// One repository, and a home for each.
		handles := make(map[string]*orihon.Memory)
		for _, u := range users {
			held := rapid.SliceOfDistinct(rapid.SampledFrom(roles), func(r string) string { return r }).Draw(t, u)
			at := func(o *orihon.Options) { o.Home = filepath.Join(p.home, u) }
			handles[u] = p.open(t, at, as(u), set("roles", strings.Join(held, ",")))
		}
		// A role's atoms come from the repository, whoever holds the role.
		for _, r := range roles {
			write(t, filepath.Join(p.dir, ".orihon/memory/role", r, "note.md"), "---\nid: note-of-"+r+"\ntitle: Lighthouse\n---\n- The lighthouse key of "+r+" is under the mat\n")
		}
		items := make(map[memory.Scope]memory.Item)
		for _, u := range users {
			scope := memory.Personal(u)
			items[scope] = state(t, handles[u], orihon.Statement{Text: "The lighthouse of " + u + " stands in the north", Scope: scope})
			for _, r := range handles[u].Viewer().Roles {
				state(t, handles[u], orihon.Statement{Text: "The lighthouse of " + r + " stands in the south", Scope: memory.Role(r)})
			}
		}
		for _, u := range users {
			m := handles[u]
			if _, err := m.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			visible := m.Viewer().Scopes()
			r, err := m.Recall(t.Context(), memory.Query{Text: "what about the lighthouse?", Threshold: -1, Turns: true, Viewer: memory.Viewer{User: "bob", Roles: roles}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Hits {
				if s := r.Hits[i].Passage.Item.Scope; !slices.Contains(visible, s) {
					t.Errorf("%s recalls %q of %s", u, r.Hits[i].Passage.Item.Content, s)
				}
			}
			if !strings.Contains(r.Text, "of "+u+" stands") {
				t.Errorf("%s does not recall their own", u)
			}
			for _, s := range list(t, m, memory.Filter{Scopes: []memory.Scope{"personal:ann", "personal:bob", "role:art", "role:programmer"}, Retired: true}) {
				if !slices.Contains(visible, s.Item.Scope) {
					t.Errorf("%s lists %q of %s", u, s.Item.Content, s.Item.Scope)
				}
			}
			foreign := []string{"note-of-art", "note-of-programmer"}
			for _, r := range m.Viewer().Roles {
				foreign = slices.DeleteFunc(foreign, func(id string) bool { return id == "note-of-"+r })
			}
			for scope, it := range items {
				if !slices.Contains(visible, scope) {
					foreign = append(foreign, it.ID)
				}
			}
			for _, id := range foreign {
				_, get := m.Items().Get(t.Context(), id)
				_, read := m.Items().Read(t.Context(), id)
				_, forget := m.Items().Forget(t.Context(), id, "mine now")
				_, restore := m.Items().Restore(t.Context(), id)
				_, purge := m.Erase().Purge(t.Context(), id)
				for verb, err := range map[string]error{"get": get, "read": read, "forget": forget, "restore": restore, "purge": purge} {
					if !errors.Is(err, memory.ErrNotFound) {
						t.Errorf("%s may %s %s: %v", u, verb, id, err)
					}
				}
			}
			for _, scope := range []memory.Scope{"personal:ann", "personal:bob", "role:art", "role:programmer"} {
				if slices.Contains(visible, scope) {
					continue
				}
				if _, err := m.Remember(t.Context(), orihon.Statement{Text: "Sneaked in by " + u, Scope: scope}); !errors.Is(err, memory.ErrRefused) {
					t.Errorf("%s writes into %s: %v", u, scope, err)
				}
			}
		}
		for scope, it := range items {
			u := scope.Name()
			if got, err := handles[u].Items().Get(t.Context(), it.ID); err != nil || got.Retired || got.Item.Content != it.Content {
				t.Errorf("%s's own is no longer as it was: %+v, %v", u, got, err)
			}
		}
	})
}

func TestScopesThatAreNoneAreInvalid(t *testing.T) {
	m := newPlace(t).open(t)
	for _, scope := range []memory.Scope{"everybody", "role:", "personal:../bob", "role:a/b"} {
		if _, err := m.Remember(t.Context(), orihon.Statement{Text: "The lighthouse stands in the north", Scope: scope}); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%q: %v, want ErrInvalid", scope, err)
		}
	}
}

func TestWhatIsSharedLiesInTheRepositoryAndReachesOthers(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	state(t, m, orihon.Statement{Text: "The lighthouse stands in the north", Title: "Lighthouse", Scope: memory.Shared})
	state(t, m, orihon.Statement{Text: "燈塔的鑰匙在門墊下", Scope: memory.Shared})
	remember(t, m, "The lighthouse keeper owes me a beer")
	atoms, err := filepath.Glob(filepath.Join(p.dir, ".orihon/memory/shared/*.md"))
	if err != nil || len(atoms) != 2 {
		t.Fatalf("atoms %v, %v; want 2", atoms, err)
	}
	// Bob has a home of his own and the same repository.
	bob := &place{home: filepath.Join(t.TempDir(), "home"), dir: p.dir}
	other := bob.open(t, as("bob"), readOnly)
	if !finds(t, other, "where does the lighthouse stand?", "in the north") || !finds(t, other, "燈塔的鑰匙在哪裡？", "門墊下") {
		t.Error("bob does not get what was shared")
	}
	if finds(t, other, "does the lighthouse keeper owe a beer?", "beer") {
		t.Error("bob gets what was not shared")
	}
	for _, text := range []string{"owes me a beer"} {
		for _, file := range bob.holding(t, text) {
			t.Errorf("%q has reached %s", text, file)
		}
	}
}

func TestGlobalItemsAreThereInEveryProject(t *testing.T) {
	p := newPlace(t)
	state(t, p.open(t), orihon.Statement{Text: "我習慣用四個空白縮排", Scope: memory.Global})
	p.dir = t.TempDir()
	if !finds(t, p.open(t, readOnly), "縮排用幾個空白？", "四個空白") {
		t.Error("another project does not get it")
	}
}

func TestAHomeIsOnePersonsWhateverTheyAreCalled(t *testing.T) {
	p := newPlace(t)
	remember(t, p.open(t), "The lighthouse stands in the north")
	for name, change := range map[string][]func(*orihon.Options){"writing": {as("ann-marie")}, "reading": {as("安妮"), readOnly}} {
		m := p.open(t, change...)
		if !finds(t, m, "where does the lighthouse stand?", "in the north") {
			t.Errorf("%s: recall does not follow the new name", name)
		}
		if got := list(t, m, memory.Filter{}); len(got) != 1 || got[0].Item.Scope != memory.Personal(m.User()) {
			t.Errorf("%s: listed %+v", name, got)
		}
	}
}
