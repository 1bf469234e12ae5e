package window

import (
	"math"
	"slices"

	"orihon/internal/activity"
	"orihon/journal"
)

// iterationFacts are what folding must know of an iteration. They are read
// once, when it is complete.
type iterationFacts struct {
	n         int
	full      int // tokens at level 0
	trimmed   int // tokens at level 1
	reasoning int // tokens of reasoning in full

	names   map[string]bool
	edited  []string // files
	read    []string // files
	failed  []string // subjects
	settled []string // subjects that succeeded
	changed int      // characters written
	acted   bool     // something succeeded
	open    bool     // a call has no result
	done    bool     // it says that a part of the work is over
	prompt  bool     // it begins with a request
}

// maxNames bounds the names of an iteration that are compared.
const maxNames = 16

func readFacts(v *journal.View, it journal.Iteration) *iterationFacts {
	r := readRecord(v, it.Events)
	f := &iterationFacts{n: it.N, names: map[string]bool{}, prompt: len(r.prompts) > 0}
	for i := range r.acts {
		a := &r.acts[i]
		switch {
		case !a.Done:
			f.open = true
		case a.Erred():
			f.failed = append(f.failed, a.Subject(r.cwd))
		case !a.Failed:
			f.acted = true
			f.settled = append(f.settled, a.Subject(r.cwd))
		}
		if a.Done && !a.Failed {
			switch a.Effect() {
			case activity.Editing:
				f.changed += len(a.Written())
				f.edited = append(f.edited, a.Files...)
			case activity.Reading:
				f.read = append(f.read, a.Files...)
			}
		}
	}
	names := r.names()
	for _, n := range names[:min(len(names), maxNames)] {
		f.names[n.text] = true
	}
	for _, s := range r.spoken {
		f.done = f.done || saysDone(s.text)
	}
	return f
}

// importance is the weighted sum of recency, access, error and change, each from 0
// to 1.
func importance(distance int, accesses int, failed bool, changed int) float64 {
	i := weightRecency*math.Exp(-float64(distance)/recencyFades) + weightAccess*math.Min(1, float64(accesses)/accessFull) + weightChange*math.Min(1, float64(changed)/largeChange)
	if failed {
		i += weightError
	}
	return i
}

// distance is how far an iteration is from the present: in iterations since it
// happened, nearer when a file it changed was touched again, and nearer still
// when it shares names with the present.
func (f *iterationFacts) distance(now int, touched map[string]int, present map[string]bool) float64 {
	d := float64(now - f.n)
	for _, file := range f.edited {
		if m := touched[file]; m > f.n {
			// Mentioned again: half of the way counts.
			d = math.Min(d, float64(now-m)+float64(m-f.n)/2)
		}
	}
	shared := 0
	for n := range f.names {
		if present[n] {
			shared++
		}
	}
	if len(f.names) > 0 {
		d *= 1 - 0.4*float64(shared)/float64(len(f.names))
	}
	return d
}

// protection are iterations that stay unfolded for one reason.
type protection struct {
	why        string
	iterations []int
}

// protectedIterations are those that stay unfolded, the most needed first.
func protectedIterations(all []*iterationFacts, bookmarks map[int]bool, acted bool, now int) []int {
	var out []int
	for _, p := range protections(all, bookmarks, acted, now) {
		out = append(out, p.iterations...)
	}
	return out
}

// protections are the iterations that stay unfolded, by reason, the most needed
// first. acted says that the first success lies before them.
func protections(all []*iterationFacts, bookmarks map[int]bool, acted bool, now int) []protection {
	var marked, failing, first, large, open []int
	last := map[string]int{} // subject → iteration of its last failure
	for _, f := range all {
		for _, s := range f.settled {
			delete(last, s)
		}
		for _, s := range f.failed {
			last[s] = f.n
		}
	}
	unresolved := map[int]bool{}
	for _, n := range last {
		unresolved[n] = true
	}
	for _, f := range all {
		switch {
		case bookmarks[f.n]:
			marked = append(marked, f.n)
		case f.open && now-f.n < staleAfter:
			open = append(open, f.n)
		case unresolved[f.n] && now-f.n < staleAfter:
			failing = append(failing, f.n)
		case f.acted && !acted:
			first = append(first, f.n)
		case f.changed >= largeChange && now-f.n < staleAfter:
			large = append(large, f.n)
		}
		acted = acted || f.acted
	}
	// The newest failures and changes matter most.
	slices.Reverse(failing)
	slices.Reverse(large)
	return []protection{
		{"bookmarked", marked}, {"a call without a result", open}, {"an error that nothing mended", failing},
		{"the first success", first}, {"a large change", large},
	}
}

// iteration returns the facts of an iteration, read once when it is complete.
func (f *Folder) iteration(in Input, n int) *iterationFacts {
	if got := f.facts[n]; got != nil {
		return got
	}
	its := in.View.Iterations(n, n)
	if len(its) == 0 {
		return nil
	}
	it := readFacts(in.View, its[0])
	r := renderer{view: in.View, caps: capsFor(in.Limit, f.opt.OffloadTokens), upto: in.Iteration}
	full := r.render(its[0].Events)
	it.full = in.cost(full)
	for _, m := range full {
		for _, r := range m.Reasoning {
			it.reasoning += in.Tokens(r.Text) + in.Tokens(r.Signature)
		}
	}
	r.brief, r.reasoningFrom = true, noReasoning
	it.trimmed = in.cost(r.render(its[0].Events))
	if n < in.Iteration {
		f.facts[n] = it
	}
	return it
}
