package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"orihon/internal/recall"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// said is a turn of a conversation.
func said(id, session, speaker, text string, p memory.Population) memory.Passage {
	return with(memorytest.Passage(id, text), func(x *memory.Passage) {
		x.Speaker, x.Population, x.Item.Metadata.Session = speaker, p, session
	})
}

// first asks with all turns open and returns the IDs in order.
func first(t *testing.T, set recall.Settings, text string, passages ...memory.Passage) []string {
	t.Helper()
	e := recall.New(&recall.Options{Settings: set, Now: clock}, recall.Source{Name: "project", Index: index(t, passages...)})
	r, err := e.Recall(t.Context(), memory.Query{Text: text, Viewer: ada, Turns: true, Threshold: -1})
	if err != nil {
		t.Fatal(err)
	}
	return ids(r.Hits)
}

func TestWhatRaisesATurn(t *testing.T) {
	for _, tt := range []struct {
		name, prompt string
		stage        string // without it the order is the other way round; empty is not tried
		want         string
		turns        []memory.Passage
	}{
		{"people go before the agent", "which database does the shop use", recall.StagePopulations, "user", []memory.Passage{
			said("agent", "s", "assistant", "the shop could use this database", memory.AgentTurns),
			said("user", "t", "ada", "the shop database was painful to move over last year", memory.UserTurns),
		}},
		{"unless it is asked what it said", "which database did you recommend for the shop", "", "agent", []memory.Passage{
			said("agent", "s", "assistant", "I recommend this database for the shop", memory.AgentTurns),
			said("user", "t", "ada", "the shop was painful", memory.UserTurns),
		}},
		{"同样用中文问", "你之前推荐商店用哪个数据库", "", "agent", []memory.Passage{
			said("agent", "s", "assistant", "我推荐商店用这个数据库", memory.AgentTurns),
			said("user", "t", "ada", "商店的事情很多", memory.UserTurns),
		}},
		{"the speaker that is named", "what does Bea cook on sundays", recall.StageSpeakers, "bea", []memory.Passage{
			said("carl", "s", "Carl", "I cook soup on sundays", memory.UserTurns),
			said("bea", "t", "Bea", "noodles, when I cook on rainy and cold winter sundays", memory.UserTurns),
		}},
	} {
		fill := append(tt.turns, fillers()...)
		if got := first(t, recall.Settings{}, tt.prompt, fill...); len(got) == 0 || got[0] != tt.want {
			t.Errorf("%s: %v, want %s first", tt.name, got, tt.want)
		}
		if tt.stage == "" {
			continue
		}
		var set recall.Settings
		set.Leave(tt.stage)
		if got := first(t, set, tt.prompt, fill...); len(got) == 0 || got[0] == tt.want {
			t.Errorf("%s, without %s: %v", tt.name, tt.stage, got)
		}
	}
}

func TestEveryStageCanBeLeftOut(t *testing.T) {
	for _, stage := range recall.Stages() {
		var with, without recall.Settings
		without.Leave(stage)
		if fmt.Sprint(with) == fmt.Sprint(without) {
			t.Errorf("%s changes nothing", stage)
		}
	}
}

func TestRanksFindTheSameAsSums(t *testing.T) {
	passages := append(fillers(), memorytest.Passage("a", "the harbour crane lifts forty tons"), memorytest.Passage("b", "the crane driver is on leave"))
	for _, f := range []recall.Fusion{recall.WeightedSum, recall.ReciprocalRanks} {
		if got := first(t, recall.Settings{Fusion: f}, "how many tons does the harbour crane lift", passages...); len(got) < 2 || got[0] != "a" {
			t.Errorf("%s: %v", f, got)
		}
	}
}

func TestWhoIsUnknownIsNotAskedAboutInVain(t *testing.T) {
	passages := append(fillers(), said("a", "s", "Bea", "the pottery class was fun and I made a bowl", memory.UserTurns))
	for prompt, want := range map[string]bool{
		"what was made in the pottery class":                  true,
		"what did Zachary Quillfeather make in pottery class": false,
	} {
		e := engine(t, passages...)
		r := ask(t, e, memory.Query{Text: prompt, Turns: true})
		if got := slices.Contains(ids(r.Hits), "a"); got != want {
			t.Errorf("%s: injected %t, want %t", prompt, got, want)
		}
	}
}

func TestACertainHitBringsWhatItNames(t *testing.T) {
	passages := append(fillers(),
		with(memorytest.Passage("a", "harbour crane"), func(p *memory.Passage) { p.Item.Relations.RelatedTo = []string{"b"} }),
		memorytest.Passage("b", "permits hang in the office"),
	)
	r := ask(t, engine(t, passages...), memory.Query{Text: "harbour crane"})
	same(t, []string{"a", "b"}, ids(r.Hits))
}
