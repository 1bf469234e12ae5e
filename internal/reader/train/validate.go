package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"orihon/internal/reader"
)

// found is what was found in a prompt by a model that was trained on other voices.
type found struct {
	*prompt
	fold     int
	spans    []reader.Span
	withheld float64 // that it asks not to be kept
}

// validate reads every prompt with a model that was trained on other voices, as it
// is read from the binary, and returns all candidates.
func validate(data []*prompt, s settings) []found {
	var voices []string
	for _, p := range data {
		if !slices.Contains(voices, p.voice) {
			voices = append(voices, p.voice)
		}
	}
	out := make([]found, len(data))
	for i, p := range data {
		out[i] = found{prompt: p, fold: slices.Index(voices, p.voice) % s.folds}
	}
	var wait sync.WaitGroup
	atOnce := make(chan bool, 2)
	for f := range s.folds {
		wait.Go(func() {
			atOnce <- true
			defer func() { <-atOnce }()
			var others []*prompt
			for i, p := range data {
				if out[i].fold != f {
					others = append(others, p)
				}
			}
			m := reader.Open(string(learn(others, s).Pack(s.slots)))
			for i, p := range data {
				if out[i].fold == f {
					out[i].spans, out[i].withheld = m.Candidates(p.Prompt), m.Withheld(p.Prompt)
				}
			}
		})
	}
	wait.Wait()
	return out
}

// picked are the statements of each prompt, candidates judged by what those of the
// other folds teach.
func picked(all []found, s settings) []found {
	out := slices.Clone(all)
	for f := range s.folds {
		others := slices.DeleteFunc(slices.Clone(all), func(x found) bool { return x.fold == f })
		w := judgement(others, s.seed)
		for i := range out {
			if out[i].fold != f {
				continue
			}
			spans := slices.Clone(out[i].spans)
			for k := range spans {
				spans[k].P = w.P(&spans[k].Evidence)
			}
			out[i].spans = reader.Pick(spans)
		}
	}
	return out
}

// judged is a span with what it is worth.
type judged struct {
	found
	span  reader.Span
	worth float64     // how likely it is worth keeping and whole, by the labels
	told  int         // statements that it tells
	same  bool        // it and a statement are about the same, by their words
	gold  reader.Kind // of that statement, or of one that it touches; None for none
}

// judge lists all spans, likeliest first.
func judge(all []found) []judged {
	var out []judged
	for _, f := range all {
		for _, s := range f.spans {
			j := judged{found: f, span: s}
			for _, g := range f.keep {
				if same := alike(f.Text, s, g); same || !j.same && min(s.To, g.to) > max(s.From, g.from) {
					j.same, j.gold = j.same || same, g.kind
				}
			}
			j.worth, j.told = f.worth(s)
			out = append(out, j)
		}
	}
	slices.SortStableFunc(out, func(a, b judged) int { return cmp.Compare(b.span.P, a.span.P) })
	return out
}

// alike reports whether a span is about as long as a statement, and the same.
func alike(text string, s reader.Span, g gold) bool {
	from, to := max(s.From, g.from), min(s.To, g.to)
	if from >= to {
		return false
	}
	return reader.Alike(reader.Length(text[s.From:s.To]), reader.Length(text[g.from:g.to]), reader.Length(text[from:to]))
}

// judgement learns by their evidence what candidates are worth.
func judgement(all []found, seed uint64) reader.Judgement {
	const (
		epochs = 10
		rate   = 0.01
		decay  = 1e-3
	)
	list := judge(all)
	var w reader.Judgement
	rng := rand.New(rand.NewPCG(seed, 2))
	n := float64(len(list))
	for _, j := range list {
		for i, x := range j.span.Evidence {
			w.Mean[i] += x / n
			w.Scale[i] += x * x / n
		}
	}
	for i := range w.Scale {
		w.Scale[i] = 1 / math.Sqrt(max(w.Scale[i]-w.Mean[i]*w.Mean[i], 1e-6))
	}
	for h := range w.Hidden {
		w.Out[h] = 0.3 * rng.NormFloat64()
		for i := range w.Hidden[h] {
			w.Hidden[h][i] = 0.15 * rng.NormFloat64()
		}
	}
	var squares reader.Judgement
	for e := range epochs {
		rate := rate * (1 - float64(e)/epochs)
		step := func(x, s *float64, g float64) {
			g -= decay * *x
			*s += g * g
			*x += rate * g / math.Sqrt(*s/100+0.1)
		}
		for _, i := range rng.Perm(len(list)) {
			x := w.Of(&list[i].span.Evidence)
			net := w.Net(&x)
			d := list[i].worth - w.P(&list[i].span.Evidence)
			for h, y := range net {
				back := d * w.Out[h] * (1 - y*y)
				step(&w.Out[h], &squares.Out[h], d*y)
				step(&w.Bias[h], &squares.Bias[h], back)
				for k, x := range x {
					step(&w.Hidden[h][k], &squares.Hidden[h][k], back*x)
				}
			}
			step(&w.All, &squares.All, d)
		}
	}
	return w
}

// marks are the probabilities from which on statements are kept, and wait in
// review.
type marks struct{ kept, review float64 }

// lowest finds the lowest marks at which what is kept is worth so much on average, and
// what waits.
func lowest(list []judged, kept, review float64) marks {
	mark := func(list []judged, least float64) (int, float64) {
		const few = 20 // say nothing yet
		at, p, worth := 0, 1.0, 0.0
		for i, j := range list {
			worth += j.worth
			if i >= few && worth >= least*float64(i+1) {
				at, p = i+1, j.span.P
			}
		}
		return at, p
	}
	n, k := mark(list, kept)
	_, r := mark(list[n:], review)
	return marks{kept: k, review: min(k, r)}
}
