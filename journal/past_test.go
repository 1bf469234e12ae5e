package journal_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
)

// What a view let go of is read again, as it was.
func TestAViewThatForgetsAnswersAsAWholeOne(t *testing.T) {
	j := largeJournal(t, 400)
	whole, v := viewOf(t, j), viewOf(t, j)
	const n = 100 // iterations
	r := rand.New(rand.NewPCG(1, 2))
	for _, before := range []int{0, 40, 52, 95, 1000} {
		v.Forget(before)
		if held := journal.Held(v); before > 60 && held > 4*(max(0, n-before)+2) {
			t.Errorf("%d events are held after all before iteration %d were let go", held, before)
		}
		for range 5 {
			a := 1 + r.IntN(n)
			b := a + r.IntN(20)
			for name, ask := range map[string]func(v *journal.View) any{
				"range":      func(v *journal.View) any { return v.Range(a, b) },
				"iterations": func(v *journal.View) any { return v.Iterations(a, b) },
				"event":      func(v *journal.View) any { e, ok := v.Event(int64(4 * a)); return []any{e, ok} },
				"from":       func(v *journal.View) any { return v.From(int64(4*a - 40)) },
				"types":      func(v *journal.View) any { return v.ByType(journal.UserMessage, journal.AssistantMessage) },
				"calls":      func(v *journal.View) any { return v.ByType(journal.ActionRequest) },
				"result": func(v *journal.View) any {
					id := fmt.Sprint("c", 4*(a-1))
					e, ok := v.ResultOf(id)
					return []any{e, ok, v.Requested(id)}
				},
				"bounds": func(v *journal.View) any {
					return []any{v.FirstIteration(), v.LastIteration(), v.LastSeq(), len(v.Events())}
				},
			} {
				if diff := cmp.Diff(ask(whole), ask(v)); diff != "" {
					t.Fatalf("forgotten before %d: %s %d to %d (-whole +forgetting):\n%s", before, name, a, b, diff)
				}
			}
		}
		if diff := cmp.Diff(matches(whole, "step12.go thing"), matches(v, "step12.go thing")); diff != "" {
			t.Errorf("search (-whole +forgetting):\n%s", diff)
		}
		if diff := cmp.Diff(seqs(whole.ByEntity("step7.go")), seqs(v.ByEntity("step7.go"))); diff != "" {
			t.Errorf("entity (-whole +forgetting):\n%s", diff)
		}
		for _, view := range []*journal.View{whole, v} {
			if err := view.Update(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	e, err := v.Append(t.Context(), user("new", "one more"))
	if err != nil || len(e) != 1 || e[0].Seq != whole.LastSeq()+1 {
		t.Errorf("appended %+v, %v", e, err)
	}
	if _, err := j.Purge(t.Context(), replacer("number 8 in", "NUMBER 8 IN")); err != nil {
		t.Fatal(err)
	}
	if err := v.Update(t.Context()); err != nil || len(matches(v, "NUMBER 8")) == 0 || journal.Held(v) != 401 {
		t.Errorf("after a purge %d events are held (%v)", journal.Held(v), err)
	}
}

// A journal that somebody else has written in is held whole: what would be read again
// might not be what was read.
func TestAJournalWithGapsIsNotForgotten(t *testing.T) {
	list := journal.NewView(user("a", "one"), user("b", "two"))
	list.Forget(2)
	if len(list.Range(1, 1)) != 1 {
		t.Error("a list of events has forgotten")
	}
}
