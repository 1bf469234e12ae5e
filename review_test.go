package orihon_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/items"
	"orihon/memory"
	"orihon/review"
)

// queue lists what waits: its kind and text, and the IDs in the same order.
func queue(t *testing.T, m *orihon.Memory) (lines, ids []string) {
	t.Helper()
	found, problems, err := m.Review().List(context.Background())
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	for _, w := range found {
		lines, ids = append(lines, string(w.Kind)+": "+w.Item.Content), append(ids, w.ID)
	}
	return lines, ids
}

func noticed(t *testing.T, m *orihon.Memory, text string) orihon.Outcome {
	t.Helper()
	out, err := m.Remember(context.Background(), orihon.Statement{Text: text, Source: memory.FromAgent, Session: "s9"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatTheGateIsNotSureOfWaits(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	out := noticed(t, m, "Parquet files from the billing exporter of the warehouse, every night")
	if out.Action != "ask" {
		t.Fatalf("the gate says %s (%s), this test wants a doubtful case", out.Action, out.Why)
	}
	if finds(t, m, "what does the billing exporter write?", "parquet") {
		t.Error("it is recalled before anybody decided")
	}
	lines, ids := queue(t, m)
	if !slices.Equal(lines, []string{"keep: Parquet files from the billing exporter of the warehouse, every night"}) {
		t.Fatalf("waiting: %q", lines)
	}
	if noticed(t, m, "Parquet files from the billing exporter of the warehouse, every night"); len(ids) != 1 {
		t.Error("it waits twice")
	}
	it, err := m.Review().Approve(context.Background(), ids[0], review.Approval{Text: "Parquet files from the billing exporter of the warehouse, every night to S3"})
	if err != nil {
		t.Fatal(err)
	}
	if it.Tier != memory.Observed || it.Metadata.Confidence < memory.StatedConfidence {
		t.Errorf("approved as %s at %v", it.Tier, it.Metadata.Confidence)
	}
	if !finds(t, p.open(t), "which files does the billing exporter of the warehouse write every night?", "every night to S3") {
		t.Error("what was approved is not recalled")
	}
	if lines, _ := queue(t, m); len(lines) > 0 {
		t.Errorf("still waiting: %q", lines)
	}
	if _, err := m.Review().Approve(context.Background(), ids[0], review.Approval{}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("approved twice: %v", err)
	}
}

func TestAConflictIsDecidedByAPerson(t *testing.T) {
	const said, seen = "The gateway of the billing cluster listens on port 8080 behind nginx", "The gateway of the billing cluster listens on port 9090 behind nginx"
	tests := []struct {
		name   string
		decide func(*review.Review, string) error
		want   []string // what is current afterwards
	}{
		{"the new one holds", func(r *review.Review, id string) error {
			_, err := r.Approve(context.Background(), id, review.Approval{})
			return err
		}, []string{seen}},
		{"the old one holds", func(r *review.Review, id string) error {
			_, err := r.Reject(context.Background(), id, "measured wrongly")
			return err
		}, []string{said}},
		{"both hold", func(r *review.Review, id string) error {
			_, err := r.Approve(context.Background(), id, review.Approval{Both: true})
			return err
		}, []string{said, seen}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			remember(t, m, said)
			if out := noticed(t, m, seen); out.Action != "pending" {
				t.Fatalf("the agent's word is taken as %s (%s)", out.Action, out.Why)
			}
			_, ids := queue(t, m)
			if len(ids) != 1 {
				t.Fatalf("%d things wait", len(ids))
			}
			w, err := m.Review().Find(context.Background(), ids[0])
			if err != nil || w.Other == nil || w.Other.Content != said {
				t.Fatalf("shown beside %+v, %v", w.Other, err)
			}
			if err := tt.decide(m.Review(), ids[0]); err != nil {
				t.Fatal(err)
			}
			got := contents(list(t, p.open(t), memory.Filter{AsOf: p.now()}))
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("current: %q, want %q", got, tt.want)
			}
		})
	}
}

// Ann is management, Ben is not; both have a clone of the project.
func TestSharedDecisionsWaitForManagement(t *testing.T) {
	p := newPlace(t)
	ann := p.open(t)
	if _, err := ann.Review().InitRoles(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	benHome := t.TempDir()
	ben := p.open(t, as("ben"), func(o *orihon.Options) { o.Home = benHome })
	ctx := context.Background()
	decision := orihon.Statement{Text: "Orders are stored in Postgres, never in Redis", Topic: memory.Decision, Scope: memory.Shared}
	out, err := ben.Remember(ctx, decision)
	if err != nil || out.Action != "pending" {
		t.Fatalf("Ben's decision: %s, %v", out.Action, err)
	}
	fact := orihon.Statement{Text: "The order service listens on port 7070", Scope: memory.Shared}
	if out, err := ben.Remember(ctx, fact); err != nil || out.Action != "add" {
		t.Errorf("Ben's fact: %s, %v", out.Action, err)
	}
	ann = p.open(t)
	if finds(t, ann, "where are orders stored?", "Postgres") {
		t.Error("it takes effect before management decided")
	}
	_, ids := queue(t, ben)
	if _, err := ben.Review().Approve(ctx, ids[0], review.Approval{}); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("Ben approves it himself: %v", err)
	}
	if _, err := ann.Review().Approve(ctx, ids[0], review.Approval{}); err != nil {
		t.Fatal(err)
	}
	ben = p.open(t, as("ben"), func(o *orihon.Options) { o.Home = benHome })
	if _, err := ben.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	if !finds(t, ben, "where are orders stored?", "Postgres") {
		t.Error("what management approved is not recalled")
	}
	if err := ben.Repository().Trust(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := ben.Items().Forget(ctx, ids[0], "no"); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("Ben takes a shared decision out: %v", err)
	}
	if _, err := ben.Items().Edit(ctx, ids[0], func(it *memory.Item) error { it.Content = "x y z"; return nil }); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("Ben rewrites a shared decision: %v", err)
	}
	decision.Text = "Invoices are rendered with LaTeX"
	if _, err := ben.Remember(ctx, decision); err != nil {
		t.Fatal(err)
	}
	_, ids = queue(t, ann)
	if _, err := ann.Review().Reject(ctx, ids[0], "too slow"); err != nil {
		t.Fatal(err)
	}
	rejected, _ := filepath.Glob(filepath.Join(p.dir, ".orihon", "shared", "_rejected", "*.md"))
	if len(rejected) != 1 || !strings.Contains(read(t, rejected[0]), "too slow") {
		t.Errorf("the record of the rejection: %v", rejected)
	}
}

// Two branches learn different things, one of them under the same title, and
// merge without a conflict.
func TestBranchesThatLearnMerge(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	p := newPlace(t)
	root := p.open(t).Project().Root
	gitIn(t, root, "init", "-q", "-b", "main")
	write(t, filepath.Join(root, "README"), "x\n")
	gitIn(t, root, "add", ".")
	gitIn(t, root, "commit", "-qm", "first")
	learn := func(branch string, texts ...string) {
		t.Helper()
		gitIn(t, root, "checkout", "-q", "-B", branch, "main")
		m := p.open(t)
		for _, text := range texts {
			state(t, m, orihon.Statement{Text: text, Title: "Deployment", Scope: memory.Shared})
		}
		m.Close()
		gitIn(t, root, "add", ".")
		gitIn(t, root, "commit", "-qm", branch)
	}
	learn("a", "The frontend is deployed with make ship", "The docs are deployed by hand")
	learn("b", "The worker image is built nightly on the old cluster", "部署前要先跑資料庫遷移")
	gitIn(t, root, "checkout", "-q", "main")
	gitIn(t, root, "merge", "-q", "--no-edit", "a")
	gitIn(t, root, "merge", "-q", "--no-edit", "b")
	m := p.open(t)
	if _, err := m.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(contents(list(t, m, memory.Filter{Scopes: []memory.Scope{memory.Shared}})))
	for _, want := range []string{"make ship", "by hand", "nightly", "資料庫遷移"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q was lost: %s", want, got)
		}
	}
}

// Each question stands beside the item it is weighed against, of the ledger or
// of a file, as it is now; one that is no more stands there no longer.
func TestWhatWaitsIsShownBesideWhatItIsWeighedAgainst(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	names := []string{"billing", "warehouse", "shipping", "帳單系統"}
	want := make(map[string]string)
	for i, name := range names {
		said := fmt.Sprintf("The gateway of the %s cluster listens on port 80%d0 behind nginx", name, i)
		it := remember(t, m, said)
		if out := noticed(t, m, fmt.Sprintf("The gateway of the %s cluster listens on port 90%d0 behind nginx", name, i)); out.Action != "pending" {
			t.Fatalf("%s: %s (%s)", name, out.Action, out.Why)
		}
		switch i {
		case 1:
			said = strings.ReplaceAll(said, "behind nginx", "behind Caddy")
			if _, err := m.Items().Edit(t.Context(), it.ID, func(it *memory.Item) error { it.Content = said; return nil }); err != nil {
				t.Fatal(err)
			}
		case 2:
			said = ""
			if _, err := m.Items().Forget(t.Context(), it.ID, ""); err != nil {
				t.Fatal(err)
			}
		}
		want[name] = said
	}
	found, _, err := p.open(t).Review().List(t.Context())
	if err != nil || len(found) != len(names) {
		t.Fatalf("%d things wait: %v", len(found), err)
	}
	for i, name := range names {
		got := ""
		if found[i].Other != nil {
			got = found[i].Other.Content
		}
		if !strings.Contains(found[i].Item.Content, name) || got != want[name] {
			t.Errorf("%q stands beside %q, want %q", found[i].Item.Content, got, want[name])
		}
	}
}

// An approval that ended another statement is taken back with all that it did, and its
// question; and again the other way.
func TestAnApprovalIsTakenBackWithItsQuestion(t *testing.T) {
	const said, seen = "The gateway of the billing cluster listens on port 8080 behind nginx", "The gateway of the billing cluster listens on port 9090 behind nginx"
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, said)
	noticed(t, m, seen)
	before, ids := queue(t, m)
	if len(ids) != 1 {
		t.Fatalf("waiting: %q", before)
	}
	stands := func(what string, want, waits []string) {
		t.Helper()
		got := contents(list(t, p.open(t), memory.Filter{AsOf: p.now(), Present: true}))
		if !slices.Equal(got, want) {
			t.Errorf("%s: current is %q, want %q", what, got, want)
		}
		if lines, _ := queue(t, p.open(t)); !slices.Equal(lines, waits) {
			t.Errorf("%s: waiting %q, want %q", what, lines, waits)
		}
	}
	it, err := m.Review().Approve(t.Context(), ids[0], review.Approval{})
	if err != nil {
		t.Fatal(err)
	}
	stands("approved", []string{seen}, nil)
	for range 2 {
		r, err := m.Items().Undo(t.Context(), items.Undo{Last: true})
		if err != nil || len(r.Undone) != 1 || !r.Undone[0].Waits {
			t.Fatalf("%+v, %v", r, err)
		}
		stands("taken back", []string{said}, before)
		if _, err := m.Items().Undo(t.Context(), items.Undo{ID: it.ID, Redo: true}); err != nil {
			t.Fatal(err)
		}
		stands("redone", []string{seen}, nil)
	}
}

// A rule that was noticed and approved by hand stands at the beginning of a session.
func TestWhatIsApprovedByHandApplies(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	state(t, m, orihon.Statement{Text: "Branch names in the shop beginning with the number of the ticket from the tracker", Topic: memory.Preference, Source: memory.FromAgent})
	_, ids := queue(t, m)
	if len(ids) != 1 {
		t.Fatalf("%d things wait, this test wants one", len(ids))
	}
	if _, err := m.Review().Approve(t.Context(), ids[0], review.Approval{}); err != nil {
		t.Fatal(err)
	}
	m.Close()
	m = p.open(t)
	s, err := m.Session(t.Context(), "s2", follow.Client{Name: "claude-code"})
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Begin(t.Context(), "startup")
	if err != nil || !strings.Contains(in.Text, "number of the ticket") {
		t.Errorf("the session begins with %q, %v", in.Text, err)
	}
}

// An approved correction ends what it gives another value of, and nothing that says more.
func TestAnApprovedCorrectionEndsWhatItCorrects(t *testing.T) {
	for name, tt := range map[string]struct {
		known, prompt string
		stays         bool
	}{
		"another value":          {"The label printer timeout is 45s", "no make that 60s for the label printer", false},
		"another value, Chinese": {"標籤機的逾時是 45 秒", "不對，標籤機的逾時改 60 秒", false},
		"of a part":              {"The label printer timeout is 45s, twenty times that for the customs forms in Rotterdam", "no make that 60s for the label printer", true},
	} {
		t.Run(name, func(t *testing.T) {
			p, ids := holds(t, tt.known)
			m := p.open(t)
			defer m.Close()
			noticed(t, m, tt.prompt)
			_, waiting := queue(t, m)
			if len(waiting) != 1 {
				t.Fatalf("%d things wait, this test wants one", len(waiting))
			}
			if _, err := m.Review().Approve(t.Context(), waiting[0], review.Approval{}); err != nil {
				t.Fatal(err)
			}
			old, err := m.Items().Get(t.Context(), ids[0])
			if err != nil || old.Item.ValidTo.IsZero() != tt.stays {
				t.Errorf("it held until %v, %v", old.Item.ValidTo, err)
			}
			if _, err := m.Items().Undo(t.Context(), items.Undo{Last: true}); err != nil {
				t.Fatal(err)
			}
			if held := list(t, m, memory.Filter{AsOf: p.now(), Present: true}); !slices.Equal(contents(held), []string{tt.known}) {
				t.Errorf("taken back: %q", contents(held))
			}
		})
	}
}

// What corrects something else is kept beside it and asks nothing.
func TestACorrectionOfSomethingElseEndsNothing(t *testing.T) {
	p, ids := holds(t, "The label printer uses firmware 2.11")
	m := p.open(t)
	defer m.Close()
	noticed(t, m, "no, the toner trial runs for 30 days, not 14")
	if _, waiting := queue(t, m); len(waiting) != 0 {
		t.Errorf("%d things wait", len(waiting))
	}
	if old, err := m.Items().Get(t.Context(), ids[0]); err != nil || !old.Item.ValidTo.IsZero() {
		t.Errorf("it held until %v, %v", old.Item.ValidTo, err)
	}
}

// A pair whose older side was replaced, or says the same by now, is nobody's to decide.
func TestSettledPairsLeaveTheList(t *testing.T) {
	const said, seen = "The gateway of the billing cluster listens on port 8080 behind nginx", "The gateway of the billing cluster listens on port 9090 behind nginx"
	for name, change := range map[string]func(*testing.T, *orihon.Memory, string){
		"in the same words": func(t *testing.T, m *orihon.Memory, id string) {
			if _, err := m.Items().Edit(t.Context(), id, func(it *memory.Item) error { it.Content = seen; return nil }); err != nil {
				t.Fatal(err)
			}
		},
		"replaced": func(t *testing.T, m *orihon.Memory, _ string) {
			remember(t, m, "The gateway of the billing cluster listens on port 7070 behind nginx")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			it := remember(t, m, said)
			noticed(t, m, seen)
			if lines, _ := queue(t, m); len(lines) != 1 {
				t.Fatalf("waiting: %q", lines)
			}
			change(t, m, it.ID)
			if lines, _ := queue(t, m); len(lines) > 0 || m.Review().Count(t.Context()) != 0 {
				t.Errorf("waiting: %q", lines)
			}
		})
	}
}
