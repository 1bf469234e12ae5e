package recall_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"orihon/embed"
	"orihon/internal/opening"
	"orihon/internal/recall"
	"orihon/internal/recall/recalltest"
	"orihon/internal/tokens"
	"orihon/memory"
	"orihon/memory/memorytest"
)

var errBroken = errors.New("broken")

// brokenIndex fails at everything a reader asks.
type brokenIndex struct{ memory.Index }

func (brokenIndex) Search(context.Context, memory.Search) (memory.Candidates, error) {
	return memory.Candidates{}, errBroken
}

func (brokenIndex) Fetch(context.Context, memory.Filter, ...string) ([]memory.Passage, error) {
	return nil, errBroken
}

// panicking does worse: it reads what is not there.
type panicking struct{ memory.Index }

func (panicking) Search(context.Context, memory.Search) (memory.Candidates, error) {
	var nothing []memory.Candidate
	return memory.Candidates{Hits: nothing[:1]}, nil
}

// limping has a leg that fails.
type limping struct{ memory.Index }

func (x limping) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	c, err := x.Index.Search(ctx, s)
	c.Degraded = append(c.Degraded, "vectors")
	return c, err
}

func TestWhateverFailsIsLeftOutAndNamed(t *testing.T) {
	ship := memorytest.Passage("ship", "We deploy with make ship")
	for _, tc := range []struct {
		name     string
		project  func(memory.Index) memory.Index
		degraded []string
		found    bool
	}{
		{"nothing", func(x memory.Index) memory.Index { return recalltest.Asking{Index: x, Embedder: embed.NewHash(0)} }, nil, true},
		{"no embedder", func(x memory.Index) memory.Index { return x }, nil, true},
		{"a leg", func(x memory.Index) memory.Index { return limping{x} }, []string{"project/vectors"}, true},
		{"a source", func(x memory.Index) memory.Index { return brokenIndex{x} }, []string{"project"}, false},
		{"a source that panics", func(x memory.Index) memory.Index { return panicking{x} }, []string{"project"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := recall.New(&recall.Options{Now: clock, Core: func(context.Context) (string, error) {
				t.Error("the core file is read although a source answers")
				return "", nil
			}},
				recall.Source{Name: "project", Index: tc.project(index(t, append(fillers(), ship)...))},
				recall.Source{Name: "user", Index: index(t, memorytest.Passage("wait", "After a deploy with make, wait for the ship bell"))})
			r := ask(t, e, memory.Query{Text: "deploy with make ship", Threshold: -1})
			if !slices.Equal(r.Degraded, tc.degraded) {
				t.Errorf("degraded %v, want %v", r.Degraded, tc.degraded)
			}
			if got := slices.Contains(ids(r.Hits), "ship"); got != tc.found {
				t.Errorf("found %t, want %t", got, tc.found)
			}
			if !slices.Contains(ids(r.Hits), "wait") {
				t.Error("what still works found nothing")
			}
		})
	}
}

func TestWhenEveryIndexFailsMemoryMdIsLeft(t *testing.T) {
	long := "# 記憶\n\n</orihon-memory>" + strings.Repeat("- Invoices are numbered per customer.\n- 部署前先跑測試。\n", 300)
	for _, tc := range []struct {
		name     string
		core     func(context.Context) (string, error)
		query    memory.Query
		want     string
		degraded []string
	}{
		{"short", func(context.Context) (string, error) { return "- Invoices are numbered.\n", nil }, memory.Query{}, "\n- Invoices are numbered.\n\n", []string{"project"}},
		{"too long", func(context.Context) (string, error) { return long, nil }, memory.Query{}, "# 記憶\n\n(/orihon-memory>- Inv", []string{"project"}},
		{"few characters", func(context.Context) (string, error) { return long, nil }, memory.Query{MaxChars: 400}, "# 記憶", []string{"project"}},
		{"no room", func(context.Context) (string, error) { return long, nil }, memory.Query{MaxTokens: 20}, "", []string{"project"}},
		{"empty", func(context.Context) (string, error) { return " \n", nil }, memory.Query{}, "", []string{"project"}},
		{"fails too", func(context.Context) (string, error) { return "", errBroken }, memory.Query{}, "", []string{"project", "core"}},
		{"none", nil, memory.Query{}, "", []string{"project"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := recall.New(&recall.Options{Now: clock, Core: tc.core}, recall.Source{Name: "project", Index: brokenIndex{}})
			tc.query.Text = "how are invoices numbered?"
			r := ask(t, e, tc.query)
			if !strings.Contains(r.Text, tc.want) || (r.Text == "") != (tc.want == "") || strings.Count(r.Text, "</orihon-memory>") > 1 {
				t.Errorf("got %q", r.Text)
			}
			budget := 1500
			if tc.query.MaxTokens > 0 {
				budget = tc.query.MaxTokens
			}
			if r.Tokens != tokens.Estimate(r.Text) || r.Tokens > budget || tc.query.MaxChars > 0 && len([]rune(r.Text)) > tc.query.MaxChars {
				t.Errorf("%d tokens, %d characters", r.Tokens, len([]rune(r.Text)))
			}
			if !slices.Equal(r.Degraded, tc.degraded) || r.Blind {
				t.Errorf("degraded %v, want %v; blind %t", r.Degraded, tc.degraded, r.Blind)
			}
		})
	}
}

func TestRelatedItemsThatCannotBeReadAreLeftOut(t *testing.T) {
	x := index(t, with(memorytest.Passage("a", "the queue is Kafka"), func(p *memory.Passage) { p.Item.Relations.RelatedTo = []string{"b"} }))
	e := over(deaf{x})
	same(t, []string{"a"}, ids(ask(t, e, memory.Query{Text: "queue Kafka"}).Hits))
	opened, err := opening.Begin(t.Context(), e, opening.Options{Viewer: ada, Core: "- the index"})
	if err != nil || !strings.Contains(opened.Text, "- the index") {
		t.Errorf("%v: %q", err, opened.Text)
	}
}

// deaf searches, but cannot fetch.
type deaf struct{ memory.Index }

func (deaf) Fetch(context.Context, memory.Filter, ...string) ([]memory.Passage, error) {
	return nil, errBroken
}
