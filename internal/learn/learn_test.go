package learn_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/learn"
	"orihon/memory"
	"orihon/memory/memorytest"
)

var (
	start = time.Date(2026, 3, 14, 9, 26, 53, 0, time.FixedZone("", 8*3600))
	ann   = memory.Personal("ann")
)

// desk is a learner with all that surrounds it in memory.
type desk struct {
	*memorytest.Store
	t       *testing.T
	learner *learn.Learner
	now     time.Time

	// indexed is what the index finds; nil finds everything in the store.
	indexed  []memory.Passage
	findErr  error
	putErr   error
	auditErr error

	puts  []memory.Item // everything Put was given
	audit []memory.AuditRecord

	proposals []memory.Question
}

func newDesk(t *testing.T) *desk {
	d := &desk{Store: new(memorytest.Store), t: t, now: start}
	d.learner = d.with(func(*learn.Options) {})
	return d
}

// with is a learner over the desk with other options.
func (d *desk) with(change func(*learn.Options)) *learn.Learner {
	ids := 0
	o := &learn.Options{
		Store: d,
		Find:  d.find,
		Audit: func(_ context.Context, lines ...memory.AuditRecord) error {
			if d.auditErr != nil {
				return d.auditErr
			}
			d.audit = append(d.audit, lines...)
			return nil
		},
		Candidates: func(_ context.Context, p ...memory.Question) error {
			d.proposals = append(d.proposals, p...)
			return nil
		},
		Now: func() time.Time { return d.now },
		NewID: func() string {
			ids++
			return fmt.Sprintf("id%d", ids)
		},
	}
	change(o)
	return learn.New(o)
}

func (d *desk) Put(ctx context.Context, items ...memory.Item) error {
	if d.putErr != nil {
		return d.putErr
	}
	d.puts = append(d.puts, items...)
	return d.Store.Put(ctx, items...)
}

// find stands in for an index that takes everything for alike, so that it is
// the learner who tells apart.
func (d *desk) find(ctx context.Context, _ memory.Scope, _ string) ([]learn.Neighbour, error) {
	if d.findErr != nil {
		return nil, d.findErr
	}
	if d.indexed != nil {
		var out []learn.Neighbour
		for _, p := range d.indexed {
			out = append(out, learn.Neighbour{Passage: p})
		}
		return out, nil
	}
	var out []learn.Neighbour
	for st, err := range d.Scan(ctx) {
		if err != nil {
			return nil, err
		}
		out = append(out, learn.Neighbour{Passage: memory.Passage{ID: st.Item.ID, Item: st.Item, Retired: st.Retired}})
	}
	return out, nil
}

// learn says something in ann's scope, unless the statement names another.
func (d *desk) learn(s learn.Statement) learn.Outcome {
	d.t.Helper()
	if s.Scope == "" {
		s.Scope = ann
	}
	out, err := d.learner.Learn(d.t.Context(), s)
	if err != nil {
		d.t.Fatalf("learn %q: %v", s.Text, err)
	}
	return out
}

// contents is what the store holds, retired items left out.
func (d *desk) contents() (out []string) {
	d.t.Helper()
	for st, err := range d.Scan(d.t.Context()) {
		if err != nil {
			d.t.Fatal(err)
		}
		if !st.Retired {
			out = append(out, st.Item.Content)
		}
	}
	return out
}

func TestANewStatementBecomesAnItemAsItWasSaid(t *testing.T) {
	d := newDesk(t)
	out := d.learn(learn.Statement{
		Text: "  部署前先跑 make migrate\n", Title: " 部署 ", Topic: memory.Procedure, Kind: memory.Procedural,
		Tags: []string{"db", " "}, Triggers: []string{"遷移"}, Aliases: []string{"migration"},
		Session: "s1", Evidence: []string{"s1/12"},
	})
	at := start.UTC()
	want := memory.Item{
		ID: "id1", Kind: memory.Procedural, Topic: memory.Procedure, Title: "部署", Content: "部署前先跑 make migrate",
		Scope: ann, Tier: memory.Observed, Triggers: []string{"遷移"}, Aliases: []string{"migration"}, ValidFrom: at,
		Metadata: memory.Metadata{
			CreatedAt: at, UpdatedAt: at, Source: memory.FromUser, Confidence: 0.9,
			Tags: []string{"db"}, Session: "s1", Evidence: []string{"s1/12"},
		},
	}
	if diff := cmp.Diff(learn.Outcome{Action: learn.Added, Item: want, Why: "stated by user"}, out); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	stored, err := d.Get(t.Context(), "id1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestASourceDecidesHowFarAStatementIsBelieved(t *testing.T) {
	for _, tt := range []struct {
		said       learn.Statement
		confidence float64
		tier       memory.Tier
		source     memory.Source
	}{
		{learn.Statement{}, 0.9, memory.Observed, memory.FromUser},
		{learn.Statement{Source: memory.FromUser}, 0.9, memory.Observed, memory.FromUser},
		{learn.Statement{Source: memory.FromAgent}, 0.3, memory.Provisional, memory.FromAgent},
		{learn.Statement{Source: memory.FromSystem}, 0.6, memory.Provisional, memory.FromSystem},
		{learn.Statement{Source: memory.Imported}, 0.5, memory.Provisional, memory.Imported},
		{learn.Statement{Source: memory.FromAgent, Confidence: 0.6, Tier: memory.Observed}, 0.6, memory.Observed, memory.FromAgent},
	} {
		tt.said.Text, tt.said.Explicit = "Tests run with go test.", true
		it := newDesk(t).learn(tt.said).Item
		if it.Metadata.Confidence != tt.confidence || it.Tier != tt.tier || it.Metadata.Source != tt.source {
			t.Errorf("%q: %g, %s, %s; want %g, %s, %s", tt.said.Source, it.Metadata.Confidence, it.Tier, it.Metadata.Source, tt.confidence, tt.tier, tt.source)
		}
		if it.Kind != memory.Semantic || it.Topic != memory.Fact {
			t.Errorf("%q: %s about %s, want a semantic fact", tt.said.Source, it.Kind, it.Topic)
		}
	}
}

func TestOnlyASemanticStatementIsAFactOfItself(t *testing.T) {
	if it := newDesk(t).learn(learn.Statement{Text: "昨天修了登入的錯", Kind: memory.Episodic}).Item; it.Topic != "" {
		t.Errorf("an episode is about %s", it.Topic)
	}
}

func TestWhatCannotBeAnItemIsRefusedAndNotAudited(t *testing.T) {
	for name, s := range map[string]learn.Statement{
		"empty":      {Scope: ann},
		"blank":      {Text: " \n\u3000", Scope: ann},
		"no scope":   {Text: "Use tabs."},
		"bad scope":  {Text: "Use tabs.", Scope: "personal:../bob"},
		"bad kind":   {Text: "Use tabs.", Scope: ann, Kind: "rumour"},
		"too sure":   {Text: "Use tabs.", Scope: ann, Confidence: 1.5},
		"not UTF-8":  {Text: "Use \xff tabs.", Scope: ann},
		"bad source": {Text: "Use tabs.", Scope: ann, Source: "me"},
	} {
		d := newDesk(t)
		if _, err := d.learner.Learn(t.Context(), s); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
		if got := d.contents(); got != nil || d.audit != nil {
			t.Errorf("%s: stored %q, audited %+v", name, got, d.audit)
		}
	}
}

func TestEveryDecisionIsAudited(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Use pnpm, never npm.", Session: "s1"})
	d.now = start.Add(time.Hour)
	d.learn(learn.Statement{Text: "use pnpm, never npm", Session: "s2", Source: memory.FromAgent})
	d.learn(learn.Statement{Text: "修了登入", ID: "episode", Kind: memory.Episodic, Source: memory.FromSystem, Session: "s2"})
	d.learn(learn.Statement{Text: "修了登入和登出", ID: "episode", Kind: memory.Episodic, Source: memory.FromSystem, Session: "s2"})
	d.learn(learn.Statement{Text: "The token is " + githubToken() + " for now.", Title: githubToken(), Source: memory.Imported})
	first, later := start.UTC(), start.Add(time.Hour).UTC()
	want := []memory.AuditRecord{
		{Op: memory.AuditAdd, ID: "id1", By: "user", Why: "stated by user", Session: "s1", Score: 0.9, TS: first},
		{Op: memory.AuditConfirm, ID: "id1", By: "agent", Why: "said again", Session: "s2", Score: 1, TS: later},
		{Op: memory.AuditAdd, ID: "episode", By: "system", Why: "stated by system", Session: "s2", Score: 0.6, TS: later},
		{Op: memory.AuditUpdate, ID: "episode", By: "system", Why: "new version", Session: "s2", Score: 0.6, TS: later},
		{Op: memory.AuditAdd, ID: "id2", By: "imported", Why: "imported", Score: 0.5, TS: later},
		{Op: memory.AuditRedact, ID: "id2", By: "imported", Why: "secrets taken out: github-token", Score: 0.5, TS: later},
	}
	if diff := cmp.Diff(want, d.audit); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

func TestAFailedPutIsReportedAndNotAudited(t *testing.T) {
	full := errors.New("no space left on device")
	for name, s := range map[string]learn.Statement{
		"new":         {Text: "Use spaces.", Scope: ann},
		"known":       {Text: "Use tabs.", Scope: ann},
		"new version": {Text: "Use both.", Scope: ann, ID: "id1"},
	} {
		d := newDesk(t)
		d.learn(learn.Statement{Text: "Use tabs."})
		d.putErr = full
		if _, err := d.learner.Learn(t.Context(), s); !errors.Is(err, full) {
			t.Errorf("%s: %v, want what the store said", name, err)
		}
		if len(d.audit) != 1 {
			t.Errorf("%s: audited %+v", name, d.audit[1:])
		}
	}
}

func TestAFailedAuditIsReported(t *testing.T) {
	d := newDesk(t)
	d.auditErr = errors.New("audit.jsonl: read-only file system")
	out, err := d.learner.Learn(t.Context(), learn.Statement{Text: "Use tabs.", Scope: ann})
	if !errors.Is(err, d.auditErr) || out.Item.ID != "id1" {
		t.Errorf("%+v, %v; want the item and the failure", out, err)
	}
}

func TestAnEndedContextWritesNothing(t *testing.T) {
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.learner.Learn(ctx, learn.Statement{Text: "Use tabs.", Scope: ann}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	if got := d.contents(); got != nil || d.audit != nil {
		t.Errorf("stored %q, audited %+v", got, d.audit)
	}
}

func TestANewVersionKeepsWhenTheItemBegan(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "登入的錯還沒修好", ID: "episode", Kind: memory.Episodic, Session: "s1"})
	d.now = start.Add(48 * time.Hour)
	out := d.learn(learn.Statement{Text: "登入的錯修好了", ID: "episode", Kind: memory.Episodic, Session: "s1"})
	it := out.Item
	if out.Action != learn.Updated || it.ID != "episode" || it.Content != "登入的錯修好了" {
		t.Errorf("%s %s %q", out.Action, it.ID, it.Content)
	}
	if !it.Metadata.CreatedAt.Equal(start) || !it.ValidFrom.Equal(start) || !it.Metadata.UpdatedAt.Equal(d.now) {
		t.Errorf("created %v, valid from %v, updated %v", it.Metadata.CreatedAt, it.ValidFrom, it.Metadata.UpdatedAt)
	}
	if diff := cmp.Diff([]string{"登入的錯修好了"}, d.contents()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestANewVersionKeepsItsConfirmations(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Use tabs.", ID: "style", Session: "s1"})
	d.learn(learn.Statement{Text: "use tabs", Session: "s2"})
	out := d.learn(learn.Statement{Text: "Use tabs in Go.", ID: "style", Session: "s3"})
	if out.Action != learn.Updated || out.Item.Metadata.Confirmations != 1 {
		t.Errorf("%s with %d confirmations, want an update with 1", out.Action, out.Item.Metadata.Confirmations)
	}
}

func TestTheCallersOwnItemIsNeverADuplicate(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Fixed the login."})
	out := d.learn(learn.Statement{Text: "Fixed the login.", ID: "episode", Kind: memory.Episodic})
	if out.Action != learn.Added || out.Item.ID != "episode" {
		t.Errorf("%s %s, want a new item", out.Action, out.Item.ID)
	}
	out = d.learn(learn.Statement{Text: "Fixed the login.", ID: "episode", Kind: memory.Episodic})
	if out.Action != learn.Updated || out.Item.Metadata.Confirmations != 0 {
		t.Errorf("%s with %d confirmations, want an update with none", out.Action, out.Item.Metadata.Confirmations)
	}
}

func TestAnUnreadableStoreDoesNotLookLikeANewItem(t *testing.T) {
	d := newDesk(t)
	broken := errors.New("input/output error")
	l := learn.New(&learn.Options{
		Store: unreadable{d, broken}, Find: d.find, Now: func() time.Time { return start }, NewID: func() string { return "new" },
		Audit: func(context.Context, ...memory.AuditRecord) error { return nil },
	})
	if _, err := l.Learn(t.Context(), learn.Statement{Text: "Use tabs.", Scope: ann, ID: "mine"}); !errors.Is(err, broken) {
		t.Errorf("%v, want what the store said", err)
	}
	if len(d.puts) > 0 {
		t.Errorf("written %+v", d.puts)
	}
}

type unreadable struct {
	*desk
	err error
}

func (u unreadable) Get(context.Context, string) (memory.Item, error) { return memory.Item{}, u.err }

// written is every text that reached the store or the audit.
func (d *desk) written() string {
	var b strings.Builder
	for _, it := range d.puts {
		fmt.Fprintf(&b, "%+v\n", it)
	}
	for _, line := range d.audit {
		fmt.Fprintf(&b, "%+v\n", line)
	}
	return b.String()
}

// githubToken has the shape of a token; it is put together at run time so that
// no scanner of repositories takes it for a real one.
func githubToken() string {
	return "gh" + "p_" + strings.Join(slices.Repeat([]string{"aB3dE6gH9"}, 4), "")
}
