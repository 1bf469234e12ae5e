package orihon_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon/follow"
	"orihon/memory"
)

func ran(t *testing.T, p *place, sessionID, id, command, output string, failed bool) follow.Injection {
	t.Helper()
	input, _ := json.Marshal(map[string]string{"command": command})
	a := follow.Action{ID: id, Tool: "Bash", Input: input, Output: output, Error: failed}
	var in follow.Injection
	p.do(t, sessionID, func(ctx context.Context, s *follow.Session) (err error) {
		if err = s.Action(ctx, a); err == nil && failed {
			in, err = s.Failed(ctx, a)
		}
		return err
	})
	return in
}

// A session with two requests, of which the first mends a test and the second leaves
// a linter failing.
func mended(t *testing.T, p *place, id string) {
	t.Helper()
	p.prompt(t, id, "p1", "Round the VAT of the wallaby invoice per line")
	ran(t, p, id, "c1", "go test ./wallaby", "--- FAIL: TestWallabyRounding (0.0s)\n    vat_test.go:9: got 10.01, want 10.00", true)
	p.later(time.Minute)
	edit(t, p, id, "e1", "wallaby/vat.go")
	ran(t, p, id, "c2", "go test ./wallaby", "ok", false)
	p.do(t, id, func(ctx context.Context, s *follow.Session) error {
		return s.Answer(ctx, "p1", "The rounding is per line now.")
	})
	p.later(time.Minute)
	p.prompt(t, id, "p2", "Now run the linter over the numbat package")
	ran(t, p, id, "c3", "golangci-lint run ./numbat", "numbat/a.go:3:1: unused (unused)", true)
	p.do(t, id, func(ctx context.Context, s *follow.Session) error {
		return s.Answer(ctx, "p2", "It finds one unused name.")
	})
	p.end(t, id)
}

func TestEachRequestOfASessionHasItsOwnEpisode(t *testing.T) {
	p := newPlace(t)
	mended(t, p, "s1")
	p.work(t)
	all := list(t, p.open(t), memory.Filter{Kinds: []memory.Kind{memory.Episodic}})
	if len(all) != 2 {
		t.Fatalf("%d episodes", len(all))
	}
	for i := range all {
		it := &all[i].Item
		vat := strings.Contains(it.Title, "VAT")
		if vat != strings.Contains(it.Content, "per line now") || vat == strings.Contains(it.Content, "one unused name") || vat == strings.Contains(it.Content, "Left failing: `golangci-lint run ./numbat`") {
			t.Errorf("%s: %s", it.Title, it.Content)
		}
	}
	ledger, err := filepath.Glob(filepath.Join(p.open(t).Project().Personal, "failures", "go-test.jsonl"))
	if err != nil || len(ledger) != 1 || !strings.Contains(read(t, ledger[0]), "TestWallabyRounding") {
		t.Fatalf("the failure does not lie in failures/: %v, %v", ledger, err)
	}
	episodic := filepath.Join(p.open(t).Project().Personal, "episodic.jsonl")
	before := read(t, episodic) + read(t, ledger[0])
	p.end(t, "s1")
	p.work(t)
	if after := read(t, episodic) + read(t, ledger[0]); after != before {
		t.Error("an end that is told twice writes episodes or failures again")
	}

	// The failure returns in another session, and what mended it is told then, not before.
	p.prompt(t, "s2", "p1", "hello there, good morning")
	if in := ran(t, p, "s2", "c1", "go test ./wallaby", "ok", false); in.Text != "" {
		t.Errorf("a test that passes is told %q", in.Text)
	}
	in := ran(t, p, "s2", "c2", "go test ./wallaby", "--- FAIL: TestWallabyRounding (0.1s)\n    vat_test.go:12: got 10.01, want 10.00", true)
	if !strings.Contains(in.Text, "editing vat.go mended it") {
		t.Errorf("the same error is told %q", in.Text)
	}
	if in := ran(t, p, "s2", "c3", "go test ./wallaby", "panic: nil map", true); strings.Contains(in.Text, "vat.go") {
		t.Errorf("another error is told %q", in.Text)
	}
}

func TestAFailureThatAPersonForgotStaysForgotten(t *testing.T) {
	p := newPlace(t)
	mended(t, p, "s1")
	p.work(t)
	m := p.open(t)
	failures := list(t, m, memory.Filter{Topics: []memory.Topic{memory.Pitfall}})
	if len(failures) != 1 {
		t.Fatalf("%d failures", len(failures))
	}
	if _, err := m.Items().Forget(context.Background(), failures[0].Item.ID, "noise"); err != nil {
		t.Fatal(err)
	}
	mended(t, p, "s2")
	p.work(t)
	if again := list(t, p.open(t), memory.Filter{Topics: []memory.Topic{memory.Pitfall}}); len(again) != 0 {
		t.Errorf("it is back: %+v", again)
	}
}

func TestAFailureSeenInAnotherSessionIsBelievedMore(t *testing.T) {
	p := newPlace(t)
	for i, want := range []float64{0.6, 0.7} {
		mended(t, p, []string{"s1", "s2"}[i])
		p.work(t)
		all := list(t, p.open(t), memory.Filter{Topics: []memory.Topic{memory.Pitfall}})
		if len(all) != 1 || all[0].Item.Metadata.Confidence < want-0.001 || all[0].Item.Metadata.Confidence > want+0.001 {
			t.Fatalf("after session %d: %+v", i+1, all)
		}
	}
}
