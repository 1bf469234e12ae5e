package mining

import (
	"slices"
	"time"
)

// Session is a session as habits are looked for in it: what the person said, and
// what was done for it.
type Session struct {
	ID    string
	Turns []Turn // in order
}

// Turn is something that the person said, and what the agent did until they spoke
// again. What was done before the first word belongs to a turn without words.
type Turn struct {
	Seq  int64     `json:"event"` // of the message in the session's journal
	At   time.Time `json:"at"`
	Said string    `json:"said"`
	// Told says that memory keeps what was said here, as a rule or a fact that the
	// person stated: it is no habit to be learned.
	Told bool `json:"-"`
	// Tone is what [reader.Tone] says of it, in hundredths: it takes a model some time.
	Tone []uint8       `json:"tone,omitempty"`
	Did  []Observation `json:"did,omitempty"`
}

// Observation is one use of a tool and what came of it.
type Observation struct {
	At      time.Time `json:"timestamp"`
	Session string    `json:"session_id"`
	Seq     int64     `json:"event"` // of the call in the session's journal
	Tool    string    `json:"tool_name"`
	Input   Input     `json:"tool_input"`
	Result  string    `json:"tool_result,omitempty"`
	Outcome Outcome   `json:"outcome"`
	// Correction is what the person said next, where it takes this back.
	Correction string `json:"user_correction,omitempty"`
}

// Input is what of a tool's input says what was done.
type Input struct {
	Command string `json:"command,omitempty"`
	File    string `json:"file,omitempty"` // below the project, where it lies there
	Gone    string `json:"gone,omitempty"` // what an edit took away
	Added   string `json:"added,omitempty"`
	Reads   bool   `json:"reads,omitempty"`
	Looks   bool   `json:"looks,omitempty"` // a command that changes nothing
	About   string `json:"about,omitempty"` // of a tool with neither command nor file
}

// Outcome is how a call went.
type Outcome string

// The outcomes.
const (
	Success   Outcome = "success"
	Failure   Outcome = "failure"
	Corrected Outcome = "corrected" // it went well and was not what the person wanted
)

// What is kept of texts, in bytes: enough to tell one thing from another.
const (
	MaxSaid   = 2000
	MaxInput  = 4000
	MaxResult = 600
)

// Holds reports whether an event of the journal belongs to a turn: its message or one
// of its calls.
func (t *Turn) Holds(seq int64) bool {
	return t.Seq == seq || slices.ContainsFunc(t.Did, func(o Observation) bool { return o.Seq == seq })
}

// Line is an observation on one short line, with how it went.
func (o *Observation) Line() string {
	if o.Outcome == Success {
		return shown(o)
	}
	return shown(o) + " (" + string(o.Outcome) + ")"
}

// Observations are all of a session's, those that the person took back marked.
func Observations(s *Session) []Observation {
	c := Collect([]*Session{s})
	c.correcting(builtin())
	var out []Observation
	for i := range s.Turns {
		for _, o := range s.Turns[i].Did {
			if i+1 < len(s.Turns) && c.turns[i+1].p >= corrects && !o.Input.Looks && !o.Input.Reads {
				o.Correction = s.Turns[i+1].Said
				if o.Outcome == Success {
					o.Outcome = Corrected
				}
			}
			out = append(out, o)
		}
	}
	return out
}

// corrects is how likely a message takes back what was done for it to be told so.
const corrects = 0.5
