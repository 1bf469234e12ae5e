package inspect

import (
	"fmt"
	"time"

	"orihon/journal"
)

// leastPause is how long nothing must happen for it to be told: a build or an
// answer of a model takes minutes, somebody who went away is gone for longer.
const leastPause = 30 * time.Minute

// Pause is a time in which nothing happened.
type Pause struct {
	Iteration int           `json:"iteration"`        // before which it was
	Within    bool          `json:"within,omitempty"` // it was in that iteration: a call waited for its result
	Length    time.Duration `json:"length"`           // in nanoseconds
	Text      string        `json:"text"`             // the length in words: "3 h 20 min"
}

// pauses are those between two things that were said or done in the run. What is no
// part of it, a fold by hand, a bookmark, a look into a fold, may come days later.
func (r *Run) pauses() []Pause {
	out := []Pause{}
	var before time.Time
	for _, it := range r.view.Iterations(0, 0) {
		within := false
		for _, e := range it.Events {
			if !saying(e.Type) || e.TS.IsZero() {
				continue
			}
			if d := e.TS.Sub(before); !before.IsZero() && d >= leastPause {
				out = append(out, Pause{Iteration: it.N, Within: within, Length: d, Text: inWords(d)})
			}
			within = true
			// Events of two clocks may stand out of order: time never goes back.
			if e.TS.After(before) {
				before = e.TS
			}
		}
	}
	return out
}

// inWords tells a length as a person would, in at most two units.
func inWords(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	hours, days := minutes/60, minutes/(24*60)
	switch {
	case days >= 2:
		return fmt.Sprintf("%d days", days)
	case hours >= 10:
		return fmt.Sprintf("%d h", hours)
	case hours > 0 && minutes%60 > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes%60)
	case hours > 0:
		return fmt.Sprintf("%d h", hours)
	}
	return fmt.Sprintf("%d min", minutes)
}

// saying reports an event that says or does something in the run.
func saying(t journal.Type) bool {
	switch t {
	case journal.UserMessage, journal.AssistantMessage, journal.Thought, journal.ActionRequest, journal.ActionResult:
		return true
	}
	return false
}
