package capture

import (
	"math"
	"path"
	"slices"
	"strings"

	"orihon/internal/terms"
)

// Situation is what kind of work a request is.
type Situation string

// The situations.
const (
	Exploration Situation = "exploration" // nothing was changed
	SmallFix    Situation = "small fix"
	Change      Situation = "change"
	Refactor    Situation = "refactor"
	Migration   Situation = "migration"
	Incident    Situation = "incident"
)

// Large reports whether work of a kind is large or risky.
func (s Situation) Large() bool { return s == Refactor || s == Migration || s == Incident }

// fewFiles is how many files a small fix changes at most.
const fewFiles = 2

// Situation is the kind of a request, by what was asked and what was changed for it.
func (q *Request) Situation() Situation {
	if len(q.Changed) == 0 {
		return Exploration
	}
	asked := terms.Words(q.Title + "\n" + q.Asked)
	for _, s := range [...]struct {
		is     Situation
		words  map[string]bool
		phrase []string
	}{
		{Incident, lists.Words("incident"), lists.Phrases("incident-zh")},
		{Migration, lists.Words("migration"), lists.Phrases("migration-zh")},
		{Refactor, lists.Words("refactor"), lists.Phrases("refactor-zh")},
	} {
		if slices.ContainsFunc(asked, func(w string) bool { return s.words[w] }) || containsAny(q.Asked, s.phrase...) {
			return s.is
		}
	}
	if len(q.Changed) <= fewFiles {
		return SmallFix
	}
	return Change
}

// Rate is how often something happened, of so many times.
type Rate struct {
	Times int `json:"times"`
	Of    int `json:"of"`
}

func (r *Rate) count(happened bool) {
	r.Of++
	if happened {
		r.Times++
	}
}

// Mean is what is to be expected, before anything was seen one in two.
func (r Rate) Mean() float64 { return (float64(r.Times) + 1) / (float64(r.Of) + 2) }

// AtLeast is what it is with nine chances in ten, or more.
func (r Rate) AtLeast() float64 {
	const tenth = 1.28 // standard deviations
	m := r.Mean()
	return max(0, m-tenth*math.Sqrt(m*(1-m)/(float64(r.Of)+3)))
}

// Experience is how requests of a kind went.
type Experience struct {
	Situation Situation `json:"situation"`
	Requests  int       `json:"requests"`
	FirstTry  Rate      `json:"first_try"` // done, and no test, build or lint failed on the way
	Rework    Rate      `json:"rework"`    // a later request of the session changed the same file
	Unchecked Rate      `json:"unchecked"` // nothing was checked behind the last change of code
}

// Experiences are how the requests of sessions went, by their kind; what changed
// nothing counts as seen alone.
func Experiences(sessions [][]Request) []Experience {
	out := []Experience{{Situation: Exploration}, {Situation: SmallFix}, {Situation: Change}, {Situation: Refactor}, {Situation: Migration}, {Situation: Incident}}
	checks := slices.ContainsFunc(sessions, func(all []Request) bool {
		return slices.ContainsFunc(all, func(q Request) bool { return slices.ContainsFunc(q.Commands, Ran.checks) })
	})
	for _, all := range sessions {
		for i := range all {
			q := &all[i]
			kind := q.Situation()
			e := &out[slices.IndexFunc(out, func(e Experience) bool { return e.Situation == kind })]
			e.Requests++
			if kind == Exploration || q.Outcome == Stopped {
				continue
			}
			e.FirstTry.count(q.Outcome == Done && !slices.ContainsFunc(q.Commands, func(c Ran) bool { return c.checks() && c.Result == Failed }))
			e.Rework.count(q.changedAgain(all[i+1:]))
			if checks && slices.ContainsFunc(q.Changed, isCode) {
				e.Unchecked.count(!q.Checked)
			}
		}
	}
	return slices.DeleteFunc(out, func(e Experience) bool { return e.Requests == 0 })
}

func (r Ran) checks() bool { return r.Check != "" && r.Result != Refused }

// changedAgain reports whether one of the later requests changed a file of this one.
func (q *Request) changedAgain(later []Request) bool {
	return slices.ContainsFunc(later, func(l Request) bool {
		return slices.ContainsFunc(l.Changed, func(f FileTouched) bool {
			return slices.ContainsFunc(q.Changed, func(own FileTouched) bool { return own.Name == f.Name })
		})
	})
}

// isCode reports whether a file is one that checks look at.
func isCode(f FileTouched) bool {
	return !lists.Words("prose-files")[strings.TrimPrefix(strings.ToLower(path.Ext(f.Name)), ".")]
}
