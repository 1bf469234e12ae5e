package main

import (
	"math"
	"slices"
	"strings"

	"orihon/internal/revise"
)

// linear is a weight for each slot of words.
type linear []float64

func (l linear) weight(slot int) float64 { return l[slot] }

// quantized are the weights as words.bin has them.
func (l linear) quantized() []byte {
	out := make([]byte, len(l))
	for i, w := range l {
		out[i] = byte(int8(max(-127, min(127, math.Round(w/revise.Step)))))
	}
	return out
}

// said is a run with whether it says a change.
type said struct {
	slots  []int
	change bool
}

// sayings are the runs of prompts that change nothing, and of the others those that say
// the change.
func sayings(sheets []*sheet) []said {
	var out []said
	for _, s := range sheets {
		for i := range s.Prompts {
			p := &s.Prompts[i]
			if len(p.Changes) == 0 {
				for n := range p.runs {
					out = append(out, said{slots(p.runs[n].Words), false})
				}
			}
			told := map[int]bool{}
			for _, c := range p.Changes {
				if n := p.best(c.Span); n >= 0 && !told[n] {
					told[n] = true
					out = append(out, said{slots(p.runs[n].Words), true})
				}
			}
		}
	}
	return out
}

func slots(words []string) []int {
	out := make([]int, len(words))
	for i, w := range words {
		out[i] = revise.Slot(w)
	}
	return out
}

// best is the run that says a span best, -1 for none.
func (p *prompt) best(span string) int {
	from := strings.Index(p.Text, span)
	at := -1
	for i := range p.runs {
		if at < 0 || overlap(&p.runs[i], from, from+len(span)) > overlap(&p.runs[at], from, from+len(span)) {
			at = i
		}
	}
	return at
}

// overlap is what a run and a span share, of both together.
func overlap(r *revise.Run, from, to int) float64 {
	return float64(min(r.To, to)-max(r.From, from)) / float64(max(r.To, to)-min(r.From, from))
}

// learn fits a logistic regression by AdaGrad (Duchi, Hazan and Singer 2011); what is
// seen less than three times says nothing. A change counts a third of what makes both
// sorts equal.
func learn(all []said, penalty float64) linear {
	const rate, rounds, often = 0.1, 20, 3
	seen := make([]int, revise.Slots)
	changes := 0
	for _, s := range all {
		for _, w := range s.slots {
			seen[w]++
		}
		if s.change {
			changes++
		}
	}
	more := float64(len(all)-changes) / float64(max(changes, 1)) / 3
	l := make(linear, revise.Slots)
	squares := make([]float64, revise.Slots)
	var bias, biasSquares float64
	for range rounds {
		for _, s := range all {
			sum := bias
			for _, w := range s.slots {
				sum += l[w]
			}
			g := -1 / (1 + math.Exp(-sum))
			if s.change {
				g = more * (1 + g)
			}
			biasSquares += g * g
			bias += rate * g / math.Sqrt(biasSquares+1e-8)
			for _, w := range s.slots {
				if seen[w] < often {
					continue
				}
				d := g - penalty*l[w]
				squares[w] += d * d
				l[w] += rate * d / math.Sqrt(squares[w]+1e-8)
			}
		}
	}
	return l
}

// sayWords adds to the signals of all runs what words say, by a model that has not seen
// the writer, and returns one of all.
func sayWords(sheets []*sheet, penalty float64) linear {
	by := map[string]linear{}
	for _, s := range sheets {
		if by[s.writer] == nil {
			others := slices.DeleteFunc(slices.Clone(sheets), func(o *sheet) bool { return o.writer == s.writer })
			by[s.writer] = learn(sayings(others), penalty)
		}
		s.mark(by[s.writer].weight)
	}
	return learn(sayings(sheets), penalty)
}

func (s *sheet) mark(weight func(int) float64) {
	for i := range s.Prompts {
		for k := range s.Prompts[i].runs {
			r := &s.Prompts[i].runs[k]
			says := revise.Says(r.Words, weight)
			for n := range r.Signals {
				r.Signals[n] = append(slices.Clip(r.Signals[n]), says)
			}
		}
	}
}
