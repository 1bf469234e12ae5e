package recall_test

import (
	"slices"
	"testing"

	"orihon/memory"
)

func agentTurn(p *memory.Passage) {
	turn(p)
	p.Population = memory.AgentTurns
}

func TestAQuestionAboutThePastGetsTheSessionThatTalkedOfIt(t *testing.T) {
	said := []memory.Passage{
		happened("episode", "Asked: look at the worktree. Outcome: it works again", ago(20, 0), func(p *memory.Passage) { episode(p); p.Item.Metadata.Session = "gc" }),
		happened("other", "Asked: add the carrier API. Outcome: done", ago(3, 0), func(p *memory.Passage) { episode(p); p.Item.Metadata.Session = "api" }),
		happened("gc/1", "our worktree keeps breaking whenever garbage is collected", ago(20, 2), turn),
		happened("gc/2", "Run git read-tree HEAD in the worktree. It makes the index anew from the last commit.", ago(20, 1), agentTurn),
		happened("api/1", "the carrier API wants a token in its header", ago(3, 1), turn),
	}
	const asked = "the worktree is dead again, git refuses to start. what was the one command that mends it?"
	for _, test := range []struct {
		name   string
		prompt string
		more   []memory.Passage
		query  memory.Query
		want   []string
	}{
		{"its episode, and what was said", asked, nil, memory.Query{}, []string{"episode", "gc/2"}},
		{"in Chinese", "worktree 又坏了，上次用哪条 command 修好的？", nil, memory.Query{}, []string{"episode", "gc/1", "gc/2"}},
		{"not where the past is not asked about", "the worktree is dead again, git refuses to start. mend it with one command", nil, memory.Query{}, nil},
		{"not where a statement answers", asked, []memory.Passage{happened("rule", "the one command that mends the dead worktree, where git refuses to start again, is git read-tree HEAD", ago(1, 0), statement)}, memory.Query{}, []string{"rule"}},
		{"not what stands in the window", asked, nil, memory.Query{Seen: func(id, _ string) bool { return id == "episode" }}, []string{"gc/2"}},
		{"not where episodes are not wanted", asked, nil, memory.Query{Kinds: []memory.Kind{memory.Semantic, memory.Note}}, nil},
		{"not of what no session talked of", "morning. what was the coffee machine's best cappuccino recipe with the worktree mug?", nil, memory.Query{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := test.query
			q.Text, q.Turns, q.Told, q.Explain = test.prompt, true, true, true
			r := ask(t, engine(t, append(append(fillers(), said...), test.more...)...), q)
			same(t, test.want, slices.Sorted(slices.Values(ids(r.Hits))))
		})
	}
}

func TestATurnIsToldWithItsOwnRequestAlone(t *testing.T) {
	of := func(session string, more func(*memory.Passage)) func(*memory.Passage) {
		return func(p *memory.Passage) { more(p); p.Item.Metadata.Session = session }
	}
	e := engine(t, append(fillers(),
		happened("carrier/1", "which carrier takes parcels to Greenland?", ago(20, 3), of("carrier", turn)),
		happened("carrier/2", "Only the Nuuk line takes parcels to Greenland, twice a month.", ago(20, 3), of("carrier", agentTurn)),
		happened("ended", "Asked: rename the label printer. Outcome: renamed", ago(20, 0), func(p *memory.Passage) {
			episode(p)
			p.Item.Metadata.Session, p.Item.Metadata.Evidence = "carrier", []string{"carrier/5"}
		}),
	)...)
	r := ask(t, e, memory.Query{Text: "what was it that takes parcels to Greenland?", Turns: true, Told: true})
	if got := slices.Sorted(slices.Values(ids(r.Hits))); slices.Contains(got, "ended") || !slices.Contains(got, "carrier/2") {
		t.Errorf("got %v, want the answer without the episode of another request", got)
	}
}

func TestWhatWasSaidOnTheWayLeadsToItsRequestAlone(t *testing.T) {
	interim := func(p *memory.Passage) {
		agentTurn(p)
		p.Item.Metadata.Session, p.Item.Metadata.Tags = "night", []string{memory.InterimTag}
	}
	e := engine(t, append(fillers(),
		happened("episode", "Asked: look at the scheduler. Outcome: both sides use UTC now", ago(20, 0), func(p *memory.Passage) { episode(p); p.Item.Metadata.Session = "night" }),
		happened("way", "The worker reads its timetable in local time, so that the nightly job is skipped whenever clocks change.", ago(20, 1), interim),
	)...)
	for prompt, want := range map[string][]string{
		"why was the nightly job skipped when the clocks changed, what was it?":           {"episode", "way"},
		"the nightly job is skipped whenever clocks change, the worker reads a timetable": nil,
	} {
		if got := ids(ask(t, e, memory.Query{Text: prompt, Turns: true, Told: true}).Hits); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%q: got %v, want %v", prompt, got, want)
		}
	}
}
