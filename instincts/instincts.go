// Package instincts is the habits that were learned of how somebody works: found in
// sessions ([Instincts.Learn]), listed, shown with the turns that prove them, exported,
// imported and forgotten. Those of a project lie in its private folder, those that were
// seen in several projects in the user's own.
//
// How habits are found is package mining's, how their files look package habit's.
package instincts

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orihon/habit"
	"orihon/internal/home"
	"orihon/memory"
)

// Instincts are those of a project and its user.
type Instincts struct{ h *home.Home }

// New looks after the instincts of a home; programs call orihon.Memory.Instincts.
func New(h *home.Home) *Instincts { return &Instincts{h} }

// Instinct is a habit that was learned.
type Instinct struct {
	habit.Instinct
	// Everywhere says that it holds in every project of the user's.
	Everywhere bool `json:"everywhere,omitempty"`
}

// stores are the project's folder and the user's.
func (t *Instincts) stores() (own, everywhere *habit.Store) {
	return habit.Open(t.h.Project.Private().Instincts()), habit.Open(t.h.Global.Dir.Instincts())
}

// List reads all instincts, the surest first, and says of which files nothing could be
// read.
func (t *Instincts) List() ([]Instinct, []memory.Problem, error) {
	own, everywhere := t.stores()
	mine, problems, err := own.List()
	if err != nil {
		return nil, nil, err
	}
	all, more, err := everywhere.List()
	if err != nil {
		return nil, nil, err
	}
	var out []Instinct
	for _, in := range mine {
		out = append(out, Instinct{in, false})
	}
	for _, in := range all {
		out = append(out, Instinct{in, true})
	}
	slices.SortStableFunc(out, func(a, b Instinct) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out, append(problems, more...), nil
}

// Get reads the instinct with an ID or the beginning of one. The error wraps
// [memory.ErrNotFound], or [memory.ErrInvalid] when several begin so.
func (t *Instincts) Get(id string) (Instinct, error) {
	own, everywhere := t.stores()
	in, err := own.Get(id)
	if !errors.Is(err, memory.ErrNotFound) {
		return Instinct{in, false}, err
	}
	in, err = everywhere.Get(id)
	return Instinct{in, true}, err
}

// Domain is what the instincts of a domain are on the whole.
type Domain struct {
	Domain     string  `json:"domain"`
	Count      int     `json:"count"`
	Confidence float64 `json:"confidence"` // the mean
}

// Domains sums instincts up, the largest domain first.
func Domains(all []Instinct) []Domain {
	out := []Domain{}
	for _, in := range all {
		at := slices.IndexFunc(out, func(d Domain) bool { return d.Domain == in.Domain })
		if at < 0 {
			out, at = append(out, Domain{Domain: in.Domain}), len(out)
		}
		out[at].Count++
		out[at].Confidence += in.Confidence
	}
	for i := range out {
		out[i].Confidence /= float64(out[i].Count)
	}
	slices.SortFunc(out, func(a, b Domain) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Domain, b.Domain))
	})
	return out
}

// invalid is an error about what was given.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w instincts: %s", memory.ErrInvalid, fmt.Sprintf(format, args...))
}
