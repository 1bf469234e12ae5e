package recall_test

import (
	"slices"
	"strings"
	"testing"

	"orihon/memory"
	"orihon/memory/memorytest"
)

// replaced is a statement that another one replaced two days before now.
func replaced(id, text, by string) memory.Passage {
	return with(memorytest.Passage(id, text), func(p *memory.Passage) {
		p.SupersededBy = by
		p.Item.ValidTo = now.AddDate(0, 0, -2)
	})
}

func TestAFormerStatementBringsItsSuccessorAndStandsBehindIt(t *testing.T) {
	e := engine(t, append(fillers(),
		replaced("oldest", "Staging credentials rotate with the wrangler script", "older"),
		replaced("older", "Staging secrets come from the vault", "newest"),
		memorytest.Passage("newest", "Secrets are mounted by the platform"),
	)...)
	// The words match only the statement at the far end of the chain.
	r := ask(t, e, memory.Query{Text: "rotate staging credentials with wrangler", Explain: true})
	same(t, []string{"newest", "older", "oldest"}, ids(r.Hits))
	lines := strings.Split(r.Text, "\n")
	for i, want := range []bool{false, true, true} {
		if line := lines[4+i]; strings.Contains(line, "former, replaced since") != want {
			t.Errorf("marked as former: want %t of %q", want, line)
		}
	}
}

func TestAFormerStatementWithoutItsSuccessorIsNotShown(t *testing.T) {
	e := engine(t, append(fillers(), replaced("old", "The queue is RabbitMQ", "elsewhere"))...)
	r := ask(t, e, memory.Query{Text: "which queue, RabbitMQ?", Explain: true})
	if r.Text != "" || why(r, "old") != "replaced by elsewhere, which is not shown" {
		t.Errorf("%q: %s", r.Text, why(r, "old"))
	}
	for _, circle := range [][]memory.Passage{
		{replaced("a", "The queue is RabbitMQ", "a")},
		{replaced("a", "The queue is RabbitMQ", "b"), replaced("b", "The queue is Kafka", "a")},
	} {
		if r := ask(t, engine(t, circle...), memory.Query{Text: "which queue, RabbitMQ or Kafka?"}); r.Text != "" {
			t.Errorf("statements that replace each other are shown: %s", r.Text)
		}
	}
}

func TestAFormerStatementStandsInTheSectionOfItsSuccessor(t *testing.T) {
	e := engine(t,
		replaced("old", "The release queue is RabbitMQ", "new"),
		with(memorytest.Passage("new", "Push releases to the Kafka queue"), func(p *memory.Passage) { p.Item.Kind = memory.Procedural }),
	)
	r := ask(t, e, memory.Query{Text: "release queue", Threshold: 0.3})
	same(t, []string{"new", "old"}, ids(r.Hits))
	if strings.Index(r.Text, "Kafka") > strings.Index(r.Text, "RabbitMQ") || strings.Contains(r.Text, "Project facts") {
		t.Errorf("the former statement is not behind its successor:\n%s", r.Text)
	}
}

func TestAskedForAnEarlierDayWhatHeldThenIsCurrent(t *testing.T) {
	e := engine(t, append(fillers(),
		replaced("old", "The queue is RabbitMQ", "new"),
		with(memorytest.Passage("new", "The queue is Kafka"), func(p *memory.Passage) { p.Item.ValidFrom = now.AddDate(0, 0, -2) }),
	)...)
	for _, tc := range []struct {
		days   int
		want   []string
		former bool
	}{{-3, []string{"old"}, false}, {-1, []string{"new"}, false}, {0, []string{"new", "old"}, true}} {
		q := memory.Query{Text: "which queue is it?", Threshold: 0.3}
		if tc.days != 0 {
			q.AsOf = now.AddDate(0, 0, tc.days)
		}
		r := ask(t, e, q)
		same(t, tc.want, ids(r.Hits))
		if strings.Contains(r.Text, "former") != tc.former {
			t.Errorf("as of %d days: marked as former, want %t:\n%s", tc.days, tc.former, r.Text)
		}
	}
}

func TestRelatedItemsComeAlongDamped(t *testing.T) {
	related := func(id, text string, to ...string) memory.Passage {
		return with(memorytest.Passage(id, text), func(p *memory.Passage) { p.Item.Relations.RelatedTo = to })
	}
	e := engine(t, append(fillers(),
		related("crash", "The worker crashes when the disk is full", "cleanup", "missing", "bobs"),
		related("cleanup", "Nightly job removes exports", "further"),
		related("further", "Exports are made by hand"),
		with(memorytest.Passage("bobs", "Bob has the disk's password"), func(p *memory.Passage) { p.Item.Scope = memory.Personal("bob") }),
	)...)
	r := ask(t, e, memory.Query{Text: "what do we do when the worker crashes on a full disk?", Explain: true})
	same(t, []string{"crash", "cleanup"}, ids(r.Hits))
	if len(r.Hits) == 2 && (r.Hits[1].Relevance >= r.Hits[0].Relevance || r.Hits[1].Why != "related to a hit") {
		t.Errorf("relevance %g behind %g, %s", r.Hits[1].Relevance, r.Hits[0].Relevance, r.Hits[1].Why)
	}
	for _, h := range r.Dropped {
		if h.Passage.ID == "bobs" || h.Passage.ID == "further" && h.Relevance > r.Hits[1].Relevance/2 {
			t.Errorf("reached too far: %s with %g", h.Passage.ID, h.Relevance)
		}
	}
}

func TestOnlyRepetitionsCollapse(t *testing.T) {
	const long = " when the release branch is cut and the nightly build of the mobile client has passed on every device in the lab"
	for _, tc := range []struct {
		name, a, b string
		collapse   bool
	}{
		{"same words", "Use tabs" + long, "use  tabs" + strings.ToUpper(long), true},
		{"both scripts", "部署前必須先執行測試", "部署前必须先执行测试", true},
		{"a word more in a long text", "Use tabs" + long, "Use tabs" + long + " please", true},
		{"never", "use tabs" + long, "never use tabs" + long, false},
		{"never, short", "use tabs", "never use tabs", false},
		{"not", "Do run the linter" + long, "Do not run the linter" + long, false},
		{"don't", "Run the linter" + long, "Don't run the linter" + long, false},
		{"typographic apostrophe", "Run the linter" + long, "Don’t run the linter" + long, false},
		{"number", "Wait 30 seconds" + long, "Wait 45 seconds" + long, false},
		{"number in words", "Wait two minutes" + long, "Wait five minutes" + long, false},
		{"where digits part", "Use port 12 and 3 workers" + long, "Use port 1 and 23 workers" + long, false},
		{"point", "Wait 1.5 seconds" + long, "Wait 15 seconds" + long, false},
		{"version", "Pin go1.26.1" + long, "Pin go1.26.2" + long, false},
		{"full-width digits", "逾時設為３０秒" + long, "逾時設為６０秒" + long, false},
		{"before and after", "Tag before the tests" + long, "Tag after the tests" + long, false},
		{"Chinese negation", "合併前要跑完整的迴歸測試並通知所有負責人確認發布時間與範圍", "合併前不要跑完整的迴歸測試並通知所有負責人確認發布時間與範圍", false},
		{"Chinese prohibition", "可以直接推送到主干分支并由值班同事负责监控告警以及后续回滚流程", "禁止直接推送到主干分支并由值班同事负责监控告警以及后续回滚流程", false},
		{"Chinese numeral", "每次发布至少需要三位同事审核代码并在群里确认之后才能合并到主干分支上线", "每次发布至少需要两位同事审核代码并在群里确认之后才能合并到主干分支上线", false},
		{"another matter", "Use tabs", "Invoices use tabs in the export", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := engine(t, memorytest.Passage("a", tc.a), memorytest.Passage("b", tc.b))
			r := ask(t, e, memory.Query{Text: tc.a, Threshold: -1, Explain: true})
			if got := len(r.Hits) == 1; got != tc.collapse {
				t.Errorf("collapsed %t, want %t: %s / %s", got, tc.collapse, why(r, "a"), why(r, "b"))
			}
		})
	}
	t.Run("another title", func(t *testing.T) {
		e := engine(t,
			with(memorytest.Passage("a", "Owned by team blue"), func(p *memory.Passage) { p.Item.Title = "Payments" }),
			with(memorytest.Passage("b", "Owned by team blue"), func(p *memory.Passage) { p.Item.Title = "Search" }),
		)
		if r := ask(t, e, memory.Query{Text: "what does team blue own", Threshold: -1}); len(r.Hits) != 2 {
			t.Errorf("got %v", ids(r.Hits))
		}
	})
	t.Run("in two homes", func(t *testing.T) {
		e := over(index(t, memorytest.Passage("a", "use tabs")), index(t, memorytest.Passage("a", "use tabs"), memorytest.Passage("b", "tabs are four wide")))
		r := ask(t, e, memory.Query{Text: "tabs", Threshold: -1})
		got := ids(r.Hits)
		slices.Sort(got)
		same(t, []string{"a", "b"}, got)
	})
}

func TestWhatWasReplacedDoesNotCompeteWithWhatHolds(t *testing.T) {
	old := func(id, text, by string) memory.Passage {
		return with(memorytest.Passage(id, text), func(p *memory.Passage) { p.SupersededBy = by })
	}
	now := memorytest.Passage("now", "The deploy timeout is 90 seconds")
	probability := func(passages ...memory.Passage) float64 {
		r := ask(t, engine(t, append(fillers(), passages...)...), memory.Query{Text: "what is the deploy timeout?", Explain: true, Threshold: -1})
		for _, h := range r.Hits {
			if h.Passage.ID == "now" {
				return h.Probability
			}
		}
		t.Fatal("it is not found")
		return 0
	}
	alone := probability(now)
	if got := probability(now, old("before", "The deploy timeout is 60 seconds", "now"), old("first", "The deploy timeout is 30 seconds", "before")); got < 0.9*alone {
		t.Errorf("wanted at %.2f beside what it replaced, at %.2f alone", got, alone)
	}
}
