package mining_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/habit"
	"orihon/internal/activity"
	"orihon/internal/mining"
	"orihon/memory"
)

var monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// played is a session of lines: "> what is said", "$ a command", "! a command that
// fails | with an error", "~ file | old | new" for an edit.
func played(id string, day int, lines ...string) *mining.Session {
	b := mining.NewBuilder(id, "/p")
	for i, l := range lines {
		seq, at := int64(i+1), monday.AddDate(0, 0, day).Add(time.Duration(i)*time.Minute)
		mark, rest := l[:2], l[2:]
		if mark == "> " {
			b.Say(seq, at, rest)
			continue
		}
		parts := append(strings.Split(rest, " | "), "", "")
		tool, input := "Bash", map[string]string{"command": parts[0]}
		if mark == "~ " {
			tool, input = "Edit", map[string]string{"file_path": "/p/" + parts[0], "old_string": parts[1], "new_string": parts[2]}
		}
		raw, _ := json.Marshal(input)
		a := activity.New(tool, raw, nil)
		a.Seq, a.At, a.Done = seq, at, true
		if mark == "! " {
			a.Failed, a.Output = true, parts[1]
		}
		b.Do(&a)
	}
	return b.Session()
}

func sessions() []*mining.Session {
	var out []*mining.Session
	for d := range 4 {
		s := []string{
			fmt.Sprintf("> the report of day %d needs a total", d),
			fmt.Sprintf("~ report%d.go | return nil | return fmt.Errorf(\"failed to sum day %d: %%w\", err)", d, d),
			[]string{"> drop the failed to, wrapped three times it reads failed to failed to", "> hm it says failed to again. an error knows that it failed", "> again failed to. just name the operation", "> the failed to once more, take it off"}[d],
			fmt.Sprintf("~ report%d.go | fmt.Errorf(\"failed to sum day %d: %%w\", err) | fmt.Errorf(\"sum day %d: %%w\", err)", d, d, d),
			"> run the tests",
			"! go test ./report | dial tcp 127.0.0.1:5433: connect: connection refused",
			"$ make db-up",
			"$ go test ./report",
			"> thanks, commit it",
			fmt.Sprintf("$ git commit -m 'report of day %d'", d),
		}
		out = append(out, played(fmt.Sprint("s", d), d, s...))
	}
	return out
}

func TestHabitsAreFoundAndSaid(t *testing.T) {
	found, err := mining.Mine(t.Context(), sessions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var correction, fix *mining.Found
	for i := range found {
		switch f := &found[i]; {
		case f.Kind == habit.Correction && f.Evidence[0].Turn == 3:
			correction = f
		case f.Kind == habit.Fix && f.Evidence[0].Text == "make db-up":
			fix = f
		}
	}
	if correction == nil || len(correction.Evidence) != 4 || !strings.Contains(correction.Action, "failed") || !strings.Contains(correction.Trigger, ".go") {
		t.Errorf("correction: %+v", correction)
	}
	if fix == nil || len(fix.Evidence) != 4 || !strings.Contains(fix.Action, "`make db-up`") || !strings.Contains(fix.Trigger, "`go test") || !strings.Contains(fix.Trigger, "refused") {
		t.Errorf("fix: %+v", fix)
	}
}

func TestWhatIsFoundDependsOnTheSessionsAlone(t *testing.T) {
	first, err := mining.Mine(t.Context(), sessions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := mining.Mine(t.Context(), sessions(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprintf("%+v", first), fmt.Sprintf("%+v", again); a != b {
			t.Fatalf("%s\n\n%s", a, b)
		}
	}
}

func TestARuleThatWasToldIsNoHabit(t *testing.T) {
	all := sessions()
	all[1].Turns[1].Told = true
	found, err := mining.Mine(t.Context(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Kind == habit.Correction && f.Evidence[0].Turn == 3 {
			t.Errorf("a rule that memory keeps became a habit: %+v", f)
		}
	}
}

func TestNothingIsFoundInNothing(t *testing.T) {
	for name, s := range map[string][]*mining.Session{
		"no sessions": nil, "an empty one": {{ID: "a"}}, "said once": {played("a", 0, "> hello")},
		"done once": {played("a", 0, "$ ls", "! make | no", "$ make")}, "twice the same words": {played("a", 0, "> ok"), played("b", 1, "> ok")},
	} {
		if found, err := mining.Mine(t.Context(), s, nil); err != nil || len(found) != 0 {
			t.Errorf("%s: %v %v", name, found, err)
		}
	}
}

func TestInstinctsAreBroughtInLine(t *testing.T) {
	found, err := mining.Mine(t.Context(), sessions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	now := monday.AddDate(0, 1, 0)
	first := mining.Reconcile(found, &mining.Kept{}, now)
	if len(first.Put) != len(found) || len(first.Drop) != 0 {
		t.Fatalf("%d of %d written, %v dropped", len(first.Put), len(found), first.Drop)
	}
	if again := mining.Reconcile(found, &mining.Kept{Known: first.Put}, now); len(again.Put)+len(again.Drop) != 0 {
		t.Errorf("the same once more changed %+v", again)
	}
	if after := mining.Reconcile(found, &mining.Kept{Forgotten: first.Put}, now); len(after.Put) != 0 {
		t.Errorf("what was forgotten came back: %+v", after.Put)
	}
	// A person's own confidence moves by what is new, and words stay theirs.
	edited := first.Put[0]
	n := len(edited.Evidence)
	edited.Evidence, edited.Confidence, edited.Action = edited.Evidence[:n-1], 0.2, "Mine."
	change := mining.Reconcile(found, &mining.Kept{Known: []habit.Instinct{edited}}, now)
	for _, in := range change.Put {
		if in.ID == edited.ID && (in.Confidence <= 0.2 || in.Confidence > 0.45 || in.Action != "Mine." || len(in.Evidence) != n) {
			t.Errorf("%+v", in)
		}
	}
	guess := habit.Instinct{ID: "guess", Trigger: "when x", Action: "y", Domain: "git", Source: habit.Observed, Confidence: 0.4, Evidence: []habit.Evidence{{Session: "z", Turn: 1}}}
	mine := guess
	mine.ID, mine.Source = "mine", habit.Imported
	if change := mining.Reconcile(nil, &mining.Kept{Known: []habit.Instinct{guess, mine}}, now); len(change.Drop) != 1 || change.Drop[0] != "guess" {
		t.Errorf("dropped %v, want the guess alone", change.Drop)
	}
}

// An earlier look saw less: what it took for the habit's places is looked at again.
func TestWhatIsFoundTakesThePlaceOfWhatWasFoundBefore(t *testing.T) {
	found, err := mining.Mine(t.Context(), sessions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	now := monday.AddDate(0, 1, 0)
	looked := map[string]bool{"s0": true, "s1": true, "s2": true, "s3": true}
	at := slices.IndexFunc(found, func(f mining.Found) bool { return f.Kind == habit.Fix && f.Confidence() > 0.5 })
	if at < 0 {
		t.Fatal("no fix was found")
	}
	found = found[at : at+1]
	known := mining.Reconcile(found, &mining.Kept{}, now).Put
	stale := mining.Reconcile(found, &mining.Kept{}, now).Put
	stale[0].Seen(habit.Evidence{At: now, Session: "s3", Turn: 99}, habit.Evidence{At: now, Session: "gone", Turn: 1})
	stale[0].Confidence = min(1, stale[0].Confidence+0.2)
	again := mining.Reconcile(found, &mining.Kept{Known: stale, Looked: looked}, now)
	if len(again.Put) != 1 || len(again.Put[0].Evidence) != len(known[0].Evidence)+1 || again.Put[0].Last().Before(now) {
		t.Errorf("want the places that were found and the one of the session that is gone, got %+v", again.Put)
	}
	for name, x := range map[string]struct {
		known []habit.Instinct
		drop  int
	}{"all looked at": {known, 1}, "one session is gone": {stale, 0}} {
		if change := mining.Reconcile(nil, &mining.Kept{Known: x.known, Looked: looked}, now); len(change.Drop) != x.drop {
			t.Errorf("%s: dropped %v", name, change.Drop)
		}
	}
}

// What once seemed to be taken back is looked at anew like anything else.
func TestWhatWasSuggestedIsNotTakenForAPersonsChoice(t *testing.T) {
	f := mining.Found{Kind: habit.Sequence, Trigger: "after x", Action: "y", Domain: "git", P: 0.9}
	for i := range 3 {
		f.Evidence = append(f.Evidence, habit.Evidence{At: monday.AddDate(0, 0, i), Session: fmt.Sprint("s", i), Turn: 1, Text: "x"})
	}
	back := f
	back.Against = []habit.Evidence{{At: monday.AddDate(0, 0, 3), Session: "s3", Turn: 9, Text: "no more of that"}}
	looked := map[string]bool{"s0": true, "s1": true, "s2": true, "s3": true}
	known := mining.Reconcile([]mining.Found{back}, &mining.Kept{}, monday).Put
	if len(known) != 1 || known[0].Confidence >= 0.5 {
		t.Fatalf("%+v", known)
	}
	k := &mining.Kept{Known: known, Looked: looked}
	again := mining.Reconcile([]mining.Found{f}, k, monday).Put
	if len(again) != 1 || len(again[0].Against) != 0 || again[0].Confidence != f.Confidence() {
		t.Errorf("want the confidence %.2f of what is found now, got %+v", f.Confidence(), again)
	}
}

func TestHabitsAreToldApartByProject(t *testing.T) {
	f := func(kind habit.Kind, in ...string) mining.Found {
		out := mining.Found{Kind: kind}
		for _, s := range in {
			out.Evidence = append(out.Evidence, habit.Evidence{Session: s})
		}
		return out
	}
	projects := map[string]string{"a1": "a", "a2": "a", "b1": "b", "b2": "b", "c1": "c"}
	own, everywhere := mining.Split([]mining.Found{f(habit.Fix, "a1", "a2"), f(habit.Correction, "b1", "b2"), f(habit.Sequence, "a1", "b1"), f(habit.Sequence, "b1", "c1")}, projects, "a")
	if len(own) != 1 || own[0].Kind != habit.Fix || len(everywhere) != 2 {
		t.Errorf("own %v, everywhere %v", own, everywhere)
	}
}

func TestObservationsSayWhatCameOfACall(t *testing.T) {
	s := played("s", 0, "> sum it", "~ a.go | x | return fmt.Errorf(\"failed to sum: %w\", err)", "! go test ./... | FAIL", "$ ls", "> no no, not failed to again, take that off", "~ a.go | failed to sum | sum")
	var got []mining.Outcome
	for _, o := range mining.Observations(s) {
		got = append(got, o.Outcome)
	}
	if diff := cmp.Diff([]mining.Outcome{mining.Corrected, mining.Failure, mining.Success, mining.Success}, got); diff != "" {
		t.Error(diff)
	}
}

// What says no more than the step before it, or only that files of some sort were changed
// later, is no habit.
func TestStepsWithoutACommonPurposeAreNoHabit(t *testing.T) {
	var all []*mining.Session
	for d := range 4 {
		all = append(all, played(fmt.Sprint("s", d), d,
			fmt.Sprintf("> start it and then fix the filter of page %d", d),
			"$ docker compose up -d",
			fmt.Sprintf("~ src/page%d/filter.ts | old%d | new%d", d, d, d),
			"> does it hold", fmt.Sprintf("$ pnpm vitest run src/page%d", d), fmt.Sprintf("$ pnpm vitest src/page%d -u", d),
			"> the schema has a column more", fmt.Sprintf("~ schema/item%d.proto | string a%d = 1; | string b%d = 1;", d, d, d), "$ make proto",
		))
	}
	for d, day := range ordinary {
		all = append(all, played(fmt.Sprint("o", d), 9+d, day...))
	}
	found, err := mining.Mine(t.Context(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	useful := false
	for i := range found {
		f := &found[i]
		if !f.Suggested() || f.Kind != habit.Sequence {
			continue
		}
		useful = useful || strings.Contains(f.Action, "`make proto`")
		if strings.Contains(f.Action, "change `*.") || strings.Contains(f.Trigger, "vitest run") && strings.Contains(f.Action, "`pnpm vitest") {
			t.Errorf("%.2f %s: %s", f.Confidence(), f.Trigger, f.Action)
		}
	}
	if !useful {
		t.Error("a change to the schema is not followed by make proto")
	}
}

// Each came behind a change, and all were done by a change that looks alike: no more.
func TestMessagesWithNothingInCommonAreNoHabit(t *testing.T) {
	var all []*mining.Session
	for d, said := range [][]string{
		{"Please sketch the leaflet for the seed fair.", "Please add the opening hours too, but leave out the phone number, nobody answers it."},
		{"The greenhouse page needs a map.", "A late delivery costs five per cent per day, up to a week, after which nothing gets paid. Could you write that into the terms?"},
		{"Rename the tray counter.", "I prefer short words to long ones, by the way, since children read these signs. Write one for the pond too."},
		{"Draft the invitation.", "No, visitors never feed the bees. Add a line about the gate instead."},
		{"Tidy up the labels.", "Please add a total with two decimals; it has no currency and does not end with a full stop, so keep to that."},
		{"Count the trays.", "A broken tray costs two euros, paid at the desk, and after closing nothing is taken back. Could you write that on the card?"},
		{"Print the signs.", "I prefer large letters to small ones, by the way, since old people read these cards. Write one for the shed too."},
		{"Sort the beds.", "Could you put the rota for May there? Nadia does not work on Mondays, so leave her out."},
	} {
		var lines []string
		for i, text := range said {
			lines = append(lines, "> "+text, fmt.Sprintf("~ %s%d.md | a | b", string(rune('p'+d)), i))
		}
		all = append(all, played(fmt.Sprint("s", d), d, lines...))
	}
	found, err := mining.Mine(t.Context(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		if f := &found[i]; f.Confidence() >= memory.InjectConfidence {
			t.Errorf("%.2f %s: %s", f.Confidence(), f.Trigger, f.Action)
		}
	}
}

// What is said in the same words each time is a rule, and no step behind another; it does
// not take itself back.
func TestWhatIsRunInsteadIsACorrection(t *testing.T) {
	for _, said := range []string{"use pnpm, not npm", "用 pnpm，不要用 npm", "用 pnpm，别用 npm"} {
		var all []*mining.Session
		for d := range 3 {
			all = append(all, played(fmt.Sprint("s", d), d, "> install what is missing", "$ npm install", "> "+said, "$ pnpm install"))
		}
		for d, day := range ordinary {
			all = append(all, played(fmt.Sprint("o", d), 9+d, day...))
		}
		found, err := mining.Mine(t.Context(), all, nil)
		if err != nil {
			t.Fatal(err)
		}
		rule := false
		for i := range found {
			switch f := &found[i]; {
			case !f.Suggested():
			case f.Kind == habit.Sequence:
				t.Errorf("%s: %s: %s", said, f.Trigger, f.Action)
			case f.Kind == habit.Correction:
				rule = strings.Contains(f.Action, said) && f.Confidence() >= 0.5
			}
		}
		if !rule {
			t.Errorf("%s: no rule", said)
		}
	}
}
