package orihon_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"orihon"
	"orihon/internal/jsonl"
	"orihon/memory"
)

// unfollowed writes a statement that no index has, as a process leaves it that
// is killed behind the write or that found another one syncing.
func unfollowed(t *testing.T, p *place, text string) memory.Item {
	t.Helper()
	m := p.open(t)
	defer m.Close()
	// The sync before, so that what comes is all that is new.
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock, free, err := jsonl.TryLock(filepath.Join(m.Project().Index, "index.db.sync"))
	if err != nil || !free {
		t.Fatal(free, err)
	}
	defer unlock()
	return remember(t, m, text)
}

func TestAHandleThatWritesSeesWhatTheIndexDoesNotHaveYet(t *testing.T) {
	for _, text := range []string{"The staging database is on port 5433", "部署前先跑 make check 檢查"} {
		p := newPlace(t)
		m := p.open(t)
		remember(t, m, "Something else altogether")
		it := unfollowed(t, p, text)
		if !finds(t, m, text, text) {
			t.Errorf("a handle that was open does not recall %q", text)
		}
		fresh := p.open(t)
		if !finds(t, fresh, text, text) {
			t.Errorf("a new handle does not recall %q", text)
		}
		out, err := fresh.Remember(t.Context(), orihon.Statement{Text: text})
		if err != nil || out.Action != orihon.Confirmed || out.Item.ID != it.ID {
			t.Errorf("said again: %s %s, %v; want a confirmation of %s", out.Action, out.Item.ID, err, it.ID)
		}
	}
}

func TestAWriteToMarkdownWaitsForItsPlaceInTheIndex(t *testing.T) {
	p := newPlace(t)
	m := p.trusting(t)
	remember(t, m, "Something else altogether")
	unlock, free, err := jsonl.TryLock(filepath.Join(m.Project().Index, "index.db.sync"))
	if err != nil || !free {
		t.Fatal(free, err)
	}
	const text = "The release branch is called heron 蒼鷺"
	other, done := p.open(t), make(chan error)
	go func() {
		_, err := other.Remember(t.Context(), orihon.Statement{Text: text, Scope: memory.Shared})
		done <- err
	}()
	unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !finds(t, m, "what is the release branch called?", text) {
		t.Error("what was acknowledged is not recalled")
	}
	// A process that was killed behind its write leaves an atom that no index has.
	write(t, filepath.Join(m.Project().Shared, "killed.md"), "---\nid: killed\ntopic: fact\n---\nThe nightly job runs at three\n")
	out, err := m.Remember(t.Context(), orihon.Statement{Text: "The nightly job runs at three", Scope: memory.Shared})
	if err != nil || out.Action != orihon.Confirmed {
		t.Errorf("said again: %s, %v; want a confirmation", out.Action, err)
	}
}

func TestAHandleThatWritesSeesAllOfAnIndexThatIsFarBehind(t *testing.T) {
	p := newPlace(t)
	remember(t, p.open(t), "The first of many")
	m := p.open(t)
	finds(t, m, "the first", "The first")
	other := p.open(t)
	unlock, free, err := jsonl.TryLock(filepath.Join(m.Project().Index, "index.db.sync"))
	if err != nil || !free {
		t.Fatal(free, err)
	}
	remember(t, other, "Service zebra listens on port 4999")
	ledger := filepath.Join(m.Project().Personal, "semantic.jsonl")
	var lines [][]byte
	for i := range 700 {
		lines = append(lines, fmt.Appendf(nil, `{"v":1,"id":"imported-%d","kind":"semantic","topic":"fact","content":"Filler number %d of a long import","metadata":{"created_at":"2026-08-01T09:00:00Z","source":"user","confidence":0.9}}`, i, i))
	}
	if _, err := jsonl.Append(t.Context(), ledger, nil, lines...); err != nil {
		t.Fatal(err)
	}
	unlock()
	if text := "Service zebra listens on port 4999"; !finds(t, m, "which port does zebra listen on?", text) {
		t.Errorf("recall does not bring %q, which stands before 700 newer items", text)
	}
}

func TestWhatSeveralSayAtOnceIsOneItem(t *testing.T) {
	p := newPlace(t)
	const speakers, statements = 6, 8
	said := func(i int) string { return fmt.Sprintf("Service s%d is owned by team %d 由他們負責", i, 100+i) }
	var wg sync.WaitGroup
	for range speakers {
		m := p.open(t)
		wg.Go(func() {
			for i := range statements {
				if _, err := m.Remember(t.Context(), orihon.Statement{Text: said(i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var want []string
	for i := range statements {
		want = append(want, said(i))
	}
	all := list(t, p.open(t), memory.Filter{})
	if got := contents(all); !slices.Equal(got, want) {
		t.Errorf("%d items of %d statements:\n%q", len(got), statements, got)
	}
	for _, s := range all {
		if n := s.Item.Metadata.Confirmations; n != speakers-1 {
			t.Errorf("%q was confirmed %d times, want %d", s.Item.Content, n, speakers-1)
		}
	}
}

func TestAStatementFollowsAProjectThatAnotherProcessRegistered(t *testing.T) {
	p := newPlace(t)
	early := p.open(t) // knows the project by its folder only
	write(t, filepath.Join(p.dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(p.dir, ".git", "config"), "[remote \"origin\"]\n\turl = https://git.example.com/team/ship.git\n")
	late := p.open(t)
	if early.Project().ID == late.Project().ID {
		t.Fatal("both handles know the project by one name: nothing is tried")
	}
	remember(t, late, "The first statement")
	remember(t, early, "The second statement")
	want := []string{"The first statement", "The second statement"}
	if got := contents(list(t, p.open(t), memory.Filter{})); !slices.Equal(got, want) {
		t.Errorf("the project has %q, want %q", got, want)
	}
}
