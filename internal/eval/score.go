package eval

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"time"
	"unicode/utf8"
)

// Ranking holds for each question the turns that were found, best first.
type Ranking map[string][]string

// Write writes the ranking as "question_id rank turn_id", one hit per line, in
// the order of the data.
func (r Ranking) Write(w io.Writer, data []Conversation) error {
	b := bufio.NewWriter(w)
	for i := range data {
		for _, q := range data[i].Questions {
			for rank, turn := range r[q.ID] {
				fmt.Fprintf(b, "%s %d %s\n", q.ID, rank+1, turn)
			}
		}
	}
	return b.Flush()
}

// ScoreOptions tune [Score]; nil is the zero value.
type ScoreOptions struct {
	Budgets []int    // of tokens; nil is 256, 512, 1,024, 2,048, 4,096
	Skip    []string // categories that are left out; nil is "adversarial"
}

// ranks are the depths at which recall is told.
func ranks() []int { return []int{1, 5, 10, 20, 50} }

// Scores are the figures of a ranking.
type Scores struct {
	// Metrics names the columns:
	//
	//	R@k      share of the evidence in the first k turns
	//	all@k    share of questions with all of their evidence in them
	//	any@10   share of questions with any of it in the first ten
	//	MRR      one over the rank of the first piece of evidence
	//	nDCG@10  discounted gain of the first ten, each hit counting alike
	//	tok@k    tokens of the first k turns
	//	R@tokB   share of the evidence when a budget of B tokens is filled in
	//	         order of rank; a turn that does not fit is passed over
	Metrics []string
	// Groups are the averages over all questions and by category, largest first.
	Groups []Group

	rows []row
}

// Group is the average over some questions, in the order of [Scores.Metrics].
type Group struct {
	Category string // "ALL" for all of them
	N        int
	Values   []float64 // not a number when N is 0
}

// row holds the figures of one question.
type row struct {
	category string
	values   []float64
}

// Score scores a ranking. Questions without evidence are left out; questions
// the ranking does not have found nothing.
func Score(data []Conversation, found Ranking, o *ScoreOptions) *Scores {
	opt := ScoreOptions{}
	if o != nil {
		opt = *o
	}
	if opt.Budgets == nil {
		opt.Budgets = []int{256, 512, 1024, 2048, 4096}
	}
	if opt.Skip == nil {
		opt.Skip = []string{"adversarial"}
	}
	s := &Scores{Metrics: metrics(opt.Budgets)}
	for i := range data {
		c := &data[i]
		cost := make(map[string]float64, len(c.Turns))
		for j := range c.Turns {
			cost[c.Turns[j].ID] = tokenCost(render(&c.Turns[j]))
		}
		for j := range c.Questions {
			q := &c.Questions[j]
			if len(q.Evidence) == 0 || slices.Contains(opt.Skip, q.category()) {
				continue
			}
			s.rows = append(s.rows, row{q.category(), figures(q.Evidence, known(found[q.ID], cost), cost, opt.Budgets)})
		}
	}
	s.group()
	return s
}

func metrics(budgets []int) []string {
	var names []string
	for _, k := range ranks() {
		names = append(names, fmt.Sprintf("R@%d", k))
	}
	for _, k := range ranks()[1:] {
		names = append(names, fmt.Sprintf("all@%d", k))
	}
	names = append(names, "any@10", "MRR", "nDCG@10")
	for _, k := range ranks() {
		names = append(names, fmt.Sprintf("tok@%d", k))
	}
	for _, b := range budgets {
		names = append(names, fmt.Sprintf("R@tok%d", b))
	}
	return names
}

// known drops what is no turn of the conversation, and repetitions.
func known(found []string, cost map[string]float64) []string {
	var out []string
	seen := make(map[string]bool, len(found))
	for _, id := range found {
		if _, ok := cost[id]; ok && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// figures are those of one question, in the order of metrics.
func figures(evidence, found []string, cost map[string]float64, budgets []int) []float64 {
	gold := make(map[string]bool, len(evidence))
	for _, id := range evidence {
		gold[id] = true
	}
	share := func(n int) float64 { return float64(n) / float64(len(gold)) }
	// hits[k] and spent[k] are of the first k turns.
	hits, spent := make([]int, len(found)+1), make([]float64, len(found)+1)
	var reciprocal, gain, ideal float64
	for i, id := range found {
		hits[i+1], spent[i+1] = hits[i], spent[i]+cost[id]
		if !gold[id] {
			continue
		}
		hits[i+1]++
		reciprocal = cmp.Or(reciprocal, 1/float64(i+1))
		if i < 10 {
			gain += 1 / math.Log2(float64(i+2))
		}
	}
	for i := range min(10, len(gold)) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	first := func(k int) int { return min(k, len(found)) }

	var out []float64
	for _, k := range ranks() {
		out = append(out, share(hits[first(k)]))
	}
	for _, k := range ranks()[1:] {
		out = append(out, whether(hits[first(k)] == len(gold)))
	}
	out = append(out, whether(hits[first(10)] > 0), reciprocal, gain/ideal)
	for _, k := range ranks() {
		out = append(out, spent[first(k)])
	}
	for _, budget := range budgets {
		used, n := 0.0, 0
		for _, id := range found {
			if used+cost[id] <= float64(budget) {
				used += cost[id]
				if gold[id] {
					n++
				}
			}
		}
		out = append(out, share(n))
	}
	return out
}

func whether(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// group averages the rows: all of them, then by category.
func (s *Scores) group() {
	by := make(map[string][]row)
	var order []string
	for _, r := range s.rows {
		if by[r.category] == nil {
			order = append(order, r.category)
		}
		by[r.category] = append(by[r.category], r)
	}
	sort.SliceStable(order, func(i, j int) bool { return len(by[order[i]]) > len(by[order[j]]) })
	s.Groups = append(s.Groups, Group{"ALL", len(s.rows), s.mean(s.rows)})
	for _, name := range order {
		s.Groups = append(s.Groups, Group{name, len(by[name]), s.mean(by[name])})
	}
}

func (s *Scores) mean(rows []row) []float64 {
	out := make([]float64, len(s.Metrics))
	for _, r := range rows {
		for i, v := range r.values {
			out[i] += v
		}
	}
	for i := range out {
		out[i] /= float64(len(rows))
	}
	return out
}

// Value is a metric over all questions.
func (s *Scores) Value(metric string) float64 {
	return s.Groups[0].Values[slices.Index(s.Metrics, metric)]
}

// render is a turn as its tokens are counted.
func render(t *Turn) string {
	date := []rune(t.Date)
	text := "[" + string(date[:min(len(date), len(time.DateOnly))]) + "] " + t.Speaker + ": " + t.Text
	if t.Caption != "" {
		text += " [image: " + t.Caption + "]"
	}
	return text
}

// tokenCost counts tokens as the published scorer of these data sets does: one for
// a CJK character, a quarter for any other. The product's own estimate, which
// budgets are made of, is higher for CJK.
func tokenCost(s string) float64 {
	cjk := 0
	for _, r := range s {
		switch {
		case 0x3040 <= r && r <= 0x30ff, 0x3400 <= r && r <= 0x9fff, 0xac00 <= r && r <= 0xd7af, 0xf900 <= r && r <= 0xfaff:
			cjk++
		}
	}
	return float64(utf8.RuneCountInString(s)-cjk)/4 + float64(cjk)
}
