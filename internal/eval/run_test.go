package eval_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/eval"
)

func TestRecallDoesNotFallBackOnSetsThatTravelWithTheCode(t *testing.T) {
	for _, tt := range []struct {
		data  string
		least map[string]float64 // what it was when this was written, less a little
	}{
		{"memorybank_zh.jsonl", map[string]float64{"R@5": 0.90, "R@10": 0.94, "nDCG@10": 0.75}},
		{"talks.jsonl", map[string]float64{"R@5": 0.90, "R@10": 0.92, "nDCG@10": 0.80}},
		{"project.jsonl", map[string]float64{"R@5": 0.87, "R@10": 0.91, "nDCG@10": 0.81}},
		{"madial_en_u1.jsonl.gz", map[string]float64{"R@5": 0.52, "R@10": 0.69, "nDCG@10": 0.60}},
	} {
		r := run(t, read(t, tt.data))
		for m, least := range tt.least {
			if got := r.Scores.Value(m); got < least {
				t.Errorf("%s: %s = %.4f, want at least %.2f", tt.data, m, got, least)
			} else {
				t.Logf("%s: %s = %.4f", tt.data, m, got)
			}
		}
	}
}

// project.jsonl asks a memory of a software project as developers do, and as
// often says what no memory bears on.
func TestWhatAProjectsMemoryInjects(t *testing.T) {
	r := run(t, read(t, "project.jsonl"))
	for _, g := range r.Injection {
		t.Logf("%s: given %.3f, recall %.3f, precision %.3f", g.Kind, g.Given, g.Recall, g.Precision)
		if g.Kind == eval.Answerable && (g.Recall < 0.55 || g.Precision < 0.78) {
			t.Errorf("needed: recall %.3f at precision %.3f, want at least .55 and .78", g.Recall, g.Precision)
		}
		if g.Kind == eval.Unanswerable && g.Given > 0.27 {
			t.Errorf("a share of %.3f of the prompts that need nothing get something, want at most .27", g.Given)
		}
	}
}

// talks.jsonl is two people at work, in English and in Chinese; all of
// crossscript.jsonl is asked in traditional and in simplified characters.
func TestAQuestionInTheOtherScriptFindsAsMuch(t *testing.T) {
	for _, m := range []string{"R@1", "R@5"} {
		s := run(t, read(t, "crossscript.jsonl")).Scores
		by := make(map[string]float64)
		for _, g := range s.Groups {
			by[g.Category] = g.Values[slices.Index(s.Metrics, m)]
		}
		t.Logf("%s: same %.4f, cross %.4f", m, by["same"], by["cross"])
		least := map[string]float64{"R@1": 0.90, "R@5": 0.98}[m]
		if by["cross"] < by["same"]-0.02 || by["cross"] < least {
			t.Errorf("%s = %.4f across scripts and %.4f within one, want at most two points less and at least %.2f", m, by["cross"], by["same"], least)
		}
	}
}

func TestEveryTurnIsFoundUnderItsOwnName(t *testing.T) {
	data := read(t, "small.jsonl")
	r := run(t, data)
	for q, first := range map[string]string{
		"pottery/q0": "a1", "pottery/q2": "a5", "pottery/q4": "a6",
		"lunch/q0": "b1", "lunch/q1": "b4", "lunch/q4": "b3", // asked in traditional, said in simplified characters
	} {
		if len(r.Ranking[q]) == 0 || r.Ranking[q][0] != first {
			t.Errorf("%s: %v, want %s first", q, r.Ranking[q], first)
		}
	}
	for q, turns := range r.Ranking {
		if sorted := slices.Sorted(slices.Values(turns)); len(slices.Compact(sorted)) != len(turns) {
			t.Errorf("%s: a turn stands twice in %v", q, turns)
		}
	}
	if r.Turns != 13 || r.Questions != 11 || r.Conversations != 2 || len(r.Took) != 11 {
		t.Errorf("%d turns, %d questions, %d conversations, %d timed; want 13, 11, 2, 11", r.Turns, r.Questions, r.Conversations, len(r.Took))
	}
}

func TestAnswersThatTheJournalJoinsStandForAllTheirTurns(t *testing.T) {
	data := []eval.Conversation{{
		ID: "c",
		Turns: []eval.Turn{
			{ID: "u", Session: "1", Speaker: "user", Text: "Which port does the staging database use?"},
			{ID: "x", Session: "1", Speaker: "assistant", Text: "Let me look at the compose file first."},
			{ID: "y", Session: "1", Speaker: "assistant", Text: "The staging database listens on port 5433."},
			{ID: "z", Session: "1", Speaker: "user", Text: "Thanks, write that into the handbook please."},
		},
		Questions: []eval.Question{{ID: "q", Text: "What did you say about the compose file?", Evidence: []string{"x"}}},
	}}
	got := run(t, data).Ranking["q"]
	if len(got) < 2 || !slices.Equal(got[:2], []string{"x", "y"}) {
		t.Errorf("found %v, want x and y first", got)
	}
}

func TestTurnsWithoutASessionAreStatements(t *testing.T) {
	data := []eval.Conversation{{
		ID: "c",
		Turns: []eval.Turn{
			{ID: "one", Date: "2026-01-05", Speaker: "Ann", Text: "Ann 對花生過敏"},
			{ID: "two", Date: "2026-01-06", Speaker: "Ann", Text: "Ann visited the aquarium and liked the jellyfish"},
			{ID: "again", Date: "2026-01-09", Speaker: "Ann", Text: "Ann visited the aquarium and liked the jellyfish"},
		},
		Questions: []eval.Question{
			{ID: "q1", Text: "花生", Evidence: []string{"one"}},
			{ID: "q2", Text: "What did Ann see at the aquarium?", Evidence: []string{"two", "again"}},
		},
	}}
	r := run(t, data)
	if got := r.Ranking["q1"]; len(got) == 0 || got[0] != "one" {
		t.Errorf("q1 found %v, want one first", got)
	}
	// The second telling confirmed the first: one item stands for both.
	if got := r.Ranking["q2"]; len(got) < 2 || !slices.Equal(got[:2], []string{"two", "again"}) {
		t.Errorf("q2 found %v, want two and again first", got)
	}
}

func TestInjectionIsCountedApartForWhatCannotBeAnswered(t *testing.T) {
	turn := func(id, text string) eval.Turn {
		return eval.Turn{ID: id, Session: "1", Date: "2026-05-04", Speaker: "user", Text: text}
	}
	data := []eval.Conversation{{
		ID: "c",
		Turns: []eval.Turn{
			turn("a", "The staging database listens on port 5433."),
			turn("b", "簡報改到四月二十號下午三點。"),
			turn("c", "Releases are cut on Mondays by Ann."),
		},
		Questions: []eval.Question{
			{ID: "q1", Text: "staging database port", Category: "single", Evidence: []string{"a"}},
			{ID: "q2", Text: "zebra migration in Tanzania", Category: "single", Evidence: []string{"b", "c"}},
			{ID: "q3", Text: "violin concertos of Sibelius", Category: "abstention"},
			{ID: "q4", Text: "releases Mondays", Category: "adversarial", Evidence: []string{"c"}},
			{ID: "q5", Text: "staging database port", Category: "open"},
		},
	}}
	got := run(t, data).Injection
	for i := range got {
		if got[i].Tokens <= 0 {
			t.Errorf("%s: no tokens for what was injected", got[i].Kind)
		}
		got[i].Tokens = 0
	}
	want := []eval.Injection{
		{Kind: "answerable", Questions: 2, Given: 0.5, Passages: 0.5, Precision: 1, Recall: 0.5},
		{Kind: "unanswerable", Questions: 2, Given: 0.5, Passages: 0.5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestQuestionsAreAskedWhenTheCallerSays(t *testing.T) {
	data := []eval.Conversation{{
		ID: "c",
		Turns: []eval.Turn{
			{ID: "old", Session: "1", Date: "2020-01-01", Speaker: "user", Text: "The kiln of the pottery class runs at night."},
			{ID: "new", Session: "2", Date: "2026-01-01", Speaker: "user", Text: "The kiln of the pottery class was sold today."},
		},
		Questions: []eval.Question{{ID: "q", Text: "kiln of the pottery class", Evidence: []string{"old"}}},
	}}
	if got := run(t, data).Ranking["q"]; got[0] != "new" {
		t.Errorf("asked on the day after: %v, want the fresh one first", got)
	}
	then, err := eval.Run(t.Context(), data, &eval.Options{Dir: t.TempDir(), Asked: time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if got := then.Ranking["q"]; got[0] != "old" {
		t.Errorf("asked long after: %v, want neither to be fresh and the first told first", got)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	dir := t.TempDir()
	told := 0
	_, err := eval.Run(t.Context(), read(t, "small.jsonl"), &eval.Options{Dir: dir, Progress: func(int, int) { told++ }})
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || told != 2 {
		t.Errorf("%d homes are left of %d, %v", len(left), told, err)
	}
}

func TestAnErrorNamesTheConversation(t *testing.T) {
	data := []eval.Conversation{{ID: "broken", Turns: []eval.Turn{{ID: "t", Session: "1", Text: "x", Date: "tomorrow"}}}}
	_, err := eval.Run(t.Context(), data, &eval.Options{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "conversation broken: ") {
		t.Errorf("%v, want the conversation named", err)
	}
}

func run(t *testing.T, data []eval.Conversation) *eval.Result {
	t.Helper()
	r, err := eval.Run(t.Context(), data, &eval.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
