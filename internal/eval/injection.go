package eval

import "slices"

// Injection is what recall gives an agent with the settings in effect, on
// average over the questions of one kind.
type Injection struct {
	// Kind is "answerable", for questions with evidence, or "unanswerable", for
	// those the conversation cannot answer. Questions that are neither (an
	// answer without evidence) are in no group.
	Kind      string
	Questions int
	// Given is the share of questions for which anything was injected.
	Given    float64
	Passages float64 // a question
	Tokens   float64 // a question, all that is put before the agent
	// Precision is the share of evidence among the injected turns, over the
	// questions that got any; Recall the share of the evidence that was
	// injected. Both are 0 for unanswerable questions.
	Precision, Recall float64
}

// injections adds up what single questions got.
type injections struct {
	answerable, unanswerable Injection
}

func (s *injections) add(q *Question, passages int, turns []string, tokens int) {
	sum := &s.answerable
	switch {
	case q.Unanswerable():
		sum = &s.unanswerable
	case len(q.Evidence) == 0:
		return
	}
	sum.Questions++
	sum.Given += whether(passages > 0)
	sum.Passages += float64(passages)
	sum.Tokens += float64(tokens)
	if q.Unanswerable() {
		return
	}
	gold := slices.Compact(slices.Sorted(slices.Values(q.Evidence)))
	hit := 0
	for _, id := range turns {
		if slices.Contains(gold, id) {
			hit++
		}
	}
	if len(turns) > 0 {
		sum.Precision += float64(hit) / float64(len(turns))
	}
	sum.Recall += float64(hit) / float64(len(gold))
}

// groups are the averages of the kinds that were asked.
func (s *injections) groups() []Injection {
	s.answerable.Kind, s.unanswerable.Kind = "answerable", "unanswerable"
	var out []Injection
	for _, g := range []Injection{s.answerable, s.unanswerable} {
		if g.Questions == 0 {
			continue
		}
		n := float64(g.Questions)
		if g.Given > 0 {
			g.Precision /= g.Given
		}
		g.Given, g.Passages, g.Tokens, g.Recall = g.Given/n, g.Passages/n, g.Tokens/n, g.Recall/n
		out = append(out, g)
	}
	return out
}
