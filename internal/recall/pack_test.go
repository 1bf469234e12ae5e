package recall_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"orihon/internal/opening"
	"orihon/internal/tokens"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// webhooks are many statements that all bear on one prompt, about 90 tokens
// each.
func webhooks(n int) []memory.Passage {
	var out []memory.Passage
	for i := range n {
		out = append(out, memorytest.Passage(fmt.Sprintf("p%03d", i), fmt.Sprintf(
			"webhook number %d%s", i, strings.Repeat(fmt.Sprintf(" retries partner%d queue%d", i, i), 10))))
	}
	return out
}

func TestTheBudgetGrowsWithThePrompt(t *testing.T) {
	e := engine(t, webhooks(200)...)
	for _, tc := range []struct{ characters, budget int }{
		{7, 1500}, {49, 1500}, {50, 3000}, {199, 3000}, {200, 5000}, {4000, 5000},
	} {
		prompt := "webhook" + strings.Repeat("\u3000", 3) + strings.Repeat("!", max(0, tc.characters-10))
		if tc.characters < 10 {
			prompt = "webhook"
		}
		r := ask(t, e, memory.Query{Text: prompt, Threshold: -1})
		if r.Tokens > tc.budget || r.Tokens < tc.budget-100 {
			t.Errorf("%d characters: %d tokens injected, want close below %d", tc.characters, r.Tokens, tc.budget)
		}
		if got := tokens.Estimate(r.Text); got != r.Tokens {
			t.Errorf("%d characters: Tokens is %d, the text has %d", tc.characters, r.Tokens, got)
		}
	}
}

func TestACallersOwnBoundsRule(t *testing.T) {
	e := engine(t, webhooks(60)...)
	r := ask(t, e, memory.Query{Text: "webhook", Threshold: -1, MaxTokens: 400, Explain: true})
	if r.Tokens > 400 || r.Tokens < 300 {
		t.Errorf("%d tokens of 400", r.Tokens)
	}
	if got := why(r, r.Dropped[0].Passage.ID); got != "does not fit the budget of 400 tokens" {
		t.Errorf("why: %s", got)
	}
	r = ask(t, e, memory.Query{Text: "webhook", Threshold: -1, MaxChars: 1000, Explain: true})
	if n := len(utf16.Encode([]rune(r.Text))); n > 1000 || n < 600 {
		t.Errorf("%d characters of 1000", n)
	}
	if got := why(r, r.Dropped[0].Passage.ID); got != "does not fit the limit of 1000 characters" {
		t.Errorf("why: %s", got)
	}
	r = ask(t, e, memory.Query{Text: "webhook", Threshold: -1, Limit: 2, Explain: true})
	if len(r.Hits) != 2 || why(r, r.Dropped[0].Passage.ID) != "more than 2 passages" {
		t.Errorf("%d passages, %s", len(r.Hits), why(r, r.Dropped[0].Passage.ID))
	}
	for _, q := range []memory.Query{{MaxTokens: 1}, {MaxChars: 1}, {MaxTokens: 30}} {
		q.Text, q.Threshold = "webhook", -1
		if r := ask(t, e, q); r.Text != "" || r.Tokens != 0 || len(r.Hits) > 0 {
			t.Errorf("what has no room is injected: %q", r.Text)
		}
	}
}

func TestWhatDoesNotFitGivesWayToWhatDoes(t *testing.T) {
	e := engine(t,
		memorytest.Passage("long", "webhook retries "+strings.Repeat("and retries of the webhook ", 200)),
		memorytest.Passage("short", "webhook retries: five"),
	)
	same(t, []string{"short"}, ids(ask(t, e, memory.Query{Text: "webhook retries", Threshold: -1, MaxTokens: 500}).Hits))
}

// words of both languages, among them what is wide, dear or hostile.
var words = []string{
	"deploy", "ship", "never", "kubectl", "staging", "webhook", "retries", "v1.2", "8080", "部署", "前必須", "先執行", "重试", "队列",
	"記憶體", "泄漏", "</orihon-memory>", "<system-reminder>", "😀", "👨‍👩‍👧", "\n", "\t", "é", "naïve", "，", "。", "`code()`", "𠮷",
}

func text(t *rapid.T, most int, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, most).Draw(t, label), rapid.SampledFrom([]string{" ", ""}).Draw(t, label+" gap"))
}

// passage draws one of any kind, scope and state.
func passage(t *rapid.T, i int) memory.Passage {
	p := memorytest.Passage(fmt.Sprintf("p%d", i), fmt.Sprintf("%s deploy", text(t, 60, "content")))
	p.Item.Kind = rapid.SampledFrom([]memory.Kind{memory.Semantic, memory.Episodic, memory.Procedural, memory.Note}).Draw(t, "kind")
	p.Item.Topic = rapid.SampledFrom([]memory.Topic{memory.Fact, memory.Preference, memory.Pitfall}).Draw(t, "topic")
	p.Item.Scope = rapid.SampledFrom([]memory.Scope{
		memory.Global, memory.Shared, memory.Role("art"), memory.Role("ops"), memory.Personal("ada"), memory.Personal("bob"),
	}).Draw(t, "scope")
	switch rapid.IntRange(0, 5).Draw(t, "shape") {
	case 0:
		p.Parent, p.Item.Title = rapid.SampledFrom([]string{"atom1", "atom2"}).Draw(t, "atom"), "Deploys 部署"
	case 1:
		p.SupersededBy = fmt.Sprintf("p%d", rapid.IntRange(0, 12).Draw(t, "successor"))
	case 2:
		p.Item.Relations.RelatedTo = []string{fmt.Sprintf("p%d", rapid.IntRange(0, 12).Draw(t, "related"))}
	case 3:
		p.Item.Triggers = []string{"deploy"}
	}
	return p
}

func TestNoInjectionIsEverOverItsBudget(t *testing.T) {
	x := index(t)
	e := over(x)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(rt, "passages")
		b := memory.Batch{Replace: []string{memorytest.Passage("", "").Source}}
		for i := range n {
			b.Put = append(b.Put, passage(rt, i))
		}
		if err := x.Apply(t.Context(), b); err != nil {
			rt.Fatal(err)
		}
		q := memory.Query{
			Text: text(rt, 40, "prompt"), Viewer: ada, Threshold: rapid.SampledFrom([]float64{-1, 0}).Draw(rt, "threshold"),
			MaxTokens: rapid.IntRange(0, 600).Draw(rt, "tokens"), MaxChars: rapid.IntRange(0, 1500).Draw(rt, "characters"),
			Language: rapid.SampledFrom([]string{"", "en", "zh-Hant", "zh-Hans"}).Draw(rt, "language"),
		}
		r := ask(t, e, q)
		budget := q.MaxTokens
		if budget == 0 {
			budget = 5000
		}
		within(rt, r.Text, r.Tokens, budget, q.MaxChars)
		if (r.Text == "") != (len(r.Hits) == 0) {
			rt.Fatalf("%d hits make the text %q", len(r.Hits), r.Text)
		}
		o := opening.Options{
			Viewer: ada, Core: text(rt, 60, "core"), Brief: text(rt, 60, "brief"), Notes: []string{text(rt, 5, "note")},
			MaxTokens: q.MaxTokens, MaxChars: q.MaxChars, Language: q.Language,
		}
		opened, err := opening.Begin(t.Context(), e, o)
		if err != nil {
			rt.Fatal(err)
		}
		if o.MaxTokens == 0 {
			budget = 2500
		}
		within(rt, opened.Text, opened.Tokens, budget, o.MaxChars)
	})
}

func within(t *rapid.T, text string, n, budget, characters int) {
	t.Helper()
	if got := tokens.Estimate(text); got != n || n > budget {
		t.Fatalf("%d tokens by estimate, %d by name, budget %d:\n%s", got, n, budget, text)
	}
	if got := len(utf16.Encode([]rune(text))); characters > 0 && got > characters {
		t.Fatalf("%d characters of %d:\n%s", got, characters, text)
	}
	if text != "" && (strings.Count(text, "orihon-memory>") != 2+strings.Count(text, "(/orihon-memory>") || !strings.HasSuffix(text, "\n</orihon-memory>")) {
		t.Fatalf("the delimiters do not hold:\n%s", text)
	}
}

func TestNothingLeaksOutOfItsScope(t *testing.T) {
	x := index(t)
	e := over(x)
	rapid.Check(t, func(rt *rapid.T) {
		b := memory.Batch{Replace: []string{memorytest.Passage("", "").Source}}
		secret := make(map[string]memory.Scope)
		for i := range rapid.IntRange(1, 12).Draw(rt, "passages") {
			p := passage(rt, i)
			word := fmt.Sprintf("secret%dx", i)
			p.Item.Content, p.Item.Title = word+" deploy", "deploy "+word
			secret[word] = p.Item.Scope
			b.Put = append(b.Put, p)
		}
		if err := x.Apply(t.Context(), b); err != nil {
			rt.Fatal(err)
		}
		v := memory.Viewer{
			User:  rapid.SampledFrom([]string{"ada", "bob", "eve", ""}).Draw(rt, "user"),
			Roles: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"art", "ops"}), 0, 2, rapid.ID[string]).Draw(rt, "roles"),
		}
		visible := map[memory.Scope]bool{memory.Global: true, memory.Shared: true, memory.Personal(v.User): v.User != ""}
		for _, role := range v.Roles {
			visible[memory.Role(role)] = true
		}
		r, err := e.Recall(t.Context(), memory.Query{Text: "deploy " + text(rt, 5, "prompt"), Viewer: v, Threshold: -1, Explain: true})
		if err != nil {
			rt.Fatal(err)
		}
		for _, list := range [][]memory.Hit{r.Hits, r.Dropped} {
			for _, h := range list {
				if !visible[h.Passage.Item.Scope] {
					rt.Fatalf("%+v was given %s of %s", v, h.Passage.ID, h.Passage.Item.Scope)
				}
			}
		}
		opened, err := opening.Begin(t.Context(), e, opening.Options{Viewer: v})
		if err != nil {
			rt.Fatal(err)
		}
		for _, p := range opened.Applied {
			if !visible[p.Item.Scope] {
				rt.Fatalf("%+v begins with %s of %s", v, p.ID, p.Item.Scope)
			}
		}
		for word, scope := range secret {
			if !visible[scope] && strings.Contains(r.Text+opened.Text, word) {
				rt.Fatalf("%+v reads %s of %s:\n%s\n%s", v, word, scope, r.Text, opened.Text)
			}
		}
	})
}
