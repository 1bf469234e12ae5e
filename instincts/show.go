package instincts

import (
	"context"
	"path/filepath"
	"time"

	"orihon/habit"
	"orihon/internal/mining"
	"orihon/internal/project"
)

// Shown is an instinct with the turns in which it was seen.
type Shown struct {
	Instinct
	Turns []Turn `json:"turns"`
	// Back are the turns in which it was taken back.
	Back []Turn `json:"taken_back,omitempty"`
}

// Turn is what was said at a piece of evidence and what was done then.
type Turn struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Event   int64     `json:"event"`
	Text    string    `json:"text"`           // as the instinct keeps it
	Said    string    `json:"said,omitempty"` // by the person
	Did     []string  `json:"did,omitempty"`
	// Gone says that the session is not there any more.
	Gone bool `json:"gone,omitempty"`
}

// Show leads from an instinct to the turns that prove it.
func (t *Instincts) Show(ctx context.Context, id string) (Shown, error) {
	in, err := t.Get(id)
	if err != nil {
		return Shown{}, err
	}
	known := make(map[string]*mining.Session)
	out := Shown{Instinct: in, Turns: []Turn{}}
	for i := range in.Evidence {
		out.Turns = append(out.Turns, t.turn(ctx, known, &in.Evidence[i]))
	}
	for i := range in.Against {
		out.Back = append(out.Back, t.turn(ctx, known, &in.Against[i]))
	}
	return out, ctx.Err()
}

func (t *Instincts) turn(ctx context.Context, known map[string]*mining.Session, e *habit.Evidence) Turn {
	out := Turn{At: e.At, Session: e.Session, Event: e.Turn, Text: e.Text}
	s, ok := known[e.Session]
	if !ok {
		s = t.find(ctx, e.Session)
		known[e.Session] = s
	}
	if s == nil {
		out.Gone = true
		return out
	}
	for i := range s.Turns {
		if turn := &s.Turns[i]; turn.Holds(e.Turn) {
			out.Said = turn.Said
			for k := range turn.Did {
				out.Did = append(out.Did, turn.Did[k].Line())
			}
			return out
		}
	}
	out.Gone = true
	return out
}

// find reads a session of this project, else of another of the user's; nil when there
// is none.
func (t *Instincts) find(ctx context.Context, id string) *mining.Session {
	if s, err := t.observe(ctx, t.h.Project.Session(id), nil); err == nil {
		return s
	}
	dirs, err := filepath.Glob(filepath.Join(t.h.Global.Dir.Projects(), "*", "sessions", project.SafeName(id)))
	if err != nil {
		return nil
	}
	for _, d := range dirs {
		if s, err := t.observe(ctx, d, nil); err == nil {
			return s
		}
	}
	return nil
}
