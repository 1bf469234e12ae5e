package recall_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"orihon/embed"
	"orihon/internal/opening"
	"orihon/internal/recall"
	"orihon/internal/recall/recalltest"
	"orihon/internal/wording"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// The names of what tests share are short here.
var (
	now     = recalltest.Now
	ada     = recalltest.Ada
	clock   = recalltest.Clock
	index   = recalltest.Index
	over    = recalltest.Over
	engine  = recalltest.Engine
	with    = recalltest.With
	golden  = recalltest.Golden
	fillers = recalltest.Fillers
)

// ask recalls as ada, unless the query names someone else.
func ask(t testing.TB, e *recall.Engine, q memory.Query) *memory.Recollection {
	t.Helper()
	if q.Viewer.User == "" {
		q.Viewer = ada
	}
	r, err := e.Recall(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ids(hits []memory.Hit) []string {
	var out []string
	for i := range hits {
		out = append(out, hits[i].Passage.ID)
	}
	return out
}

func why(r *memory.Recollection, id string) string {
	for _, h := range slices.Concat(r.Hits, r.Dropped) {
		if h.Passage.ID == id {
			return h.Why
		}
	}
	return "not a candidate"
}

func same(t *testing.T, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong passages (-want +got):\n%s", diff)
	}
}

func TestTheWalkOfTheIssue(t *testing.T) {
	e := engine(t, append(fillers(),
		memorytest.Passage("ship", "We deploy with make ship, never with kubectl directly"),
		memorytest.Passage("build", "部署前必須先執行 npm run build"),
	)...)
	for _, tc := range []struct{ prompt, id, text, language string }{
		{"how do I deploy?", "ship", "We deploy with make ship, never with kubectl directly", "en"},
		{"部署前要做什么", "build", "部署前必須先執行 npm run build", "zh-Hans"},
		{"部署前要做什麼", "build", "部署前必須先執行 npm run build", "zh-Hant"},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			r := ask(t, e, memory.Query{Text: tc.prompt})
			if got := ids(r.Hits); len(got) == 0 || got[0] != tc.id {
				t.Fatalf("found %v, want %s first", got, tc.id)
			}
			if !strings.Contains(r.Text, tc.text) {
				t.Errorf("%q is not in the text:\n%s", tc.text, r.Text)
			}
			if slices.ContainsFunc(r.Hits, func(h memory.Hit) bool { return strings.HasPrefix(h.Passage.ID, "filler") }) {
				t.Errorf("what has nothing to do with it came along: %v", ids(r.Hits))
			}
			if r.Language != tc.language {
				t.Errorf("language %s, want %s", r.Language, tc.language)
			}
			if r.Blind || len(r.Degraded) > 0 {
				t.Errorf("blind %t, degraded %v", r.Blind, r.Degraded)
			}
		})
	}
}

func TestAPromptWithoutContentAsksForTheLastTurns(t *testing.T) {
	e := engine(t, append(fillers(), memorytest.Passage("ship", "We deploy with make ship"))...)
	for _, prompt := range []string{"ok", "繼續", "好的,继续", "yes, go on", "", "   ", "？？？"} {
		r := ask(t, e, memory.Query{Text: prompt})
		if r.Text != "" || len(r.Hits) > 0 || r.Blind {
			t.Errorf("%q alone injects %q, blind %t", prompt, r.Text, r.Blind)
		}
		r = ask(t, e, memory.Query{Text: prompt, Recent: []string{"water the plants", "deploy it with make", "ok"}})
		same(t, []string{"ship"}, ids(r.Hits))
	}
}

func TestWhatStandsInTheWindowIsNotInjectedAgainUntilItChanges(t *testing.T) {
	x := index(t, append(fillers(), memorytest.Passage("ship", "We deploy with make ship"))...)
	e := over(x)
	window := map[string]string{}
	q := memory.Query{Text: "deploy with make ship", Explain: true, Seen: func(id, hash string) bool { return window[id] == hash }}
	r := ask(t, e, q)
	same(t, []string{"ship"}, ids(r.Hits))
	window["ship"] = r.Hits[0].Hash
	if r = ask(t, e, q); r.Text != "" || r.Blind {
		t.Errorf("injected again: %q, blind %t", r.Text, r.Blind)
	}
	if got := why(r, "ship"); got != "already in this window" {
		t.Errorf("why: %q", got)
	}
	if err := x.Apply(t.Context(), memory.Batch{Put: []memory.Passage{memorytest.Passage("ship", "We deploy with make ship and wait")}}); err != nil {
		t.Fatal(err)
	}
	same(t, []string{"ship"}, ids(ask(t, e, q).Hits))
}

func TestMemoryThatHoldsNothingSaysSo(t *testing.T) {
	e := engine(t, fillers()...)
	for _, tc := range []struct{ prompt, language, want string }{
		{"where is the Kubernetes ingress?", "en", "Memory holds nothing on this (searched for: Kubernetes)."},
		{"「量子糾纏」在哪裡?", "zh-Hant", "記憶中沒有關於此事的內容（查過：量子糾纏）。"},
		{"「量子纠缠」在哪里?", "zh-Hans", "记忆中没有关于此事的内容（查过：量子纠缠）。"},
	} {
		r := ask(t, e, memory.Query{Text: tc.prompt})
		if !r.Blind || r.Text != "" || len(r.Hits) > 0 {
			t.Errorf("%q: blind %t, text %q", tc.prompt, r.Blind, r.Text)
		}
		if got := wording.BlindText(tc.language, recall.Unknown(tc.prompt, r.Unheard)); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
	if r := ask(t, e, memory.Query{Text: "when are the plants watered?"}); r.Blind {
		t.Error("blind although something was found")
	}
}

// listener is an embedder that remembers how long the longest prompt was.
type listener struct {
	memory.Embedder
	longest int // characters
}

func (l *listener) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	for _, s := range texts {
		l.longest = max(l.longest, utf8.RuneCountInString(s))
	}
	return l.Embedder.Embed(ctx, texts)
}

func TestOfAPastedPromptHeadAndTailAreLookedAt(t *testing.T) {
	called := func(id, trigger string) memory.Passage {
		return with(memorytest.Passage(id, "statement "+id), func(p *memory.Passage) { p.Item.Triggers = []string{trigger} })
	}
	x := index(t, called("head", "stripe"), called("middle", "paypal"), called("tail", "上線"))
	for _, filler := range []string{"kangaroos hop. ", "袋鼠跳。"} {
		l := &listener{Embedder: embed.NewHash(0)}
		e := recall.New(&recall.Options{Now: clock}, recall.Source{Name: "project", Index: recalltest.Asking{Index: x, Embedder: l}})
		pasted := strings.Repeat(filler, 2000)
		got := ids(ask(t, e, memory.Query{Text: "test stripe " + pasted + " paypal " + pasted + " 什么时候上线"}).Hits)
		slices.Sort(got)
		same(t, []string{"head", "tail"}, got)
		if l.longest == 0 || l.longest > 2001 {
			t.Errorf("%d characters were embedded", l.longest)
		}
		// Just as long as it may be, it is taken whole.
		whole := "paypal " + strings.Repeat("x", 1993)
		if got := ids(ask(t, e, memory.Query{Text: whole}).Hits); !slices.Contains(got, "middle") || l.longest > 2001 {
			t.Errorf("found %v", got)
		}
	}
}

func TestTermsStandRarestFirst(t *testing.T) {
	var all []memory.Passage
	for _, w := range strings.Fields("alpha beta gamma delta epsilon zeta") {
		all = append(all, memorytest.Passage(w, "the invoice of "+w))
	}
	r := ask(t, engine(t, all...), memory.Query{Text: "file invoice gamma zebra"})
	if diff := cmp.Diff([]string{"zebra", "gamma", "invoic", "file"}, r.Terms); diff != "" {
		t.Error(diff)
	}
}

func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	var all []memory.Passage
	for i, text := range []string{
		"Deploy with make ship", "Deploy to staging first", "A deploy needs two approvals", "Deploys are frozen on Fridays",
		"部署前先跑測試", "部署之后查看监控", "The deploy user is robot",
	} {
		all = append(all, memorytest.Passage(string(rune('a'+i)), text))
	}
	all[2].Item.Relations.RelatedTo = []string{"g", "f"}
	all = append(all, fillers()...)
	q := memory.Query{Text: "deploy error: how do we deploy to staging? 部署", Explain: true, Threshold: -1, Limit: 6}
	q.Viewer = ada
	first := ask(t, engine(t, all...), q)
	if len(first.Hits) < 2 || len(first.Dropped) == 0 {
		t.Fatalf("%d kept and %d dropped compare little", len(first.Hits), len(first.Dropped))
	}
	for seed := range 4 {
		shuffled := slices.Clone(all)
		for i := range shuffled {
			j := (i*7 + seed*5) % len(shuffled)
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		}
		e := engine(t, shuffled...)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				r, err := e.Recall(context.Background(), q)
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff(first, r); diff != "" {
					t.Errorf("seed %d (-first +got):\n%s", seed, diff)
				}
			})
		}
		wg.Wait()
	}
}

func TestExplainKeepsWhatWasDroppedWithTheReason(t *testing.T) {
	e := engine(t,
		memorytest.Passage("ship", "We deploy with make ship"),
		memorytest.Passage("twin", "we deploy with make ship"),
		memorytest.Passage("seen", "Deploy with make ship, hotfixes too"),
		memorytest.Passage("weak", "The ship in the logo of the start page is drawn by hand and has three masts"),
	)
	q := memory.Query{Text: "deploy make ship", Threshold: 0.3, Seen: func(id, _ string) bool { return id == "seen" }}
	if r := ask(t, e, q); len(r.Dropped) > 0 {
		t.Errorf("dropped passages without Explain: %v", ids(r.Dropped))
	}
	q.Explain = true
	r := ask(t, e, q)
	got := map[string]string{}
	for _, h := range slices.Concat(r.Hits, r.Dropped) {
		got[h.Passage.ID] = h.Why
		if h.Kept != slices.Contains(ids(r.Hits), h.Passage.ID) {
			t.Errorf("%s: kept %t", h.Passage.ID, h.Kept)
		}
	}
	for id, want := range map[string]string{
		"ship": "its text matches", "twin": "says nearly the same as ship",
		"seen": "already in this window", "weak": "below the threshold",
	} {
		if !strings.Contains(got[id], want) {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
	}
	for _, h := range r.Hits {
		if h.Own <= 0 || h.Vector <= 0 || h.Fused <= 0 || h.Relevance <= 0 || h.Recency <= 0 || h.Score <= 0 || h.Tokens <= 0 || h.Hash == "" {
			t.Errorf("a stage has no figure: %+v", h)
		}
	}
}

func TestAnEndedContextIsTheOnlyError(t *testing.T) {
	e := engine(t, memorytest.Passage("ship", "We deploy with make ship"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, prompt := range []string{"deploy", "ok"} {
		r, err := e.Recall(ctx, memory.Query{Text: prompt, Viewer: ada})
		if !errors.Is(err, context.Canceled) || r == nil || r.Text != "" {
			t.Errorf("%q: %v, %+v", prompt, err, r)
		}
	}
	if _, err := opening.Begin(ctx, e, opening.Options{Viewer: ada}); !errors.Is(err, context.Canceled) {
		t.Errorf("Begin: %v", err)
	}
}
