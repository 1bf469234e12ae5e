package mining

import (
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/reader"
)

// Builder makes a session of what was said and done, in order.
type Builder struct {
	s    Session
	root string
}

// NewBuilder begins a session in a project's folder.
func NewBuilder(id, root string) *Builder { return &Builder{s: Session{ID: id}, root: root} }

// Say adds a message of the person's, by its number in the journal.
func (b *Builder) Say(seq int64, at time.Time, text string) {
	t := Turn{Seq: seq, At: at, Said: Clip(text, MaxSaid, false)}
	for _, p := range reader.Tone(t.Said) {
		t.Tone = append(t.Tone, uint8(100*p+0.5))
	}
	b.s.Turns = append(b.s.Turns, t)
}

// Do adds a call and what came of it. Calls without a result say nothing.
func (b *Builder) Do(a *activity.Action) {
	if !a.Done {
		return
	}
	if len(b.s.Turns) == 0 {
		b.s.Turns = append(b.s.Turns, Turn{At: a.At})
	}
	t := &b.s.Turns[len(b.s.Turns)-1]
	t.Did = append(t.Did, observe(b.s.ID, b.root, a))
}

// Session is what was built.
func (b *Builder) Session() *Session { return &b.s }

func observe(session, root string, a *activity.Action) Observation {
	o := Observation{At: a.At, Session: session, Seq: a.Seq, Tool: a.Tool, Outcome: Success}
	o.Input.Command = Clip(a.Command, MaxInput, false)
	if a.Command != "" {
		o.Input.Looks = a.Looks()
	} else if len(a.Files) > 0 {
		o.Input.File = strings.TrimPrefix(activity.Relative(filepath.ToSlash(root), filepath.ToSlash(a.Files[0])), "./")
		switch a.Effect() {
		case activity.Editing:
			o.Input.Gone, o.Input.Added = Clip(a.Replaced(), MaxInput, false), Clip(a.Written(), MaxInput, false)
		case activity.Reading:
			o.Input.Reads = true
		default: // a search in a folder
			o.Input.File = ""
		}
	}
	if o.Input.Command == "" && o.Input.File == "" {
		o.Input.About = Clip(a.Telling(), 200, false)
	}
	if a.Failed || a.Broke() {
		o.Outcome = Failure
		o.Result = Clip(a.Output, MaxResult/2, false)
		if len(a.Output) > MaxResult/2 {
			o.Result += "\n" + Clip(a.Output[MaxResult/2:], MaxResult/2, true)
		}
	} else {
		o.Result = Clip(a.Output, 160, false)
	}
	if a.Refused() {
		o.Outcome = Corrected
	}
	return o
}
