package recall_test

import (
	"slices"
	"testing"

	"orihon/memory"
)

func TestWhatAnotherToldIsNoAnswerAboutTheOneWhoIsNamed(t *testing.T) {
	passages := append(fillers(),
		said("a", "s1", "Bea", "I adopted a greyhound from the shelter in Lisbon", memory.UserTurns),
		said("b", "s1", "Zoe", "That is wonderful, a dog from a shelter is the best company", memory.UserTurns),
		said("d", "s2", "Bea", "Did the kayak hit a rock?", memory.UserTurns),
		said("c", "s2", "Zoe", "I repaired the kayak with epoxy", memory.UserTurns),
	)
	for prompt, want := range map[string][]string{
		"which greyhound did Bea adopt from the shelter in Lisbon": {"a"},
		"which greyhound did Zoe adopt from the shelter in Lisbon": nil,
		"who adopted a greyhound from the shelter in Lisbon":       {"a"},
		"what did Zoe repair the kayak with":                       {"c"},
		"what did Bea repair the kayak with":                       nil,
	} {
		r := ask(t, engine(t, passages...), memory.Query{Text: prompt, Turns: true})
		if got := ids(r.Hits); !slices.Equal(got, want) {
			t.Errorf("%s: injected %v, want %v", prompt, got, want)
		}
	}
}

func TestAnAgentsTurnMustFitBetter(t *testing.T) {
	const text = "the ferry timetable changes every spring and the old timetable is thrown away"
	relevance := func(population memory.Population, prompt string) float64 {
		r := ask(t, engine(t, append(fillers(), said("a", "s1", "", text, population))...), memory.Query{Text: prompt, Turns: true, Threshold: -1})
		i := slices.IndexFunc(r.Hits, func(h memory.Hit) bool { return h.Passage.ID == "a" })
		if i < 0 {
			t.Fatalf("%s: not found", prompt)
		}
		return r.Hits[i].Relevance
	}
	const plain, addressed = "when does the ferry timetable change", "what did you say about the ferry timetable"
	if p, a := relevance(memory.UserTurns, plain), relevance(memory.AgentTurns, plain); a >= p {
		t.Errorf("the agent's turn has relevance %.3f, a person's %.3f", a, p)
	}
	if p, a := relevance(memory.UserTurns, addressed), relevance(memory.AgentTurns, addressed); a != p {
		t.Errorf("asked what it said, the agent's turn has relevance %.3f, a person's %.3f", a, p)
	}
}

func TestPronounsTellWhoseMatterItIs(t *testing.T) {
	passages := append(fillers(),
		said("necklace", "s1", "Bea", "This silver necklace is my favourite, my grandmother gave it to me", memory.UserTurns),
		said("praise", "s1", "Zoe", "What a lovely silver necklace your grandmother gave you", memory.UserTurns),
		said("船", "s2", "小林", "我的帆船是叔叔送給我的禮物", memory.UserTurns),
		said("讚", "s2", "小陳", "你叔叔送你的禮物真好，你的帆船好漂亮", memory.UserTurns),
	)
	e := engine(t, passages...)
	for _, tt := range []struct {
		prompt     string
		own, other string // the passage looked at, and the same question of another
	}{
		{"who gave Bea the silver necklace", "necklace", "who gave Zoe the silver necklace"},
		{"小林的帆船是誰送的禮物", "船", "小陳的帆船是誰送的禮物"},
		{"小林的帆船是谁送的礼物", "船", "小陈的帆船是谁送的礼物"},
	} {
		if got := ask(t, e, memory.Query{Text: tt.prompt, Turns: true}); !slices.Contains(ids(got.Hits), tt.own) {
			t.Errorf("%s: injected %v, want %s", tt.prompt, ids(got.Hits), tt.own)
		}
		if got := ask(t, e, memory.Query{Text: tt.other, Turns: true}); len(got.Hits) > 0 {
			t.Errorf("%s: injected %v, want nothing", tt.other, ids(got.Hits))
		}
	}
}
