package window_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"orihon/llm"
	"orihon/window"
)

// parcels is a run whose last calls read whole files, with a long task, standing
// orders, a decision and a milestone far from its end.
func parcels() (messages []window.Message, kept []string) {
	say := func(role llm.Role, text string) {
		messages = append(messages, window.Message{Role: role, Text: text})
	}
	task := []string{"# Task: parcel tracker", "1. Use net/http only.", "2. Never log an address."}
	for i := range 20 {
		task = append(task, fmt.Sprintf("- detail %d: the page shows column %d", i, i))
	}
	say(llm.System, "Be careful.")
	say(llm.User, strings.Join(task, "\n"))
	say(llm.Assistant, "I begin with the type.")
	orders := []string{"Please always answer with the carrier's code first.", "請記住：午休時間不接受訂位。"}
	say(llm.User, orders[0])
	decision := "We decided to keep the carrier table in memory, because it has eleven rows only."
	say(llm.Assistant, "NP: it builds now. "+decision)
	for i := range 20 {
		say(llm.User, fmt.Sprintf("Step %d: add the field f%d to the page", i, i))
		if i == 5 {
			say(llm.Assistant, "Noted.")
			say(llm.User, orders[1])
		}
		id := fmt.Sprint("c", i)
		messages = append(messages, window.Message{Role: llm.Assistant, Text: "I read it.", Calls: []window.Call{{ID: id, Tool: "Read", Input: []byte(fmt.Sprintf(`{"file_path":"page%d.html"}`, i))}}},
			window.Message{Role: llm.Tool, Result: &window.Result{ID: id, Tool: "Read", Text: strings.Repeat("<span class=c0>cell of the page</span>\n", 60)}})
		if i == 8 {
			say(llm.Assistant, "Milestone reached: the first eight fields are done.")
			continue
		}
		say(llm.Assistant, fmt.Sprintf("NP: the field f%d stands on the page.", i))
	}
	kept = append(append(task, orders...), decision, "Milestone reached: the first eight fields are done.")
	for i := range 20 {
		kept = append(kept, fmt.Sprintf("Step %d: add", i))
	}
	return messages, kept
}

// held counts what of a run's task and orders, and of its steps, stands in a list.
func held(c window.Compacted, kept []string) (needed, steps int) {
	text := texts(c.Messages)
	for _, want := range kept {
		switch {
		case !strings.Contains(text, want):
		case strings.HasPrefix(want, "Step "):
			steps++
		default:
			needed++
		}
	}
	return needed, steps
}

func TestWhatIsNeededIsKeptWhileThereIsRoom(t *testing.T) {
	messages, kept := parcels()
	for _, tt := range []struct{ limit, needed, steps int }{
		{12_000, 27, 20}, {5000, 27, 20}, {3000, 27, 20}, {2000, 27, 20}, {1500, 27, 20}, {1200, 27, 20}, {850, 27, 2}, {500, 27, 0}, {400, 23, 0},
	} {
		c, err := window.Compact(messages, &window.CompactOptions{Limit: tt.limit, At: at})
		if err != nil {
			t.Fatalf("limit %d: %v", tt.limit, err)
		}
		if needed, steps := held(c, kept); needed < tt.needed || steps < tt.steps {
			t.Errorf("limit %d: %d of the needed and %d steps are left, want %d and %d, in\n%s", tt.limit, needed, steps, tt.needed, tt.steps, texts(c.Messages))
		}
	}
}

// Also when the last turn alone is longer than the window.
func TestMoreRoomNeverKeepsLess(t *testing.T) {
	run, kept := parcels()
	long := append(run[:len(run):len(run)], window.Message{Role: llm.User, Text: "From now on read this:\n" + strings.Repeat("It is a line of a long paste.\n", 30)},
		window.Message{Role: llm.Assistant, Text: strings.Repeat("It is described here. ", 80)})
	for name, messages := range map[string][]window.Message{"run": run, "long end": long} {
		needed, steps := 0, 0
		for limit := 20; limit <= 6000; limit += max(13, limit/5) {
			c, err := window.Compact(messages, &window.CompactOptions{Limit: limit, At: at})
			if errors.Is(err, window.ErrBudget) && limit < 100 {
				continue
			}
			if err != nil {
				t.Fatalf("%s, limit %d: %v", name, limit, err)
			}
			if c.After > limit {
				t.Errorf("%s, limit %d: %d tokens", name, limit, c.After)
			}
			n, s := held(c, kept)
			if n < needed || s < steps {
				t.Fatalf("%s, limit %d: %d of the needed and %d steps are left, less than the %d and %d of a smaller limit, in\n%s", name, limit, n, s, needed, steps, texts(c.Messages))
			}
			needed, steps = n, s
		}
		if needed+steps != len(kept) {
			t.Errorf("%s: %d of %d are left", name, needed+steps, len(kept))
		}
	}
}

func TestNoMessagesAreNoReasonToPanic(t *testing.T) {
	c, err := window.Compact(nil, &window.CompactOptions{At: func(i int) time.Time { return []time.Time{}[i] }})
	if err != nil || len(c.Messages)+len(c.Steps) > 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
