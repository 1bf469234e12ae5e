package learn_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orihon/internal/learn"
	"orihon/memory"
)

func TestConfidenceFollowsTheEvents(t *testing.T) {
	delta := map[learn.Event]float64{learn.SeenAgain: 0.1, learn.UserConfirms: 0.2, learn.Contradiction: -0.2}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(0, 1).Draw(t, "start")
		want := c
		for _, e := range rapid.SliceOfN(rapid.SampledFrom([]learn.Event{learn.SeenAgain, learn.UserConfirms, learn.Contradiction}), 0, 30).Draw(t, "events") {
			c = learn.Believe(c, e)
			want = math.Max(0, math.Min(1, want+delta[e]))
			if math.Abs(c-want) > 1e-9 || c < 0 || c > 1 {
				t.Fatalf("believed %g, want %g", c, want)
			}
		}
	})
}

// sentence draws a statement of either language with a value in it.
func sentence(t *rapid.T, name, value string) string {
	return fmt.Sprintf(rapid.SampledFrom([]string{
		"The upload limit of the gateway is %s", "Run the import job with %s workers", "Keep %s backups of the database",
		"閘道的上傳上限是 %s", "匯入工作用 %s 個執行緒", "数据库保留 %s 份备份", "Node %s is required for the build", "建置需要 Node %s",
	}).Draw(t, name), value)
}

func TestWhatDiffersInAValueOrADenialIsNeverADuplicate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(2, 900).Draw(t, "a")
		b := rapid.IntRange(2, 900).Filter(func(n int) bool { return n != a }).Draw(t, "b")
		form := rapid.SampledFrom([]string{"%d", "%d.1", "v%d.2.3", "%d MB", "%d%%"}).Draw(t, "form")
		older := sentence(t, "text", fmt.Sprintf(form, a))
		newer := strings.Replace(older, fmt.Sprintf(form, a), fmt.Sprintf(form, b), 1)
		if rel, why, _ := (learn.Rules{}).Classify(t.Context(), older, newer); rel == learn.Duplicates {
			t.Fatalf("%q, then %q: %s (%s)", older, newer, rel, why)
		}
		denied := rapid.SampledFrom([][2]string{
			{"Use %s for scripts", "Do not use %s for scripts"}, {"%s is enabled", "%s is disabled"}, {"用 %s 寫腳本", "不要用 %s 寫腳本"}, {"可以用 %s", "禁止用 %s"}, {"服務會用 %s", "服務不會用 %s"},
		}).Draw(t, "denied")
		word := rapid.SampledFrom([]string{"bash", "caching", "tabs", "快取", "暗色主題"}).Draw(t, "word")
		x, y := fmt.Sprintf(denied[0], word), fmt.Sprintf(denied[1], word)
		for _, pair := range [][2]string{{x, y}, {y, x}} {
			if rel, why, _ := (learn.Rules{}).Classify(t.Context(), pair[0], pair[1]); rel == learn.Duplicates {
				t.Fatalf("%q, then %q: %s (%s)", pair[0], pair[1], rel, why)
			}
		}
	})
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringOfN(rapid.RuneFrom([]rune("aZ09 .-_/:不沒的用改是前後資料庫测试，。")), 0, 60, -1),
		rapid.Custom(func(t *rapid.T) string { return sentence(t, "s", fmt.Sprint(rapid.IntRange(1, 99).Draw(t, "n"))) }),
	)
}

func TestSimilarityIsSymmetricAndBlindToDress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyText().Draw(t, "a"), anyText().Draw(t, "b")
		ab, ba := learn.Similarity(a, b), learn.Similarity(b, a)
		if ab != ba || ab < 0 || ab > 1 || math.IsNaN(ab) {
			t.Fatalf("%g and %g", ab, ba)
		}
		if s := learn.Similarity(a, a); s != 1 {
			t.Fatalf("to itself %g", s)
		}
	})
	for _, tt := range [][2]string{
		{"Use PNPM in the Web folder", "use pnpm in the web folder"}, {"資料庫遷移要先備份", "资料库迁移要先备份"}, {"逾時是 ３０ 秒", "逾時是 30 秒"},
	} {
		if s := learn.Similarity(tt[0], tt[1]); s != 1 {
			t.Errorf("%q and %q: %g, want 1", tt[0], tt[1], s)
		}
	}
}

func TestSimilarityMeansWhatTheThresholdsSay(t *testing.T) {
	for _, tt := range []struct {
		a, b     string
		from, to float64
	}{
		{"Use pnpm, never npm", "Use pnpm, never npm!", 0.95, 1},
		{"Run the linter before each commit", "Run linters before every commit", 0.9, 1},
		{"timeout 30s", "timeout 60s", 0.6, 0.95},
		{"逾時 30 秒", "逾時 60 秒", 0.6, 0.95},
		{"The deploy timeout is 30 seconds", "The deploy timeout is 60 seconds", 0.6, 0.95},
		{"Use tabs", "Never use tabs", 0.6, 1},
		{"Logs go to stdout", "Logs go to stdout as JSON", 0.6, 0.95},
		{"The build takes four minutes", "The office is in Lyon", 0, 0.4},
		{"部署前要備份", "今天天氣很好", 0, 0.4},
		{"The frontend uses React", "The backend uses Django", 0, 0.6},
	} {
		if s := learn.Similarity(tt.a, tt.b); s < tt.from || s > tt.to {
			t.Errorf("%q and %q: %.2f, want %.2f to %.2f", tt.a, tt.b, s, tt.from, tt.to)
		}
	}
}

func TestDecidingIsDeterministicAndConfidenceStaysInBounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var said []learn.Statement
		for i := range rapid.IntRange(1, 12).Draw(r, "n") {
			said = append(said, learn.Statement{
				Text: sentence(r, "text", fmt.Sprint(rapid.IntRange(1, 4).Draw(r, "value"))), Scope: ann,
				Source:   rapid.SampledFrom([]memory.Source{memory.FromUser, memory.FromAgent, memory.FromSystem, memory.Imported}).Draw(r, "source"),
				Explicit: rapid.Bool().Draw(r, "explicit"), Untrusted: rapid.Bool().Draw(r, "untrusted"), Session: fmt.Sprint("s", i%3),
			})
		}
		run := func() (out []string) {
			d := newDesk(t)
			for _, s := range said {
				o, err := d.learner.Learn(t.Context(), s)
				if err != nil {
					r.Fatal(err)
				}
				out = append(out, fmt.Sprint(o.Action, o.Item.ID, o.Item.Metadata.Confidence, o.Why))
			}
			for it := range d.items() {
				if c := it.Metadata.Confidence; c < 0 || c > 1 {
					r.Fatalf("%s is believed %g", it.ID, c)
				}
			}
			return out
		}
		if a, b := run(), run(); strings.Join(a, "\n") != strings.Join(b, "\n") {
			r.Fatalf("first:\n%s\nthen:\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	})
}

func FuzzClassify(f *testing.F) {
	f.Add("timeout 30s", "timeout 60s")
	f.Add("用 pnpm，不要用 npm", "不用npm改用pnpm")
	f.Add("從 A 改用 B 十萬零五百個半", "//:a..b/~#-,1,2:3")
	f.Fuzz(func(t *testing.T, a, b string) {
		rel, _, err := learn.Rules{}.Classify(t.Context(), a, b)
		if err != nil || rel == "" {
			t.Errorf("%q, %v", rel, err)
		}
		if s := learn.Similarity(a, b); s < 0 || s > 1 || s != learn.Similarity(b, a) {
			t.Errorf("similarity %g", s)
		}
		if rel, _, _ := (learn.Rules{}).Classify(t.Context(), a, a); rel != learn.Duplicates {
			t.Errorf("to itself %s", rel)
		}
	})
}
