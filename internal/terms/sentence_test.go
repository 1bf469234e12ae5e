package terms_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/terms"
)

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \n\n ", nil},
		{"no sign at its end", []string{"no sign at its end"}},
		{"We ship on Friday. Is it tested? Yes!", []string{"We ship on Friday.", "Is it tested?", "Yes!"}},
		{"one line\nand. another\r\n\ta third", []string{"one line", "and.", "another", "a third"}},

		// A full stop within a word, or behind an abbreviation.
		{"Read go.mod of v1.2.3. Then build.", []string{"Read go.mod of v1.2.3.", "Then build."}},
		{"Use a cache, e.g. Redis, etc. and so on. Done.", []string{"Use a cache, e.g. Redis, etc. and so on.", "Done."}},
		{"Tabs vs. spaces (cf. Dr. Wu) are settled. E.g. here.", []string{"Tabs vs. spaces (cf. Dr. Wu) are settled.", "E.g. here."}},
		{"Parcels go to Fr. Novak. Nobody else signs.", []string{"Parcels go to Fr. Novak.", "Nobody else signs."}},
		{"Ask Bgm. Kowal before noon. Then print.", []string{"Ask Bgm. Kowal before noon.", "Then print."}},
		{"ship it to hr. novak. ing. bauer has the key", []string{"ship it to hr. novak.", "ing. bauer has the key"}},
		{"Set max. 6 retries, ca. 30 s apart, z.B. at night.", []string{"Set max. 6 retries, ca. 30 s apart, z.B. at night."}},
		{"Use bit no. 3 of it. Is that so? no. Then 4.", []string{"Use bit no. 3 of it.", "Is that so?", "no.", "Then 4."}},
		{"We call on fri. at ten. Lunch is on Fri. Bring bread.", []string{"We call on fri. at ten.", "Lunch is on Fri.", "Bring bread."}},
		{"It opens at 5 p.m. on weekdays, else at 6 p.m. Ring twice.", []string{"It opens at 5 p.m. on weekdays, else at 6 p.m.", "Ring twice."}},
		{"It takes 40 ms. Then it stops.", []string{"It takes 40 ms.", "Then it stops."}},
		{"Open the MR. Then take rev c. rev b stays. Use tabs. no spaces.", []string{"Open the MR.", "Then take rev c.", "rev b stays.", "Use tabs.", "no spaces."}},
		{"It is Kbd. Then plug it in. Hmm. That was it.", []string{"It is Kbd.", "Then plug it in.", "Hmm.", "That was it."}},
		{"The revs. They differ.", []string{"The revs.", "They differ."}},
		{"Really?! Wait... what", []string{"Really?!", "Wait...", "what"}},
		{"a?b:c stays !ok", []string{"a?b:c stays !ok"}},

		// What is quoted.
		{`He said "no." and left. So did I.`, []string{`He said "no." and left.`, "So did I."}},
		{"It works\n\"mostly\".", []string{"It works", "\"mostly\"."}},

		// 繁體 and 简体.
		{"星期五發布。測過了嗎？還沒！", []string{"星期五發布。", "測過了嗎？", "還沒！"}},
		{"星期五发布。测过了吗？还没！", []string{"星期五发布。", "测过了吗？", "还没！"}},
		{"她說「不行。」然後走了。好", []string{"她說「不行。」", "然後走了。", "好"}},
		{"她说“不行。”然后走了。（我也是。）好", []string{"她说“不行。”", "然后走了。", "（我也是。）", "好"}},
		{"真的？！是。。。好", []string{"真的？！", "是。。。", "好"}},
		{"這樣可以嗎?另外看一下 go.mod。", []string{"這樣可以嗎?", "另外看一下 go.mod。"}},
		{"太好了!下一步用 A vs. B 的結果", []string{"太好了!", "下一步用 A vs. B 的結果"}},
		{"1.安装依赖，版本 v1.2；不动别的。", []string{"1.安装依赖，版本 v1.2；不动别的。"}},
		{"\xff。\xfe", []string{"\xff。", "\xfe"}},
	} {
		if diff := cmp.Diff(tt.want, slices.Collect(terms.Sentences(tt.text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
	for range terms.Sentences("It can be. Left early.") {
		break
	}
}

// Nothing but white space is lost between sentences.
func FuzzSentences(f *testing.F) {
	for _, text := range []string{"a. b", "她說「不。」好", "x?!\ny", "e.g. "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for s := range terms.Sentences(text) {
			before, after, ok := strings.Cut(rest, s)
			if !ok || strings.TrimSpace(before) != "" {
				t.Fatalf("%q: %q stands behind %q", text, s, before)
			}
			rest = after
		}
		if strings.TrimSpace(rest) != "" {
			t.Fatalf("%q: %q is lost", text, rest)
		}
	})
}
