package learn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/learn"
	"orihon/memory"
)

func TestWhatTheUserSaysLaterReplacesWhatWasSaidBefore(t *testing.T) {
	for _, tt := range []struct{ first, second string }{
		{"timeout 30s", "timeout 60s"},
		{"Use tabs", "Never use tabs"},
		{"use pnpm", "use npm"},
		{"逾時 30 秒", "逾时 60 秒"},
		{"用 tabs", "以後都不要用 tabs"},
		{"默认分支是 main", "默认分支改为 develop"},
	} {
		d := newDesk(t)
		d.learn(learn.Statement{Text: tt.first})
		d.now = start.Add(time.Hour)
		out := d.learn(learn.Statement{Text: tt.second})
		if out.Action != learn.Superseded || out.Item.Relations.Supersedes != "id1" || out.Replaced == nil || out.Replaced.ID != "id1" {
			t.Errorf("%q, then %q: %s, supersedes %q (%s)", tt.first, tt.second, out.Action, out.Item.Relations.Supersedes, out.Why)
			continue
		}
		old, err := d.Get(t.Context(), "id1")
		if err != nil || !old.ValidTo.Equal(d.now) || old.Content != tt.first || old.Metadata.Confidence != 0.9 {
			t.Errorf("%q: %+v, %v; want it as it was, ended now", tt.first, old, err)
		}
		if !slices.ContainsFunc(d.audit, func(l memory.AuditRecord) bool {
			return l.Op == memory.AuditConflict && l.ID == "id1" && l.Other == out.Item.ID
		}) {
			t.Errorf("%q: audited %+v", tt.second, d.audit)
		}
	}
}

// "Again" makes no other statement of it: what holds now is replaced, not what held before.
func TestALaterWordReplacesWhatHoldsNow(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Wanda owns the print queue"})
	d.learn(learn.Statement{Text: "Piotr owns the print queue again"})
	if out := d.learn(learn.Statement{Text: "Ines owns the print queue"}); out.Replaced == nil || out.Replaced.ID != "id2" {
		t.Errorf("%s, replaced %+v", out.Action, out.Replaced)
	}
}

// What a new statement replaces does not hide another of the same subject.
func TestWhatIsReplacedLeavesADoubtAboutAnother(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "The report is sent at 7"})
	d.learn(learn.Statement{Text: "The report for the board is sent at 9 on Fridays"})
	out := d.learn(learn.Statement{Text: "The report is sent at 8"})
	if out.Replaced == nil || out.Replaced.ID != "id1" || len(out.Conflicts) != 1 || out.Conflicts[0].ID != "id2" {
		t.Errorf("%s, replaced %+v, beside %v", out.Action, out.Replaced, out.Conflicts)
	}
}

func TestAChainOfSuccessorsHasOneCurrentItem(t *testing.T) {
	d := newDesk(t)
	for i, v := range []string{"10", "20", "30", "40"} {
		d.now = start.Add(time.Duration(i) * time.Hour)
		d.learn(learn.Statement{Text: "The cache holds " + v + " entries"})
	}
	var current []string
	for st := range d.items() {
		if st.ValidTo.IsZero() {
			current = append(current, st.Content)
		}
		if i := strings.TrimPrefix(st.ID, "id"); i != "1" && st.Relations.Supersedes == "" {
			t.Errorf("%s supersedes nothing", st.ID)
		}
	}
	if diff := cmp.Diff([]string{"The cache holds 40 entries"}, current); diff != "" {
		t.Errorf("current (-want +got):\n%s", diff)
	}
}

// items yields what the store holds.
func (d *desk) items() func(func(memory.Item) bool) {
	return func(yield func(memory.Item) bool) {
		for st, err := range d.Scan(d.t.Context()) {
			if err != nil {
				d.t.Fatal(err)
			}
			if !yield(st.Item) {
				return
			}
		}
	}
}

func TestFurtherContradictedItemsLoseConfidenceOnTheRecord(t *testing.T) {
	d := newDesk(t)
	item := func(id, text string) memory.Item {
		return memory.Item{
			ID: id, Kind: memory.Semantic, Topic: memory.Fact, Content: text, Scope: memory.Personal("ann"), Tier: memory.Observed, ValidFrom: start,
			Metadata: memory.Metadata{CreatedAt: start, UpdatedAt: start, Source: memory.FromUser, Confidence: 0.9},
		}
	}
	// Two files merged by hand may hold both.
	if err := d.Put(t.Context(), item("a", "The cache holds 10 entries"), item("b", "The cache holds 20 entries")); err != nil {
		t.Fatal(err)
	}
	d.now = start.Add(time.Hour)
	out := d.learn(learn.Statement{Text: "The cache holds 30 entries", Session: "s1"})
	if out.Action != learn.Superseded || len(out.Conflicts) != 1 {
		t.Fatalf("%s with %d conflicts, want supersede with one", out.Action, len(out.Conflicts))
	}
	other, err := d.Get(t.Context(), out.Conflicts[0].ID)
	if err != nil || !near(other.Metadata.Confidence, 0.7) || !other.ValidTo.IsZero() || !other.Metadata.UpdatedAt.Equal(d.now) {
		t.Errorf("%+v, %v; want it to stand, believed 0.7, changed at %v", other, err, d.now)
	}
	if !slices.ContainsFunc(d.audit, func(l memory.AuditRecord) bool {
		return l.Op == memory.AuditConflict && l.ID == other.ID && l.Other == out.Item.ID && near(l.Score, 0.7) && l.Session == "s1" && strings.HasPrefix(l.Why, "contradicted: ")
	}) {
		t.Errorf("audited %+v, want a line about %s", d.audit, other.ID)
	}
}

func TestWhatIsChangedBackAndForthFreezesAndAsks(t *testing.T) {
	d := newDesk(t)
	var out learn.Outcome
	for i := range 5 {
		d.now = start.Add(time.Duration(i) * time.Hour)
		out = d.learn(learn.Statement{Text: []string{"Use tabs", "Use spaces"}[i%2]})
		if i < 4 && i > 0 && out.Action != learn.Superseded {
			t.Fatalf("change %d: %s", i, out.Action)
		}
	}
	if out.Action != learn.Asked || len(out.Conflicts) != 1 {
		t.Fatalf("the third return: %s, %+v", out.Action, out.Conflicts)
	}
	current, err := d.Get(t.Context(), out.Conflicts[0].ID)
	if err != nil || current.Content != "Use spaces" || !slices.Contains(current.Metadata.Tags, learn.FrozenTag) || !current.ValidTo.IsZero() {
		t.Errorf("%+v, %v; want the current one, frozen", current, err)
	}
	if !slices.ContainsFunc(d.audit, func(l memory.AuditRecord) bool {
		return l.Op == memory.AuditConflict && l.ID == current.ID && l.Other == out.Item.ID
	}) {
		t.Errorf("audited %+v, want a line about the tag", d.audit)
	}
	if n := len(d.proposals); n == 0 || d.proposals[n-1].Kind != "frozen" {
		t.Errorf("proposed %+v", d.proposals)
	}
	if out = d.learn(learn.Statement{Text: "Never use spaces"}); out.Action != learn.Asked {
		t.Errorf("a frozen item: %s, want ask", out.Action)
	}
}

func TestNobodyElseOverwritesWhatIsKnown(t *testing.T) {
	for _, source := range []memory.Source{memory.FromAgent, memory.FromSystem, memory.Imported} {
		d := newDesk(t)
		d.learn(learn.Statement{Text: "Use tabs for indentation in every file"})
		out := d.learn(learn.Statement{Text: "Use spaces for indentation in every file", Source: source, Explicit: source != memory.Imported})
		if out.Action != learn.Pending || len(out.Conflicts) != 1 || out.Conflicts[0].ID != "id1" || out.Conflicts[0].Relation != learn.Contradicts {
			t.Errorf("%s: %s %+v", source, out.Action, out.Conflicts)
		}
		if diff := cmp.Diff([]string{"Use tabs for indentation in every file"}, d.contents()); diff != "" {
			t.Errorf("%s stored (-want +got):\n%s", source, diff)
		}
		if it, _ := d.Get(t.Context(), "id1"); it.Metadata.Confidence != 0.9 || !it.ValidTo.IsZero() {
			t.Errorf("%s touched what the user stated: %+v", source, it)
		}
		if len(d.proposals) != 1 || d.proposals[0].Kind != "conflict" || d.proposals[0].Other != "id1" {
			t.Errorf("%s proposed %+v", source, d.proposals)
		}
	}
}

func TestOfTwoThatNobodyStatedTheWeakerLosesConfidence(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "The port is 5432", Source: memory.FromAgent, Explicit: true})
	d.learn(learn.Statement{Text: "The port is 5433", Source: memory.FromSystem, Explicit: true})
	if it, _ := d.Get(t.Context(), "id1"); !near(it.Metadata.Confidence, 0.1) {
		t.Errorf("the older one is believed %g, want 0.1", it.Metadata.Confidence)
	}
	out := d.learn(learn.Statement{Text: "The port is 5434", Source: memory.Imported})
	if !near(out.Item.Metadata.Confidence, 0.5) {
		t.Errorf("the stronger newer one is believed %g, want 0.5", out.Item.Metadata.Confidence)
	}
}

func TestWhatAPersonSaysThemselvesIsTheirs(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Never log customer emails.", Source: memory.Imported})
	if out := d.learn(learn.Statement{Text: "Never log customer emails.", Source: memory.Imported, Session: "s2"}); out.Item.Metadata.Source != memory.Imported {
		t.Errorf("imported again, it is %s", out.Item.Metadata.Source)
	}
	if out := d.learn(learn.Statement{Text: "never log customer emails."}); out.Action != learn.Confirmed || out.Item.Metadata.Source != memory.FromUser {
		t.Errorf("said by the user: %s, %s", out.Action, out.Item.Metadata.Source)
	}
	if it, err := d.Get(t.Context(), "id1"); err != nil || it.Metadata.Source != memory.FromUser {
		t.Errorf("stored as %s, %v", it.Metadata.Source, err)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func TestWhatExtendsTheUsersWordsStandsBesideThem(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Logs go to stdout"})
	out := d.learn(learn.Statement{Text: "Logs go to stdout as JSON"})
	if out.Action != learn.Added || !slices.Equal(out.Item.Relations.RelatedTo, []string{"id1"}) {
		t.Errorf("%s, related to %v", out.Action, out.Item.Relations.RelatedTo)
	}
	agent := d.learn(learn.Statement{Text: "Logs go to stdout as JSON, rotated by the platform", Source: memory.FromAgent, Explicit: true})
	if agent.Action != learn.Pending || len(d.contents()) != 2 {
		t.Errorf("an agent's extension: %s, stored %q", agent.Action, d.contents())
	}
}

func TestNearlyTheSameIsMergedIntoTheBetterWording(t *testing.T) {
	d := newDesk(t)
	first := d.learn(learn.Statement{Text: "Run the database migrations before each deployment of the web service", Tags: []string{"db"}, Session: "s1"})
	out := d.learn(learn.Statement{Text: "Before each deployment of the web service, run the database migrations", Tags: []string{"web"}, Session: "s2"})
	if out.Action != learn.Merged && out.Action != learn.Confirmed || out.Item.ID != first.Item.ID {
		t.Fatalf("%s %s (%s)", out.Action, out.Item.ID, out.Why)
	}
	if !slices.Equal(out.Item.Metadata.Tags, []string{"db", "web"}) || out.Item.Metadata.Confirmations != 1 {
		t.Errorf("%+v", out.Item.Metadata)
	}
}

func TestARepetitionInTheSameSessionIsNoConfirmation(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Use tabs.", Session: "s1", Evidence: []string{"s1/4"}})
	for _, session := range []string{"s1", "s2", "s2", "s2", "s1"} {
		d.learn(learn.Statement{Text: "use tabs", Session: session, Evidence: []string{session + "/9"}})
	}
	it, _ := d.Get(t.Context(), "id1")
	if it.Metadata.Confirmations != 1 {
		t.Errorf("%d confirmations by two sessions, want 1; evidence %q", it.Metadata.Confirmations, it.Metadata.Evidence)
	}
}

func TestConfirmationsPromoteOnceAndSettleNeverByThemselves(t *testing.T) {
	d := newDesk(t)
	say := func(i int) learn.Outcome {
		return d.learn(learn.Statement{Text: "The build needs Java 21 on the PATH", Source: memory.FromAgent, Explicit: true, Session: fmt.Sprintf("s%d", i)})
	}
	for i := range 60 {
		out := say(i)
		want := memory.Provisional
		if i >= 20 {
			want = memory.Observed
		}
		if out.Item.Tier != want {
			t.Fatalf("after %d confirmations: %s, want %s", i, out.Item.Tier, want)
		}
		next := memory.Tier("")
		if i >= 3 {
			next = memory.Observed
		}
		if i >= 20 {
			next = memory.Settled
		}
		if out.Promote != next {
			t.Errorf("after %d confirmations %q is proposed, want %q", i, out.Promote, next)
		}
		if n := len(out.Item.Metadata.Evidence); n > 40 {
			t.Fatalf("%d references kept", n)
		}
	}
	promoted := 0
	for _, line := range d.audit {
		if line.Op == memory.AuditPromote {
			promoted++
		}
	}
	if promoted != 1 {
		t.Errorf("%d promotions audited, want 1", promoted)
	}
	var kinds []memory.Tier
	for _, p := range d.proposals {
		kinds = append(kinds, p.Item.Tier)
	}
	if diff := cmp.Diff([]memory.Tier{memory.Observed, memory.Settled}, kinds); diff != "" {
		t.Errorf("proposed tiers (-want +got):\n%s", diff)
	}
}

func TestWhatIsUntrustedIsBelievedFurtherOnlyWhenAPersonConfirms(t *testing.T) {
	for name, s := range map[string]learn.Statement{
		"import":   {Source: memory.Imported, Confidence: 0.9},
		"web page": {Source: memory.FromAgent, Untrusted: true, Explicit: true, Confidence: 0.9},
	} {
		d := newDesk(t)
		s.Text = "The vendor API allows 100 requests per minute"
		if got := d.learn(s).Item.Metadata.Confidence; got != 0.5 {
			t.Errorf("%s: believed %g, want 0.5", name, got)
		}
		for i := range 5 {
			out := d.learn(learn.Statement{Text: s.Text, Source: memory.FromAgent, Session: fmt.Sprint("s", i)})
			if out.Action != learn.Confirmed || out.Item.Metadata.Confidence > 0.5 {
				t.Errorf("%s: %s, believed %g without a person", name, out.Action, out.Item.Metadata.Confidence)
			}
		}
		if got := d.learn(learn.Statement{Text: s.Text, Session: "mine"}).Item.Metadata.Confidence; !near(got, 0.7) {
			t.Errorf("%s: believed %g after the user confirmed, want 0.7", name, got)
		}
		if got := d.learn(learn.Statement{Text: s.Text, Source: memory.FromAgent, Session: "later"}).Item.Metadata.Confidence; !near(got, 0.8) {
			t.Errorf("%s: believed %g after that, want 0.8", name, got)
		}
	}
}

func TestTheGateAsksSkipsAndTellsWhy(t *testing.T) {
	d := newDesk(t)
	asked := d.learn(learn.Statement{Text: "The webhook handler behind the proxy", Source: memory.FromAgent})
	if asked.Action != learn.Asked || !strings.HasPrefix(asked.Why, "gate 0.40: ") {
		t.Errorf("%s: %s", asked.Action, asked.Why)
	}
	skipped := d.learn(learn.Statement{Text: "looks good", Source: memory.FromAgent})
	if skipped.Action != learn.Skipped {
		t.Errorf("%s: %s", skipped.Action, skipped.Why)
	}
	pit := d.learn(learn.Statement{Text: "坑：重連會丟訊息", Source: memory.FromAgent})
	if pit.Action != learn.Added || pit.Item.Tier != memory.Observed || pit.Item.Metadata.Confidence != 0.6 || pit.Item.Topic != memory.Pitfall {
		t.Errorf("a pitfall: %s %+v", pit.Action, pit.Item)
	}
	if got := d.contents(); !slices.Equal(got, []string{"坑：重連會丟訊息"}) {
		t.Errorf("stored %q", got)
	}
	var ops []string
	for _, line := range d.audit {
		ops = append(ops, string(line.Op))
	}
	if !slices.Equal(ops, []string{"ask", "skip", "add"}) {
		t.Errorf("audited %v", ops)
	}
	if len(d.proposals) != 1 || d.proposals[0].Kind != "keep" {
		t.Errorf("proposed %+v", d.proposals)
	}
}

func TestWhatIsKnownIsConfirmedWhateverTheGateSays(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Use tabs", Session: "s1"})
	if out := d.learn(learn.Statement{Text: "use tabs", Source: memory.FromAgent, Session: "s2"}); out.Action != learn.Confirmed {
		t.Errorf("%s (%s), want a confirmation", out.Action, out.Why)
	}
}

func TestANewVersionKeepsWhatTheStatementDoesNotSay(t *testing.T) {
	d := newDesk(t)
	it := memory.Item{
		ID: "mine", Kind: memory.Semantic, Content: "Use tabs", Scope: ann, Audience: "decision", Title: "Style", Triggers: []string{"gofmt"},
		Relations: memory.Relations{Supersedes: "before", RelatedTo: []string{"other"}}, Metadata: memory.Metadata{Confidence: 0.9, Tags: []string{"go"}},
	}
	if err := d.Store.Put(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	got := d.learn(learn.Statement{ID: "mine", Text: "Use tabs in Go"}).Item
	if diff := cmp.Diff(it.Relations, got.Relations); diff != "" || got.Audience != "decision" || got.Title != "Style" || !slices.Equal(got.Triggers, it.Triggers) || !slices.Equal(got.Metadata.Tags, it.Metadata.Tags) {
		t.Errorf("%+v", got)
	}
}

func TestAUserIsNeverDroppedSilently(t *testing.T) {
	d := newDesk(t)
	for _, text := range []string{"ok tabs", "用 tabs", "The job retries 3 times", "The job retries 3 times at night", "jobs retry three times", "Retry while n < 3", "Retry while n > 3"} {
		out := d.learn(learn.Statement{Text: text})
		switch out.Action {
		case learn.Pending, learn.Asked, learn.Skipped:
			t.Errorf("%q: %s (%s)", text, out.Action, out.Why)
		}
	}
}
