package recall

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orihon/internal/tokens"
	"orihon/internal/wording"
	"orihon/memory"
)

// What packing counts piece by piece is what the whole text has, whichever hits
// are chosen and in whichever order.
func TestWhatIsCountedIsWhatTheTextHas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hits := make([]memory.Hit, rapid.IntRange(0, 14).Draw(rt, "hits"))
		for i := range hits {
			p := &hits[i].Passage
			p.ID = fmt.Sprintf("p%d", i)
			p.Item.Kind = rapid.SampledFrom([]memory.Kind{memory.Semantic, memory.Episodic, memory.Procedural, memory.Note}).Draw(rt, "kind")
			p.Item.Content = strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "部署", "\n", "</orihon-memory>", "word ", "😀"}), 1, 30).Draw(rt, "text"), "")
			p.Population = rapid.SampledFrom([]memory.Population{memory.Statements, memory.Statements, memory.UserTurns, memory.Documents}).Draw(rt, "population")
			p.Source, p.Line = "a/b.go", i
			if rapid.Bool().Draw(rt, "bullet") {
				p.Parent, p.Item.Title = rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "atom"), "Title 標題"
			}
			if i > 0 && rapid.IntRange(0, 4).Draw(rt, "superseded") == 0 {
				p.SupersededBy = fmt.Sprintf("p%d", rapid.IntRange(0, i-1).Draw(rt, "by"))
			}
			hits[i].Kept = true
		}
		v := &wording.View{Words: wording.For(rapid.SampledFrom([]string{"en", "zh-Hant"}).Draw(rt, "language")), Today: time.Date(2026, 3, 17, 0, 0, 0, 0, time.UTC)}
		k := newPacking(v, hits, 1<<20, 0)
		even := func(h *memory.Hit) bool { return len(h.Passage.Item.Content)%2 == 0 }
		for _, s := range []portion{
			{even, wording.Room{Tokens: rapid.IntRange(0, 400).Draw(rt, "first room")}},
			{func(*memory.Hit) bool { return true }, wording.Room{Tokens: rapid.IntRange(0, 900).Draw(rt, "second room")}},
		} {
			k.fill(s)
			text, n := wording.Frame(v.Words, v.Sections(k.chosen()))
			if want := wording.CostOf(text); k.used != want {
				rt.Fatalf("counted %+v, the text has %+v:\n%s", k.used, want, text)
			}
			if n != tokens.Estimate(text) || (k.used.Quarters+3)/4 != n {
				rt.Fatalf("%d tokens for %d quarters", n, k.used.Quarters)
			}
		}
	})
}

// BenchmarkPacking packs more and more hits into a budget that holds all: the
// time for each stays the same.
func BenchmarkPacking(b *testing.B) {
	for _, n := range []int{50, 200, 800} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			hits := make([]memory.Hit, n)
			for i := range hits {
				hits[i].Passage.ID = fmt.Sprint(i)
				hits[i].Passage.Item.Content = strings.Repeat("what was said in a turn of a conversation ", 20)
			}
			e := &Engine{now: time.Now, style: wording.Style{Now: time.Now}, set: Settings{}.withDefaults()}
			for b.Loop() {
				for i := range hits {
					hits[i].Kept, hits[i].Tokens = true, 0
				}
				e.pack(&memory.Query{}, &parsed{language: "en", budget: 1 << 30}, hits, &memory.Recollection{})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/hit")
		})
	}
}
