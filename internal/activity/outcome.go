package activity

import (
	"slices"
	"sort"
)

// File is a file and how often it was touched.
type File struct {
	Name  string // below the working directory, where it lies there
	Times int
	Last  int // iteration of the last touch
}

// Touched counts the files on which actions had an effect, in order of their
// first touch.
func Touched(cwd string, actions []Action, effect Effect) []File {
	var out []File
	at := map[string]int{}
	for i := range actions {
		a := &actions[i]
		if !a.Done || a.Failed || a.Effect() != effect {
			continue
		}
		for _, f := range a.Files {
			if f = Relative(cwd, f); f == "" {
				continue
			}
			j, ok := at[f]
			if !ok {
				j = len(out)
				at[f] = j
				out = append(out, File{Name: f})
			}
			out[j].Times++
			out[j].Last = a.Iter
		}
	}
	return out
}

// Attempt is a command with all its runs.
type Attempt struct {
	*Action      // the first
	Runs, Errors int
	Succeeded    bool // the last time
}

// Attempts are the commands that did something, in order of their last run.
func Attempts(actions []Action) []Attempt {
	var out []Attempt
	at := map[string]int{} // by subject
	for i := range actions {
		a := &actions[i]
		if !a.Done || a.Command == "" || a.Looks() || a.Failed && !a.Erred() {
			continue
		}
		key := a.Subject("")
		one := Attempt{Action: a}
		if j, ok := at[key]; ok {
			one = out[j]
			out[j].Runs = 0 // moves to the end
		}
		one.Runs++
		if one.Succeeded = !a.Failed; a.Failed {
			one.Errors++
		}
		at[key] = len(out)
		out = append(out, one)
	}
	return slices.DeleteFunc(out, func(a Attempt) bool { return a.Runs == 0 })
}

// Outcomes say what became of each action of a run, in one pass over them.
type Outcomes struct {
	actions []Action
	by      map[string][]int // indexes of what was tried, by subject
	checks  []int            // indexes of the checks that passed
	edits   []int            // for each action the index of the last edit up to it, -1 for none
	cwd     string
}

// NewOutcomes reads the actions of a run, which must not change while it is
// asked.
func NewOutcomes(cwd string, actions []Action) *Outcomes {
	o := &Outcomes{actions: actions, by: map[string][]int{}, edits: make([]int, len(actions)), cwd: cwd}
	edit := -1
	for i := range actions {
		a := &actions[i]
		if a.Done && !(a.Failed && a.Refused()) {
			subject := a.Subject(cwd)
			o.by[subject] = append(o.by[subject], i)
			switch {
			case a.Failed:
			case a.Effect() == Editing:
				edit = i
			case a.Command != "" && a.Line().Check() != NoCheck && a.Proves() && !a.Broke():
				o.checks = append(o.checks, i)
			}
		}
		o.edits[i] = edit
	}
	return o
}

// Settled finds, for the failure at an index, the first later success with the
// same subject, or of a check that covers it, and the last edit between the two, the
// success itself included. Without a success it says whether the same was tried
// again. What the user stopped was not tried.
func (o *Outcomes) Settled(failed int) (success, edit *Action, retried bool) {
	at := -1
	same := o.by[o.actions[failed].Subject(o.cwd)]
	for _, i := range same[sort.SearchInts(same, failed+1):] {
		if !o.actions[i].Failed {
			at = i
			break
		}
		retried = true
	}
	for _, i := range o.checks[sort.SearchInts(o.checks, failed+1):] {
		if at >= 0 && at < i {
			break
		}
		if o.actions[i].Line().covers(o.actions[failed].Line()) {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, nil, retried
	}
	if e := o.edits[at]; e > failed {
		edit = &o.actions[e]
	}
	return &o.actions[at], edit, true
}

// Unresolved are the last failures of what has not succeeded since, oldest
// first.
func (o *Outcomes) Unresolved() []*Action {
	var out []*Action
	for i := range o.actions {
		if a := &o.actions[i]; a.Erred() {
			if _, _, again := o.Settled(i); !again {
				out = append(out, a)
			}
		}
	}
	return out
}
