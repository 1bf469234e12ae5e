package eval

import (
	"slices"

	"orihon/internal/recall"
	"orihon/memory"
)

// Injection is what recall gives an agent with the settings in effect, on
// average over the questions of one kind.
type Injection struct {
	// Kind is "answerable", for questions with evidence; "unanswerable", for
	// those the conversation cannot answer though it speaks of the matter; or
	// "off-topic", for answerable questions of another conversation. Questions
	// that are neither (an answer without evidence) are in no group.
	Kind      string
	Questions int
	// Given is the share of questions for which anything was injected.
	Given    float64
	Passages float64 // a question
	Tokens   float64 // a question, all that is put before the agent
	// Precision is the share of evidence among the injected turns, over the
	// questions that got any; Recall the share of the evidence that was
	// injected. Both are 0 for questions that cannot be answered.
	Precision, Recall float64
}

// The kinds of questions.
const (
	Answerable   = "answerable"
	Unanswerable = "unanswerable"
	OffTopic     = "off-topic"
)

// kind is that of a question asked of its own conversation, empty for none.
func (q *Question) kind() string {
	switch {
	case q.Unanswerable():
		return Unanswerable
	case len(q.Evidence) > 0:
		return Answerable
	}
	return ""
}

// injections adds up what single questions got, by kind.
type injections map[string]*Injection

// given is what one question got.
type given struct {
	passages int
	turns    []string
	tokens   float64
}

func (s injections) add(kind string, q *Question, g given) {
	if kind == "" {
		return
	}
	sum := s[kind]
	if sum == nil {
		sum = &Injection{Kind: kind}
		s[kind] = sum
	}
	sum.Questions++
	sum.Given += whether(g.passages > 0)
	sum.Passages += float64(g.passages)
	sum.Tokens += g.tokens
	if kind != Answerable {
		return
	}
	gold := slices.Compact(slices.Sorted(slices.Values(q.Evidence)))
	hit := 0
	for _, id := range g.turns {
		if slices.Contains(gold, id) {
			hit++
		}
	}
	if len(g.turns) > 0 {
		sum.Precision += float64(hit) / float64(len(g.turns))
	}
	sum.Recall += float64(hit) / float64(len(gold))
}

// groups are the averages of the kinds that were asked.
func (s injections) groups() []Injection {
	var out []Injection
	for _, kind := range [...]string{Answerable, Unanswerable, OffTopic} {
		sum := s[kind]
		if sum == nil {
			continue
		}
		g, n := *sum, float64(sum.Questions)
		if g.Given > 0 {
			g.Precision /= g.Given
		}
		g.Given, g.Passages, g.Tokens, g.Recall = g.Given/n, g.Passages/n, g.Tokens/n, g.Recall/n
		out = append(out, g)
	}
	return out
}

// Point is what would be injected at one fixed threshold of relevance, without
// adaptation, budget and limit. Tokens are those of whole turns.
type Point struct {
	Threshold float64
	Groups    []Injection
}

// curve is injection at the thresholds 0.05, 0.10 … 0.95.
type curve [19]injections

func threshold(i int) float64 { return float64(i+1) / 20 }

func (c *curve) add(kind string, q *Question, hits []memory.Hit, given func([]memory.Hit) given) {
	for i := range c {
		if c[i] == nil {
			c[i] = make(injections)
		}
		var above []memory.Hit
		for k := range hits {
			if hits[k].Relevance >= threshold(i) {
				above = append(above, hits[k])
			}
		}
		c[i].add(kind, q, given(above))
	}
}

func (c *curve) points() []Point {
	var out []Point
	for i := range c {
		if c[i] != nil {
			out = append(out, Point{threshold(i), c[i].groups()})
		}
	}
	return out
}

// Stages names the stages of recall that can be left out, see the setting
// recall.without.
func Stages() []string { return recall.Stages() }
