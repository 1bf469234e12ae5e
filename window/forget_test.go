package window_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/window"
)

// Whether a view holds the whole run or what the builder needs of it makes no
// difference to what a model sees.
func TestABuilderShowsTheSameOfAViewThatForgets(t *testing.T) {
	for _, strategy := range []string{window.Folding, window.SlidingWindow, window.QueryOnDemand} {
		t.Run(strategy, func(t *testing.T) {
			events := coding(t, 60)
			var seen [2][]string
			for side, forgets := range []bool{false, true} {
				v := openView(t)
				b, err := window.New(strategy, &window.Options{WindowSize: 10, RecentSize: 10})
				if err != nil {
					t.Fatal(err)
				}
				in := window.Input{View: v, Task: "Round.", Limit: 12_000}
				ask := func(tool, input string) {
					text, err := window.CallTool(t.Context(), v, tool, json.RawMessage(input))
					seen[side] = append(seen[side], fmt.Sprint(text, err))
				}
				for i, it := range journal.NewView(events...).Iterations(0, 0) {
					if _, err := v.Append(t.Context(), it.Events...); err != nil {
						t.Fatal(err)
					}
					if err := b.OnIterationComplete(t.Context(), in); err != nil {
						t.Fatal(err)
					}
					if forgets {
						v.Forget(window.Needed(b, in))
					}
					switch i % 40 {
					case 10:
						ask(window.QueryHistory, `{"query": "applyDiscount3"}`)
					case 20, 21, 22:
						ask(window.ShowHistory, `{"fold": "F1"}`) // asked for again and again it opens
					case 30:
						ask(window.ShowHistory, `{"start": 3, "end": 4}`)
					}
					seen[side] = append(seen[side], page(build(t, b, in)))
				}
			}
			if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
				t.Errorf("whole (-) and forgetting (+) differ: %.3000s", diff)
			}
		})
	}
}

func openView(t *testing.T) *journal.View {
	t.Helper()
	j, err := journal.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := j.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}
