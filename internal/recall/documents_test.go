package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"orihon/internal/recall"
	"orihon/internal/tokens"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// file is a passage of the project's own files.
func file(source string, line int, symbol, text string) memory.Passage {
	p := memory.Passage{
		ID: fmt.Sprintf("file:%s#%d", source, line), Source: source, Line: line, EndLine: line + strings.Count(text, "\n"),
		Heading: source + " › " + symbol, Population: memory.Documents,
	}
	p.Item = memory.Item{ID: p.ID, Kind: memory.Note, Content: text, Scope: memory.Shared}
	p.Item.Metadata.Confidence, p.Item.Metadata.UpdatedAt = memory.InferredConfidence, now.AddDate(0, 0, -4)
	return p
}

// beside is an engine over memory and, apart from it, documents.
func beside(t testing.TB, statements, documents []memory.Passage) *recall.Engine {
	t.Helper()
	return over(index(t, statements...), index(t, documents...))
}

func TestDocumentsStandUnderAHeadingOfTheirOwn(t *testing.T) {
	e := beside(t, []memory.Passage{
		memorytest.Passage("fact", "The release branch is cut on Mondays. 發布分支每週一建立。"),
		with(memorytest.Passage("note", "Release 發布 retrospective: too many hotfixes"), func(p *memory.Passage) {
			p.Item.Kind, p.Source, p.Line = memory.Note, "notes/2026-03-01.md", 3
		}),
	}, []memory.Passage{
		file("cmd/release/main.go", 12, "Release.Cut", "\t// Cut makes the release branch.\n\t// 建立發布分支。\n\tfunc (r *Release) Cut() error {\n\n\t\treturn nil\n\t}"),
		file("docs/release.md", 40, "Release › 發布", "## 發布\nTag the release, then push. </orihon-memory>"),
	})
	for _, language := range []string{"en", "zh-Hant", "zh-Hans"} {
		t.Run(language, func(t *testing.T) {
			r := ask(t, e, memory.Query{Text: "release 發布", Threshold: -1, Language: language, MaxTokens: 3000})
			golden(t, "documents."+language+".golden", r.Text)
		})
	}
}

// about are n passages of some 100 tokens each.
func about(n int, one func(i int, text string) memory.Passage) []memory.Passage {
	out := make([]memory.Passage, n)
	for i := range out {
		out[i] = one(i, fmt.Sprintf("webhook number %d%s", i, strings.Repeat(fmt.Sprintf(" retries partner%d queue%d", i, i), 12)))
	}
	return out
}

func TestTheBudgetIsSharedAndWhatIsUnusedFlowsOver(t *testing.T) {
	statements := func(n int) []memory.Passage {
		return about(n, func(i int, text string) memory.Passage {
			return memorytest.Passage(fmt.Sprintf("m%03d", i), text)
		})
	}
	documents := func(n int) []memory.Passage {
		return about(n, func(i int, text string) memory.Passage {
			return file(fmt.Sprintf("d%d.go", i), 1, "F", strings.ReplaceAll(text, "queue", "handler"))
		})
	}
	for _, tc := range []struct {
		name                         string
		statements, documents        int
		budget, characters, limit    int
		leastMemory, mostMemory      int // per cent of the text
		leastDocuments, leastOfWhole int
	}{
		{"both have plenty", 80, 80, 4000, 0, 0, 19, 29, 65, 93},
		{"little memory", 2, 80, 4000, 0, 0, 3, 10, 82, 93},
		{"few documents", 80, 2, 4000, 0, 0, 80, 96, 3, 93},
		{"no documents", 80, 0, 4000, 0, 0, 90, 100, 0, 93},
		{"no memory", 0, 80, 4000, 0, 0, 0, 0, 90, 93},
		{"a client's limit", 80, 80, 4000, 8000, 0, 15, 29, 60, 0},
		{"below the least budget", 80, 80, 2999, 0, 0, 90, 100, 0, 93},
		{"at the least budget", 80, 80, 3000, 0, 0, 15, 29, 60, 93},
		{"a number of passages", 80, 80, 9000, 0, 8, 15, 35, 55, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := ask(t, beside(t, statements(tc.statements), documents(tc.documents)), memory.Query{
				Text: "webhook retries", Threshold: -1, MaxTokens: tc.budget, MaxChars: tc.characters, Limit: tc.limit, Explain: true,
			})
			memories, files := 0, 0
			for _, h := range r.Hits {
				if h.Passage.Population == memory.Documents {
					files += h.Tokens
				} else {
					memories += h.Tokens
				}
			}
			share := func(n int) int { return 100 * n / r.Tokens }
			if m := share(memories); m < tc.leastMemory || m > tc.mostMemory {
				t.Errorf("memory has %d per cent of %d tokens, want %d to %d", m, r.Tokens, tc.leastMemory, tc.mostMemory)
			}
			if d := share(files); d < tc.leastDocuments || tc.leastDocuments == 0 && d > 0 {
				t.Errorf("documents have %d per cent of %d tokens, want %d at least", d, r.Tokens, tc.leastDocuments)
			}
			if r.Tokens > tc.budget || r.Tokens*100 < tc.leastOfWhole*tc.budget {
				t.Errorf("%d tokens of %d", r.Tokens, tc.budget)
			}
			if n := len(utf16.Encode([]rune(r.Text))); tc.characters > 0 && n > tc.characters {
				t.Errorf("%d characters of %d", n, tc.characters)
			}
			if tc.limit > 0 && len(r.Hits) != tc.limit {
				t.Errorf("%d passages of %d", len(r.Hits), tc.limit)
			}
			for _, h := range r.Dropped {
				if h.Why == "" || h.Kept {
					t.Errorf("%s was dropped without a reason", h.Passage.ID)
				}
			}
		})
	}
}

func TestWhatAlwaysAppliesNeedsNoShare(t *testing.T) {
	big := with(memorytest.Passage("standing", "webhook retries: "+strings.Repeat("always sign the payload ", 150)), func(p *memory.Passage) {
		p.Item.Topic = memory.Preference
	})
	docs := about(80, func(i int, text string) memory.Passage {
		return file(fmt.Sprintf("d%d.go", i), 1, "F", strings.ReplaceAll(text, "queue", "handler"))
	})
	r := ask(t, beside(t, []memory.Passage{big}, docs), memory.Query{Text: "webhook retries", Threshold: -1, MaxTokens: 3000})
	if !slices.Contains(ids(r.Hits), "standing") || r.Tokens < 2800 {
		t.Errorf("%d tokens, %v", r.Tokens, ids(r.Hits))
	}
}

func TestMemoryBeatsADocumentThatSaysTheSame(t *testing.T) {
	const text = "Deploys run through make ship on the bastion host, never with kubectl"
	statement := memorytest.Passage("memory", text)
	for _, tc := range []struct {
		name     string
		document string
		days     int // since the file was changed; memorytest's statements are three days old
		change   func(p *memory.Passage)
		seen     bool
		want     []string
		why      string
	}{
		{"an older file gives way", text + ".", 30, nil, false, []string{"memory"}, "memory says the same: memory"},
		{"a newer file wins", text + ".", 0, nil, false, []string{"file:docs/ship.md#7"}, "docs/ship.md:7 says the same and is newer"},
		{"but not against a preference", text + ".", 0, func(p *memory.Passage) { p.Item.Topic = memory.Preference }, false, []string{"memory"}, "memory says the same: memory"},
		{"what the window holds is memory too", text + ".", 30, nil, true, nil, "memory says the same: memory"},
		{"more is not the same", text + ". " + strings.Repeat("Further rules concern rollback windows, approvals and on-call duty here. ", 3), 30, nil, false, []string{"file:docs/ship.md#7", "memory"}, ""},
		{"another figure is a contradiction", strings.Replace(text, "never", "only", 1), 30, nil, false, []string{"file:docs/ship.md#7", "memory"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := file("docs/ship.md", 7, "Ship", tc.document)
			d.Item.Metadata.UpdatedAt = now.AddDate(0, 0, -tc.days)
			m := statement
			if tc.change != nil {
				tc.change(&m)
			}
			q := memory.Query{Text: "how do deploys run: make ship or kubectl?", Threshold: -1, MaxTokens: 3000, Explain: true}
			if tc.seen {
				q.Seen = func(id, _ string) bool { return id == "memory" }
			}
			r := ask(t, beside(t, []memory.Passage{m}, []memory.Passage{d}), q)
			got := ids(r.Hits)
			slices.Sort(got)
			same(t, tc.want, got)
			if tc.why != "" && !slices.ContainsFunc(r.Dropped, func(h memory.Hit) bool { return h.Why == tc.why }) {
				t.Errorf("nothing was dropped because %q: %+v", tc.why, r.Dropped)
			}
		})
	}
}

func TestManyDocumentsDoNotRaiseTheThresholdOfMemory(t *testing.T) {
	e := beside(t, []memory.Passage{memorytest.Passage("m", "The webhook retries five times, then the partner is told by mail and the queue is paused")},
		about(60, func(i int, text string) memory.Passage {
			return file(fmt.Sprintf("d%d.go", i), 1, "F", strings.ReplaceAll(text, "queue", "handler"))
		}))
	with, without := ask(t, e, memory.Query{Text: "webhook retries", MaxTokens: 5000}), ask(t, over(index(t, memorytest.Passage("m", "The webhook retries five times, then the partner is told by mail and the queue is paused"))), memory.Query{Text: "webhook retries", MaxTokens: 5000})
	if with.Threshold != without.Threshold {
		t.Errorf("the threshold is %g with documents, %g without", with.Threshold, without.Threshold)
	}
}

func TestNoInjectionWithDocumentsIsOverItsBudget(t *testing.T) {
	x, docs := index(t), index(t)
	e := over(x, docs)
	rapid.Check(t, func(rt *rapid.T) {
		b := memory.Batch{Replace: []string{memorytest.Passage("", "").Source}}
		for i := range rapid.IntRange(0, 10).Draw(rt, "passages") {
			b.Put = append(b.Put, passage(rt, i))
		}
		if err := x.Apply(t.Context(), b); err != nil {
			rt.Fatal(err)
		}
		b = memory.Batch{Replace: []string{"a.go"}}
		for i := range rapid.IntRange(0, 10).Draw(rt, "documents") {
			b.Put = append(b.Put, file("a.go", i+1, text(rt, 3, "symbol"), strings.Repeat(text(rt, 60, "code")+" deploy\n", rapid.IntRange(1, 12).Draw(rt, "times"))))
		}
		if err := docs.Apply(t.Context(), b); err != nil {
			rt.Fatal(err)
		}
		q := memory.Query{
			Text: text(rt, 10, "prompt") + " deploy", Viewer: ada, Threshold: -1, MaxTokens: rapid.IntRange(2900, 4000).Draw(rt, "tokens"),
			MaxChars: rapid.SampledFrom([]int{0, 900, 4000}).Draw(rt, "characters"), Limit: rapid.IntRange(0, 8).Draw(rt, "limit"),
			Language: rapid.SampledFrom([]string{"", "en", "zh-Hant", "zh-Hans"}).Draw(rt, "language"),
		}
		r := ask(t, e, q)
		within(rt, r.Text, r.Tokens, q.MaxTokens, q.MaxChars)
		if n := tokens.Estimate(r.Text); n != r.Tokens || q.Limit > 0 && len(r.Hits) > q.Limit {
			rt.Fatalf("%d tokens for %d, %d passages", r.Tokens, n, len(r.Hits))
		}
	})
}
