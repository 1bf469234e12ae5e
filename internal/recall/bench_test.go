package recall_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/internal/opening"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// vocabulary is a language of made-up words, with the frequencies that words
// have: the n-th is n times rarer than the first.
type vocabulary struct {
	words []string
	zipf  *rand.Zipf
}

func newVocabulary(rng *rand.Rand) *vocabulary {
	const size = 8000
	v := &vocabulary{zipf: rand.NewZipf(rng, 1.1, 4, size-1)}
	const han = "部署測試緩存隊列錯誤連線發票訂單記憶推送審核監控遷移備份權限日誌端口分支構建"
	runes := []rune(han)
	for i := range size {
		if i%5 == 0 {
			v.words = append(v.words, string([]rune{runes[rng.IntN(len(runes))], runes[rng.IntN(len(runes))], runes[rng.IntN(len(runes))]}))
			continue
		}
		var b strings.Builder
		for range 2 + rng.IntN(3) {
			b.WriteByte("bcdfgklmnprstvz"[rng.IntN(15)])
			b.WriteByte("aeiou"[rng.IntN(5)])
		}
		v.words = append(v.words, b.String())
	}
	return v
}

func (v *vocabulary) say(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = v.words[v.zipf.Uint64()]
	}
	return strings.Join(out, " ")
}

// BenchmarkRecall measures one recall, in process and with everything warm, in
// a store of ten thousand statements.
func BenchmarkRecall(b *testing.B) {
	const items = 10_000
	rng := rand.New(rand.NewPCG(1, 2))
	v := newVocabulary(rng)
	all := make([]memory.Passage, items)
	for i := range all {
		all[i] = memorytest.Passage(fmt.Sprintf("p%05d", i), v.say(8+rng.IntN(25)))
		all[i].Item.Metadata.CreatedAt = now.AddDate(0, 0, -rng.IntN(400))
		if i%50 == 0 {
			all[i].Item.Triggers = []string{v.words[rng.IntN(len(v.words))]}
		}
	}
	e := over(index(b, all...))
	for _, bc := range []struct {
		name  string
		words int
	}{{"short", 6}, {"medium", 25}, {"long", 300}} {
		prompts := make([]string, 64)
		for i := range prompts {
			prompts[i] = v.say(bc.words)
		}
		b.Run(bc.name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				if _, err := e.Recall(b.Context(), memory.Query{Text: prompts[i%len(prompts)], Viewer: ada}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			for _, q := range []int{50, 95} {
				b.ReportMetric(float64(took[len(took)*q/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", q))
			}
		})
	}
	b.Run("opening", func(b *testing.B) {
		for b.Loop() {
			if _, err := opening.Begin(b.Context(), e, opening.Options{Viewer: ada}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
