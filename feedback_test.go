package orihon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"orihon/follow"
	"orihon/health"

	"orihon"
)

// answer is a turn's end: what the agent did and said.
func answer(t *testing.T, p *place, sessionID, promptID, command, text string) {
	t.Helper()
	p.do(t, sessionID, func(ctx context.Context, s *follow.Session) error {
		if command != "" {
			input, _ := json.Marshal(map[string]string{"command": command})
			if err := s.Action(ctx, follow.Action{ID: "call-" + promptID, Tool: "Bash", Input: input}); err != nil {
				return err
			}
		}
		return s.Answer(ctx, promptID, text)
	})
}

func feedback(t *testing.T, m *orihon.Memory) health.FeedbackStats {
	t.Helper()
	st, err := m.Health().Stats(context.Background(), health.StatsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return st.Feedback
}

func TestAPassageThatComesBackInTheAnswerWasUsed(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	used := remember(t, m, "We deploy with make ship, never with kubectl directly")
	p.prompt(t, "s1", "p1", "how do I deploy?")
	p.work(t)
	if f := feedback(t, m); f.Judged != 0 {
		t.Errorf("%d passages are judged before there is an answer", f.Judged)
	}
	answer(t, p, "s1", "p1", "make ship", "Done.")
	p.prompt(t, "s2", "p1", "how do I deploy?")
	answer(t, p, "s2", "p1", "", "The weather is fine.")
	p.work(t)
	p.work(t) // once is enough
	f := feedback(t, m)
	if f.Judged != 2 || f.Used != 1 {
		t.Errorf("%d of %d are used, want 1 of 2", f.Used, f.Judged)
	}
	st, err := m.Health().Stats(context.Background(), health.StatsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if st.Used.Injections != 2 || st.Used.Accesses != 1 {
		t.Errorf("%d injections and %d accesses, want 2 and 1: being injected is not being used", st.Used.Injections, st.Used.Accesses)
	}
	for _, h := range recall(t, m, "how do I deploy?").Hits {
		if h.Passage.ID == used.ID && h.Passage.Item.Metadata.AccessCount != 1 {
			t.Errorf("recall knows of %d accesses, want 1", h.Passage.Item.Metadata.AccessCount)
		}
	}
}

// What nobody uses raises the bar, what is used lowers it; a log that was
// rewritten is counted anew.
func TestTheThresholdFollowsWhatWasUsed(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		shift float64
	}{
		"unused": {"Fine.", 0.05}, "used": {"I ran make ship.", -0.05},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			remember(t, m, "We deploy with make ship, never with kubectl directly")
			base := recall(t, m, "how do I deploy?").Threshold
			for i := range 50 {
				id := fmt.Sprintf("s%d", i)
				if !strings.Contains(p.prompt(t, id, "p1", "how do I deploy?").Text, "make ship") {
					t.Fatalf("it is not injected into session %d", i)
				}
				answer(t, p, id, "p1", "", tt.text)
			}
			p.work(t)
			f := feedback(t, m)
			if f.Shift != tt.shift || f.Recent != 50 {
				t.Errorf("shift %v after %d, want %v after 50", f.Shift, f.Recent, tt.shift)
			}
			if got := recall(t, p.open(t), "how do I deploy?").Threshold - base; math.Abs(got-tt.shift) > 1e-9 {
				t.Errorf("recall's threshold moved by %v, want %v", got, tt.shift)
			}
			off := p.open(t, set("recall.adaptive", "false"))
			if got := recall(t, off, "how do I deploy?").Threshold; got != base {
				t.Errorf("switched off, the threshold is %v, want %v", got, base)
			}
		})
	}
}
