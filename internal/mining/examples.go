package mining

import (
	"context"
	"strings"

	"orihon/habit"
)

// Example is what a model learns from.
type Example struct {
	Model string
	Facts []float64
	Right bool
}

// Judge knows what is right in sessions whose habits are known.
type Judge interface {
	// Corrects reports whether a message takes back what was done before it.
	Corrects(e *habit.Evidence) bool
	// Ends reports whether a message takes back any habit.
	Ends(e *habit.Evidence) bool
	// Same reports whether two places are of one habit.
	Same(a, b *habit.Evidence) bool
	// Back reports whether a message takes back the habit that was seen at places.
	Back(places []habit.Evidence, e *habit.Evidence) bool
	// Holds is Planted, but not for a habit that was taken back.
	Holds(places []habit.Evidence) bool
	// Planted reports whether places are those of a habit.
	Planted(places []habit.Evidence) bool
}

// Examples are what a model can learn from sessions, with the weights of the models
// that it builds on.
func (c *Corpus) Examples(model string, w Weights, j Judge) (out []Example) {
	add := func(facts []float64, right bool) { out = append(out, Example{model, facts, right}) }
	switch model {
	case modelTurn:
		for i := range c.turns {
			e := c.saidAt(i)
			add(c.turns[i].correcting(), j.Corrects(&e))
		}
	case modelEnds:
		for i := range c.turns {
			e := c.saidAt(i)
			add(c.turns[i].ending(), j.Ends(&e))
		}
	case modelCorrection:
		at := c.correcting(w)
		for _, pair := range c.nearby(len(at), func(i int) bag { return c.turns[at[i]].words() }) {
			x, y := at[pair[0]], at[pair[1]]
			a, b := c.saidAt(x), c.saidAt(y)
			add(c.sameCorrection(&c.turns[x], &c.turns[y]), j.Same(&a, &b))
		}
	case modelFix:
		all := c.failures()
		for _, pair := range c.nearby(len(all), func(i int) bag { return c.calls[all[i].failed].result }) {
			a, b := &all[pair[0]], &all[pair[1]]
			if c.calls[a.failed].session != c.calls[b.failed].session {
				facts, x, y := c.sameFix(a, b)
				d, e := c.evidence(x), c.evidence(y)
				add(facts, j.Same(&d, &e))
			}
		}
	case modelSequence:
		for _, s := range c.sequences(w) {
			var places []habit.Evidence
			for _, x := range s.at {
				places = append(places, c.evidence(x[0]))
			}
			add(s.facts, j.Planted(places))
		}
	case modelBack:
		found, _ := c.find(context.Background(), w)
		for i := range found {
			f := &found[i]
			if f.alike < 0.3 {
				continue
			}
			core := c.core(f)
			for _, t := range c.after(f, core) {
				e := c.saidAt(t)
				add(c.backFacts(f, core, c.meet(f, t, core)), j.Back(f.Evidence, &e))
			}
		}
	}
	if kind, ok := strings.CutPrefix(model, "worth-"); ok {
		found, _ := c.find(context.Background(), w)
		c.takeBack(w, found)
		for i := range found {
			if f := &found[i]; string(f.Kind) == kind {
				add(c.worthFacts(f), j.Holds(f.Evidence))
			}
		}
	}
	return out
}
