package recall_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/internal/recall"
	"orihon/internal/terms"
	"orihon/memory"
	"orihon/memory/memorytest"
)

func TestHowPromptsLookBack(t *testing.T) {
	prompts := map[recall.Lookback][]string{
		recall.Earlier: {
			"what did we do last time?", "What did we do in the last session?", "remind me what we did last time",
			"which files did we touch in the previous session?", "what did I ask you about yesterday?", "what changed last week",
			"what did we decide on 3 March?", "what have we done today?", "continue the work from yesterday", "what did we work on recently?",
			"good morning! what did we do yesterday?", "catch me up on yesterday", "what is still open from last time?", "what bugs did we fix last week?",
			"give me a recap of the last session", "what have I been doing lately?", "what did we do 3 days ago?", "anything unfinished from our last session?",
			"上次整到邊?", "上次我哋改咗啲乜", "琴日做咗咩", "前排傾咗啲乜嘢", "上次仲有咩未做完", "上回做紧乜", "weekly: what did we change this week?",
			"What did we do last time? I was ill for a week.", "I just came back from Malmö. What did we change last week, please?",
			"上次我們做到哪了？我這週都在倉庫盤點。", "我忘得差不多了。上次改了什么?",
			"daily standup: what did we do yesterday", "周会：上周我们改了什么",
			"早安,昨天做到哪了?", "上次還有什麼沒做完?", "前天改了哪些檔案?", "我上次叫你做什麼?", "回顧一下這週", "從昨天停下的地方繼續", "三天前我們在做什麼?",
			"上次我們做了什麼?", "上次我们做了什么", "我们上次做到哪了", "繼續上次的工作", "继续上次的工作", "昨天做了哪些事?", "今天做了哪些事?",
			"上週改了什麼", "上周我们讨论了什么?", "3月3號我們做了什麼？", "總結一下昨天的工作", "你還記得上次我們聊了什麼嗎?", "上个会话改了哪些文件?",
		},
		recall.Resuming: {
			"where did we leave off?", "continue where we stopped", "Continue where we left off.", "what were we working on?", "where were we?",
			"I'm back. where were we?", "remind me where we are", "最近在忙什麼?", "我回來了,我們做到哪裡?",
			"what did we do?", "what have you done so far?", "pick up where we left off",
			"我們做到哪了?", "做到哪里了", "進度如何?", "之前我們做了什麼?", "你之前改了什麼?",
		},
		recall.Forward: {
			"What did we do last time? The scale drops weights.", "I need the labels today. What did we do last time?", "I was ill for a week. Fix the parser.",
			"上次我們做到哪了？我想先改標籤。", "我在倉庫盤點。",
			"", "?", "yesterday", "stop", "continue", "go on", "ok", "keep going", "leave it to me", "what should we do next?", "what will we do tomorrow?",
			"what do we do today?", "what is left to do?", "I changed the file", "what did we decide about the queue last week?",
			"what did we change about VAT?", "undo the last change", "show me the last commit", "why did the tests fail yesterday?",
			"it worked yesterday", "do it like last time", "what was the error last time?", "revert what we did yesterday", "what did you just do?", "any other problems?",
			"hi", "thanks", "good morning Claude", "is it still open?", "昨天還好好的", "像上次那樣改", "跟上次一樣", "你剛才做了什麼?", "你好", "我回來了",
			"how is it going?", "did that work?", "what is this?", "what changed in vat.go last week?",
			"繼續", "继续做", "接著做", "今天要做什麼?", "下週我們做什麼?", "上次登入頁改了什麼?", "我改了文件", "做什麼?", "這是什麼?", "上次的錯誤又出現了",
			"昨天为什么部署失败?", strings.Repeat("what did we do last time? ", 20),
		},
	}
	for want, all := range prompts {
		for _, p := range all {
			if got := recall.LooksBack(p, now); got != want {
				t.Errorf("%q: %d, want %d", p, got, want)
			}
		}
	}
}

// happened is a passage of a time.
func happened(id, text string, at time.Time, change func(p *memory.Passage)) memory.Passage {
	return with(memorytest.Passage(id, text), func(p *memory.Passage) {
		p.Item.Metadata.CreatedAt, p.Item.ValidFrom = at, at
		p.Item.Metadata.Session = id
		change(p)
	})
}

func episode(p *memory.Passage) { p.Item.Kind = memory.Episodic }
func statement(*memory.Passage) {}

// turn is one of the session that its ID begins with.
func turn(p *memory.Passage) {
	p.Item.Kind, p.Population = memory.Note, memory.UserTurns
	p.Item.Metadata.Session, _, _ = strings.Cut(p.ID, "/")
}

func ago(days, hours int) time.Time {
	return now.Add(-time.Duration(24*days+hours) * time.Hour)
}

func TestAPromptAboutThePastWithoutATopicGetsWhatHappened(t *testing.T) {
	e := engine(t,
		happened("own", "Asked: look around", ago(0, 1), episode),
		happened("morning", "Asked: fix the VAT rounding", ago(0, 3), episode),
		happened("yesterday", "Asked: 把登入頁的逾時改成 12 小時", ago(1, 2), episode),
		happened("sunday", "Asked: the last time zone bug", ago(2, 2), episode),
		happened("lastweek", "Asked: add the carrier API", ago(8, 0), episode),
		happened("fact", "The carrier API has a limit of 100 calls", ago(8, 1), statement),
		happened("old", "Asked: set the project up", ago(60, 0), episode),
		happened("talk/1", "what time is it, last time we talked?", ago(40, 0), turn),
	)
	for _, tc := range []struct {
		prompt string
		want   []string
	}{
		{"what did we do last time?", []string{"morning", "yesterday"}},
		{"where did we leave off?", []string{"morning", "yesterday"}},
		{"continue where we stopped", []string{"morning", "yesterday"}},
		{"what were we working on?", []string{"morning", "yesterday"}},
		{"上次我們做了什麼?", []string{"morning", "yesterday"}},
		{"我们上次做到哪了", []string{"morning", "yesterday"}},
		{"繼續上次的工作", []string{"morning", "yesterday"}},
		{"what did I ask you about yesterday?", []string{"yesterday"}},
		{"昨天做了什麼?", []string{"yesterday"}},
		{"昨天做了什么?", []string{"yesterday"}},
		{"what changed last week", []string{"sunday", "lastweek", "fact"}},
		{"上週改了什麼?", []string{"sunday", "lastweek", "fact"}},
		{"3月9號我們做了什麼?", []string{"lastweek", "fact"}},
		{"what did we do on 12 February?", []string{"old"}}, // nobody worked that day
		{"what did we do in 2019?", nil},
	} {
		r := ask(t, e, memory.Query{Text: tc.prompt, Session: "own", Turns: true})
		if got := ids(r.Hits); !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %v, want %v", tc.prompt, got, tc.want)
		}
		if r.Blind || r.Intent != string(recall.Recalling) || r.Tokens > 1500 {
			t.Errorf("%q: blind %t, intent %s, %d tokens", tc.prompt, r.Blind, r.Intent, r.Tokens)
		}
		for _, id := range tc.want {
			if at := map[string]string{"morning": "(2026-03-17, today)", "yesterday": "(2026-03-16, yesterday)"}[id]; r.Language == "en" && !strings.Contains(strings.ReplaceAll(r.Text, "; the user said", ""), at) {
				t.Errorf("%q: %s is not there:\n%s", tc.prompt, at, r.Text)
			}
		}
	}
}

func TestWhatWasSaidStandsForEpisodesThatNobodyWrote(t *testing.T) {
	e := engine(t,
		happened("a/1", "the last time it was the time zone", ago(9, 0), turn),
		happened("b/1", "make the invoices blue", ago(3, 2), turn),
		happened("b/3", "and the avatars round", ago(3, 1), turn),
	)
	for _, prompt := range []string{"what did we do last time?", "上次我們做了什麼?"} {
		same(t, []string{"b/1", "b/3"}, ids(ask(t, e, memory.Query{Text: prompt, Turns: true}).Hits))
		if r := ask(t, e, memory.Query{Text: prompt}); len(r.Hits) > 0 || r.Blind {
			t.Errorf("%q without turns: %v, blind %t", prompt, ids(r.Hits), r.Blind)
		}
	}
}

func TestAllOfMemoryIsRankedByTheTimeThatIsAskedFor(t *testing.T) {
	e := engine(t, append(fillers(),
		happened("then", "the harbour was closed", ago(9, 0), turn),
		happened("about", "what did we talk about, you ask? we talked about topics to talk about", ago(3, 0), turn),
		happened("說", "我們聊了什麼話題？聊的話題很多", ago(2, 0), turn),
	)...)
	for _, prompt := range []string{"what did we talk about 9 days ago?", "9天前我們聊了什麼話題？", "9天前我们聊了哪些话题？"} {
		r := ask(t, e, memory.Query{Text: prompt, Turns: true, Threshold: -1})
		if got := ids(r.Hits); len(got) < 1 || got[0] != "then" {
			t.Errorf("%s: %v, want what was said then first", prompt, got)
		}
	}
}

func TestASessionThatWasBrokenOffIsTheLastOne(t *testing.T) {
	answer := func(p *memory.Passage) { turn(p); p.Population = memory.AgentTurns }
	asked := happened("c/1", "which carriers do we have?", ago(1, 2), turn)
	told := happened("c/2", "DHL and UPS", ago(1, 1), answer)
	e := engine(t,
		happened("done", "Asked: fix the VAT rounding", ago(9, 0), episode),
		asked, told,
		happened("d/1", "what did we do last time?", ago(0, 2), turn),
		happened("d/2", "ok", ago(0, 1), turn),
	)
	for _, prompt := range []string{"what did we do last time?", "我們上次做到哪了?"} {
		same(t, []string{"c/1", "c/2", "done"}, ids(ask(t, e, memory.Query{Text: prompt, Turns: true}).Hits))
	}
	// Of one that was summed up, or got no answer, nothing is repeated.
	e = engine(t, happened("c", "Asked: the carriers", ago(1, 2), episode), asked, told, happened("e/1", "stop the press", ago(0, 2), turn))
	same(t, []string{"c"}, ids(ask(t, e, memory.Query{Text: "what did we do last time?", Turns: true}).Hits))
}

func TestTheDaysOfThePastAreThoseOfTheUser(t *testing.T) {
	taipei := time.FixedZone("CST", 8*3600)
	at := time.Date(2026, 3, 17, 1, 0, 0, 0, taipei) // the 16th in UTC
	x := index(t,
		happened("night", "Asked: one", at.Add(-30*time.Minute), episode),
		happened("day", "Asked: two", at.Add(-10*time.Hour), episode),
		happened("before", "Asked: three", at.Add(-30*time.Hour), episode),
	)
	e := recall.New(&recall.Options{Now: func() time.Time { return at }}, recall.Source{Name: "project", Index: x})
	same(t, []string{"day"}, ids(ask(t, e, memory.Query{Text: "what did we do yesterday?"}).Hits))
	same(t, []string{"night"}, ids(ask(t, e, memory.Query{Text: "what have we done today?"}).Hits))
}

func TestEpisodesOfThePastAreKeptWithinBudgetWindowAndKinds(t *testing.T) {
	var all []memory.Passage
	for i := range 9 {
		all = append(all, happened(fmt.Sprint("e", i), "Asked: "+strings.Repeat("長", 400), ago(8, i), episode))
	}
	e := engine(t, all...)
	q := memory.Query{Text: "what did we do last week?"}
	r := ask(t, e, q)
	if r.Tokens > 1500 || len(r.Hits) == 0 {
		t.Errorf("%d tokens in %d passages", r.Tokens, len(r.Hits))
	}
	q.Seen = func(string, string) bool { return true }
	if r := ask(t, e, q); r.Text != "" || r.Blind {
		t.Errorf("what stands in the window comes again: blind %t, %q", r.Blind, r.Text)
	}
	if r := ask(t, e, memory.Query{Text: "what did we do last week?", Kinds: []memory.Kind{memory.Semantic}}); len(r.Hits) > 0 {
		t.Errorf("episodes come although they are not asked for: %v", ids(r.Hits))
	}
}

func TestAQuestionAboutThePastWithATopicIsRankedByIt(t *testing.T) {
	e := engine(t, append(fillers(),
		happened("queue", "Asked: replace the queue. Outcome: the queue runs on NATS", ago(8, 0), episode),
		happened("former", "Asked: replace the queue. Outcome: the queue runs on Redis", ago(40, 0), episode),
		happened("carrier", "Asked: add the carrier API", ago(7, 0), episode),
		happened("latest", "Asked: fix the VAT rounding", ago(0, 2), episode),
	)...)
	for _, prompt := range []string{"what did we decide about the queue last week?", "上週 queue 我們決定了什麼?"} {
		if got := ids(ask(t, e, memory.Query{Text: prompt}).Hits); len(got) == 0 || got[0] != "queue" {
			t.Errorf("%q: %v, want queue first", prompt, got)
		}
	}
}

func TestWhatAnEpisodeTellsIsNotToldAgain(t *testing.T) {
	of := func(session string, change func(*memory.Passage)) func(*memory.Passage) {
		return func(p *memory.Passage) { change(p); p.Item.Metadata.Session = session }
	}
	e := engine(t, append(fillers(),
		happened("did", "Asked: the VAT rounding is wrong, fix it\nOutcome: VAT is rounded per line", ago(1, 1), of("s1", episode)),
		happened("s1/1", "the VAT rounding is wrong, fix it", ago(1, 2), turn),
		happened("s2/1", "the VAT rounding is wrong", ago(3, 2), turn),
		happened("vat", "VAT is rounded per line", ago(1, 2), of("s1", statement)),
	)...)
	r := ask(t, e, memory.Query{Text: "what did we change about the VAT rounding?", Turns: true, Explain: true})
	if got := why(r, "s1/1"); got != "told by did" {
		t.Errorf("the turn: %q", got)
	}
	if got := ids(r.Hits); !slices.Contains(got, "did") || !slices.Contains(got, "vat") {
		t.Errorf("got %v, want the episode and the statement", got)
	}
	same(t, []string{"did"}, ids(ask(t, e, memory.Query{Text: "what did we do yesterday?"}).Hits))
}

func TestAQuestionAboutThePastOutlivesASource(t *testing.T) {
	core := func(context.Context) (string, error) { return "- Invoices are numbered.\n", nil }
	broken := recall.Source{Name: "user", Index: brokenIndex{}}
	whole := recall.Source{Name: "project", Index: index(t, happened("did", "Asked: fix the VAT", ago(1, 0), episode))}
	q := memory.Query{Text: "what did we do last time?"}
	r := ask(t, recall.New(&recall.Options{Now: clock, Core: core}, whole, broken), q)
	same(t, []string{"did"}, ids(r.Hits))
	same(t, []string{"user"}, r.Degraded)
	r = ask(t, recall.New(&recall.Options{Now: clock, Core: core}, broken), q)
	if !strings.Contains(r.Text, "Invoices are numbered") || r.Blind {
		t.Errorf("blind %t, got %q", r.Blind, r.Text)
	}
}

func FuzzLooksBack(f *testing.F) {
	for _, s := range []string{"what did we do last time?", "上次我們做了什麼", "5月3號", "\xff上", "昨天\u0301?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		recall.LooksBack(prompt, now)
		for _, w := range recall.Unknown(prompt, terms.Query(prompt)) {
			if w == "" {
				t.Error("an empty word")
			}
		}
	})
}
