package window

import (
	"fmt"

	"orihon/internal/activity"
)

// failure is an act that failed, and what came of it.
type failure struct {
	*activity.Action
	settled int    // iteration in which the same succeeded; 0 for never
	fix     string // what was changed in between
	again   int    // later failures with the same words
	retried bool   // the same was tried again
}

// failures are the acts that failed, oldest first, those with the same words
// once.
func (r *record) failures() []failure {
	var out []failure
	var outcomes *activity.Outcomes
	at := map[string]int{}
	for i := range r.acts {
		a := &r.acts[i]
		if !a.Failed || a.Refused() {
			continue
		}
		head := clip(oneLine(a.Output), 60)
		if j, ok := at[head]; ok {
			out[j].again++
			continue
		}
		at[head] = len(out)
		if outcomes == nil {
			outcomes = activity.NewOutcomes(r.cwd, r.acts)
		}
		success, edit, retried := outcomes.Settled(i)
		f := failure{Action: a, retried: retried}
		if success != nil {
			f.settled = success.Iter
		}
		if edit != nil {
			f.fix = activity.Base(edit.Files[0])
		}
		out = append(out, f)
	}
	return out
}

// line is lineIn English.
func (f *failure) line(name, head int) string {
	l := english()
	return f.lineIn(name, head, &l)
}

// lineIn tells of a failure in so many characters of the act's name and of its
// message.
func (f *failure) lineIn(name, head int, l *words) string {
	end := l.notSettled
	switch {
	case f.settled > 0 && f.fix != "":
		end = fmt.Sprintf(l.fixed, f.fix)
	case f.settled > 0:
		end = l.okLater
	case !f.retried:
		end = l.notRetried
	}
	if f.again > 0 {
		end += fmt.Sprintf(l.times, f.again+1)
	}
	return fmt.Sprintf("%s: %s → %s", nameOf(f.Action, name), cut(oneLine(f.Output), head), end)
}
