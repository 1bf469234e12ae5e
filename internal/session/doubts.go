package session

import "time"

// Doubt is a prompt of which the agent was asked whether it says something to keep.
type Doubt struct {
	Seq int64     `json:"seq"` // the prompt's event in the journal
	At  time.Time `json:"at"`
}

// Doubt notes that the agent was asked about a prompt.
func (s *State) Doubt(d Doubt) { s.Doubts = last(append(s.Doubts, d), maxChanges) }

// DoubtAt is a prompt that an agent was asked about, in the folder of its session.
type DoubtAt struct {
	Dir string
	Seq int64
}

// Doubted are the prompts that agents were asked about lately, in the latest of all
// sessions, the latest first.
func Doubted(sessions string, now time.Time) (out []DoubtAt) {
	dirs, err := Recent(sessions)
	if err != nil {
		return nil
	}
	for _, dir := range dirs[:min(len(dirs), lookedAt)] {
		s, err := Load(dir)
		if err != nil {
			continue
		}
		for i := len(s.Doubts) - 1; i >= 0; i-- {
			if now.Sub(s.Doubts[i].At).Abs() <= changeStands {
				out = append(out, DoubtAt{dir, s.Doubts[i].Seq})
			}
		}
	}
	return out
}
