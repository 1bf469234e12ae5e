package learn_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/learn"
	"orihon/memory"
)

func TestABatchDecidesAsOneByOne(t *testing.T) {
	var said []learn.Statement
	for i, text := range []string{
		"The cache holds 10 entries", "Use tabs", "The cache holds 20 entries", "use TABS!", "Use spaces", "Logs go to stdout", "Logs go to stdout as JSON", "提交前要跑測試", "提交前不要跑测试", "The cache holds 30 entries",
	} {
		said = append(said, learn.Statement{Text: text, Scope: ann, Session: fmt.Sprint("s", i)})
	}
	show := func(outs []learn.Outcome) (lines []string) {
		for _, o := range outs {
			lines = append(lines, fmt.Sprint(o.Action, " ", o.Item.ID, " ", o.Item.Content, " over ", o.Item.Relations.Supersedes, " beside ", o.Item.Relations.RelatedTo))
		}
		return lines
	}
	single := newDesk(t)
	var one []learn.Outcome
	for _, s := range said {
		one = append(one, single.learn(s))
	}
	d := newDesk(t)
	d.indexed = []memory.Passage{} // the index knows nothing of the batch
	all, err := d.learner.LearnAll(t.Context(), said)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(show(one), show(all)); diff != "" {
		t.Errorf("one by one and in a batch (-one +batch):\n%s", diff)
	}
	if diff := cmp.Diff(single.contents(), d.contents()); diff != "" {
		t.Errorf("stored (-one +batch):\n%s", diff)
	}
}

func TestABatchGoesOnBehindWhatCannotBeKept(t *testing.T) {
	d := newDesk(t)
	out, err := d.learner.LearnAll(t.Context(), []learn.Statement{{Text: "Use tabs", Scope: ann}, {Text: " ", Scope: ann}, {Text: "部署用 make ship", Scope: ann}})
	if !errors.Is(err, memory.ErrInvalid) || len(out) != 3 || out[1].Action != "" {
		t.Errorf("%d outcomes, %v", len(out), err)
	}
	if diff := cmp.Diff([]string{"Use tabs", "部署用 make ship"}, d.contents()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestABatchThatCannotBeWrittenSaysSo(t *testing.T) {
	d := newDesk(t)
	d.putErr = errors.New("no space left on device")
	if _, err := d.learner.LearnAll(t.Context(), []learn.Statement{{Text: "Use tabs", Scope: ann}}); !errors.Is(err, d.putErr) {
		t.Errorf("%v, want what the store said", err)
	}
	if d.audit != nil {
		t.Errorf("audited %+v", d.audit)
	}
}

// statements that look like those of a long-lived project.
func manyStatements(n int) []learn.Statement {
	out := make([]learn.Statement, n)
	for i := range out {
		out[i] = learn.Statement{Scope: ann, Text: fmt.Sprintf([]string{
			"Service s%d listens on port %d behind the gateway", "The handler of topic t%d retries %d times", "組件 c%d 由第 %d 組負責，部署前要先備份", "Table x%d is partitioned into %d parts",
		}[i%4], i, 1000+i)}
	}
	return out
}

func BenchmarkLearnAll(b *testing.B) {
	said := manyStatements(10_000)
	for b.Loop() {
		l := learn.New(&learn.Options{
			Store: nowhere{}, Find: func(context.Context, memory.Scope, string) ([]learn.Neighbour, error) { return nil, nil },
			Audit: func(context.Context, ...memory.AuditRecord) error { return nil }, Now: time.Now, NewID: counter(),
		})
		if _, err := l.LearnAll(b.Context(), said); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(said))/b.Elapsed().Seconds(), "statements/s")
}

func BenchmarkAgainstTenNeighbours(b *testing.B) {
	var near []learn.Neighbour
	for i := range 10 {
		near = append(near, learn.Neighbour{Passage: memory.Passage{ID: fmt.Sprint(i), Item: memory.Item{
			ID: fmt.Sprint(i), Kind: memory.Semantic, Scope: ann, Content: fmt.Sprintf("Service s%d listens on port %d, 部署前要先備份資料庫", i, 1000+i),
		}}})
	}
	l := learn.New(&learn.Options{
		Store: nowhere{}, Find: func(context.Context, memory.Scope, string) ([]learn.Neighbour, error) { return near, nil },
		Audit: func(context.Context, ...memory.AuditRecord) error { return nil }, Now: time.Now, NewID: counter(),
	})
	for b.Loop() {
		if _, err := l.Learn(b.Context(), learn.Statement{Text: "Service s77 listens on port 7777, 部署前要先備份資料庫", Scope: ann}); err != nil {
			b.Fatal(err)
		}
	}
}

func counter() func() string {
	n := 0
	return func() string { n++; return fmt.Sprint("i", n) }
}

// nowhere is a store that takes everything and has nothing.
type nowhere struct{ memory.Store }

func (nowhere) Put(context.Context, ...memory.Item) error { return nil }

func (nowhere) Get(context.Context, string) (memory.Item, error) {
	return memory.Item{}, memory.ErrNotFound
}
