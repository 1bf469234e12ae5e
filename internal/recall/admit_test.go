package recall_test

import (
	"context"
	"strings"
	"testing"

	"orihon/internal/recall"
	"orihon/memory"
	"orihon/memory/memorytest"
)

func TestIntentAndItsThreshold(t *testing.T) {
	thresholds := map[recall.Intent]float64{
		recall.Debugging: 0.6, recall.Coding: 0.75, recall.Design: 0.7, recall.QA: 0.8, recall.Recalling: 0.7, recall.Other: 0.7,
	}
	for prompt, want := range map[string]recall.Intent{
		"why does the payment worker panic?": recall.Debugging,
		"付款程序為什麼會崩潰":                         recall.Debugging,
		"支付服务报错了":                            recall.Debugging,
		"implement the invoice endpoint":     recall.Coding,
		"幫我實作發票的匯出":                          recall.Coding,
		"给发票加一个导出按钮":                         recall.Coding,
		"sketch the architecture of billing": recall.Design,
		"帳務系統的架構":                            recall.Design,
		"账务系统的设计方案":                          recall.Design,
		"how do I water the plants?":         recall.QA,
		"植物要如何澆水":                            recall.QA,
		"植物怎么浇水":                             recall.QA,
		"what did we decide about invoices":  recall.Recalling,
		"上次的發票錯誤怎麼處理":                        recall.Recalling,
		"还记得发票的错误吗":                          recall.Recalling,
		"watering plants":                    recall.Other,
		"澆花":                                 recall.Other,
		"浇花":                                 recall.Other,
		"":                                   recall.Other,
	} {
		if got := recall.Classify(prompt); got != want {
			t.Errorf("Classify(%q) = %s, want %s", prompt, got, want)
			continue
		}
		if prompt == "" {
			continue
		}
		// An episode that holds the very prompt reaches any threshold, so that
		// nothing lowers the base of the intent.
		e := engine(t, episodes(with(memorytest.Passage("itself", prompt), func(p *memory.Passage) { p.Item.Triggers = []string{prompt} }))...)
		r := ask(t, e, memory.Query{Text: prompt})
		if r.Intent != string(want) || r.Threshold != thresholds[want] {
			t.Errorf("%q: intent %s with threshold %g, want %s with %g", prompt, r.Intent, r.Threshold, want, thresholds[want])
		}
	}
	long := strings.Repeat("x ", 3000) + "the build fails"
	if got := recall.Classify(long); got != recall.Debugging {
		t.Errorf("the end of a long prompt is not looked at: %s", got)
	}
}

// episodes makes passages something for which there is no model.
func episodes(passages ...memory.Passage) []memory.Passage {
	for i := range passages {
		passages[i].Item.Kind = memory.Episodic
	}
	return passages
}

func TestTheThresholdIsLoweredWhileNothingReachesIt(t *testing.T) {
	e := engine(t, episodes(append(fillers(), memorytest.Passage("part", "The staging cluster runs in Frankfurt"))...)...)
	q := memory.Query{Text: "staging cluster: where is the webhook dashboard?", Explain: true}
	r := ask(t, e, q)
	if len(r.Hits) != 1 || r.Threshold >= 0.8 || r.Threshold < 0.5 {
		t.Fatalf("threshold %g keeps %v: %s", r.Threshold, ids(r.Hits), why(r, "part"))
	}
	if h := r.Hits[0]; h.Relevance < r.Threshold || h.Relevance >= 0.8 {
		t.Errorf("relevance %g tests nothing", h.Relevance)
	}
	// It stops at the least, below which nothing is worth its tokens.
	r = ask(t, e, memory.Query{Text: "rotate kubeconfig credentials across staging regions", Explain: true})
	if len(r.Hits) > 0 || r.Threshold != 0.5 {
		t.Errorf("threshold %g keeps %v", r.Threshold, ids(r.Hits))
	}
}

func TestACallersOwnThresholdIsTakenAsItIs(t *testing.T) {
	for _, own := range []float64{0.2, 0.95} {
		if r := ask(t, engine(t, fillers()...), memory.Query{Text: "numbered kangaroos", Threshold: own}); r.Threshold != own {
			t.Errorf("threshold %g, want %g", r.Threshold, own)
		}
	}
	if r := ask(t, engine(t, fillers()...), memory.Query{Text: "numbered kangaroos hop across Antarctica", Threshold: -1}); r.Threshold != 0 || len(r.Hits) == 0 {
		t.Errorf("without a threshold: %g keeps %v", r.Threshold, ids(r.Hits))
	}
}

func TestAgeAndDisuseNeverSilenceWhatIsRelevant(t *testing.T) {
	old := with(memorytest.Passage("old", "The signing key of the release lives in the safe"), func(p *memory.Passage) {
		p.Item.Metadata.CreatedAt = now.AddDate(0, 0, -400)
		p.Item.Metadata.UpdatedAt = p.Item.Metadata.CreatedAt
	})
	fresh := with(memorytest.Passage("fresh", "The release notes mention a new key shortcut for search"), func(p *memory.Passage) {
		p.Item.Metadata.CreatedAt = now
		p.Item.Metadata.UpdatedAt = now
	})
	x := index(t, append(fillers(), old, fresh)...)
	var uses []memory.Use
	for i := range 16 {
		uses = append(uses, memory.Use{ID: "fresh", At: now.AddDate(0, 0, -i)})
	}
	if err := x.Apply(t.Context(), memory.Batch{Uses: uses}); err != nil {
		t.Fatal(err)
	}
	r := ask(t, over(x), memory.Query{Text: "signing key of the release in the safe", Explain: true})
	same(t, []string{"old"}, ids(r.Hits))
	kept, dropped := r.Hits[0], r.Dropped[0]
	if kept.Recency > 0.001 || kept.Access != 0 || dropped.Passage.ID != "fresh" || dropped.Recency < 0.9 || dropped.Access == 0 {
		t.Errorf("the case is not what it says: kept %+v, dropped %+v", kept, dropped)
	}
}

func TestAmongWhatPassedTheFresherGoesFirst(t *testing.T) {
	aged := func(id, text string, days int) memory.Passage {
		return with(memorytest.Passage(id, text), func(p *memory.Passage) { p.Item.Metadata.CreatedAt = now.AddDate(0, 0, -days) })
	}
	e := engine(t, append(fillers(), aged("a-stale", "webhook retries: partner Acme", 300), aged("b-fresh", "webhook retries: partner Zeta", 1))...)
	same(t, []string{"b-fresh", "a-stale"}, ids(ask(t, e, memory.Query{Text: "webhook retries partner"}).Hits))
}

func TestATriggerCallsItsItemUp(t *testing.T) {
	e := engine(t, append(fillers(),
		with(memorytest.Passage("en", "Charge through the sandbox first"), func(p *memory.Passage) { p.Item.Triggers = []string{"stripe"} }),
		with(memorytest.Passage("zh", "每週五發版"), func(p *memory.Passage) { p.Item.Aliases = []string{"上線"} }),
	)...)
	for prompt, want := range map[string]string{"test the Stripe integration": "en", "什么时候上线呢": "zh", "什麼時候上線": "zh"} {
		r := ask(t, e, memory.Query{Text: prompt})
		if len(r.Hits) == 0 || r.Hits[0].Passage.ID != want || r.Hits[0].Why != "its trigger is in the prompt" {
			t.Errorf("%q found %v", prompt, ids(r.Hits))
		}
	}
}

func TestWhatIsBelievedTooLittleIsNotInjected(t *testing.T) {
	e := engine(t, with(memorytest.Passage("guess", "We deploy with make ship"), func(p *memory.Passage) { p.Item.Metadata.Confidence = 0.49 }))
	if r := ask(t, e, memory.Query{Text: "deploy with make ship", Explain: true, Threshold: -1}); len(r.Hits)+len(r.Dropped) > 0 {
		t.Errorf("found %v", ids(r.Hits))
	}
}

func TestStatementsHaveOneThresholdForEveryPrompt(t *testing.T) {
	e := engine(t, append(fillers(), memorytest.Passage("cron", "The nightly export of Acme runs from cron on gamma at 02:30"))...)
	for _, prompt := range []string{"when does the nightly export run?", "implement the nightly export", "the nightly export crashes", "kangaroos"} {
		r := ask(t, e, memory.Query{Text: prompt, Explain: true})
		if r.Threshold != 0.7 && len(r.Hits)+len(r.Dropped) > 0 {
			t.Errorf("%q: threshold %g", prompt, r.Threshold)
		}
		for _, h := range r.Hits {
			if h.Probability < 0.25 || h.Relevance < 0.7 {
				t.Errorf("%q: kept at %.2f, relevance %.2f", prompt, h.Probability, h.Relevance)
			}
		}
		for _, h := range r.Dropped {
			if h.Probability >= 0.25 {
				t.Errorf("%q: dropped at %.2f: %s", prompt, h.Probability, h.Why)
			}
		}
	}
}

func TestTheModelJudgesWithoutVectorsAndNotWithThoseOfAnother(t *testing.T) {
	x := index(t, append(fillers(), memorytest.Passage("cron", "The nightly export of Acme runs from cron on gamma"))...)
	for embedder, judged := range map[string]bool{"": true, "ollama/other/1024": false} {
		r := ask(t, recall.New(&recall.Options{Now: clock}, recall.Source{Name: "project", Index: renamed{x, embedder}}), memory.Query{Text: "when does the nightly export run?", Explain: true})
		if len(r.Hits) == 0 || r.Hits[0].Passage.ID != "cron" || (r.Hits[0].Probability > 0.5) != judged {
			t.Errorf("embedder %q: got %+v", embedder, r.Hits)
		}
	}
}

// renamed is an index without vectors, or with those of a model that was not fitted for.
type renamed struct {
	memory.Index
	embedder string
}

func (x renamed) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	c, err := x.Index.Search(ctx, s)
	c.Embedder = x.embedder
	for i := range c.Hits {
		if x.embedder == "" {
			c.Hits[i].Vector = 0
		}
	}
	return c, err
}
