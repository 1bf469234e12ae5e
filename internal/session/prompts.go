package session

import "time"

// Prompted is a prompt of the session, by its place in the journal.
type Prompted struct {
	Seq int64     `json:"seq"`
	At  time.Time `json:"at"`
}

// Prompted notes the latest prompt.
func (s *State) Prompted(p Prompted) { s.Latest = last(append(s.Latest, p), maxChanges) }

// PromptAt is a prompt in the folder of its session.
type PromptAt struct {
	Dir string
	Seq int64
	At  time.Time
}

// LatestPrompts are those of the last two hours, in the latest of all sessions, the
// latest first.
func LatestPrompts(sessions string, now time.Time) (out []PromptAt) {
	for dir, s := range looked(sessions) {
		for i := len(s.Latest) - 1; i >= 0; i-- {
			if now.Sub(s.Latest[i].At).Abs() <= changeStands {
				out = append(out, PromptAt{dir, s.Latest[i].Seq, s.Latest[i].At})
			}
		}
	}
	return out
}
