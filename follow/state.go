package follow

import (
	"context"
	"slices"
	"strings"
	"time"

	"orihon/internal/redact"
	"orihon/internal/session"
	"orihon/journal"
)

// What every event does with the session's state and its journal.

// sessions are those of the same project.
func (s *Session) sessions() *Sessions { return &Sessions{s.v} }

// options are how the settings want sessions to be kept.
func (f *Sessions) options() *session.Options {
	c := &f.v.Config.Session
	return &session.Options{
		Now: f.v.Now, Logger: f.v.Log, Reuse: time.Duration(c.ReuseSeconds) * time.Second,
		EndWork: f.endWork(), OrphanUnused: c.OrphanUnused, OrphanIdle: c.OrphanIdle, OrphanMax: c.OrphanMax,
	}
}

// update changes the state under its lock and keeps the result.
func (s *Session) update(ctx context.Context, fn func(*session.State)) error {
	state, err := session.Update(ctx, s.dir, s.sessions().options(), func(st *session.State) error {
		st.Touch(s.v.Now())
		fn(st)
		return nil
	})
	if err == nil {
		s.state = state
	}
	return err
}

// record appends events to the journal, unless capture is switched off.
func (s *Session) record(ctx context.Context, events ...journal.Event) error {
	if !s.v.Config.Capture.Enabled {
		return nil
	}
	if err := s.v.Project.LocalStillClean(); err != nil {
		return err
	}
	_, err := s.log.Append(ctx, s.v.CleanEvents(events)...)
	return err
}

// note makes an event and appends it.
func (s *Session) note(ctx context.Context, t journal.Type, id string, payload any) error {
	e, err := journal.New(t, id, payload)
	if err != nil {
		return err
	}
	return s.record(ctx, e)
}

// clean takes control characters, secrets and private spans out of text before
// it is written.
func (s *Session) clean(text string) string {
	text, _ = s.v.Redactor.Text(redact.Private(redact.Printable(text)))
	return text
}

// cleanBehind is [Session.clean] for what the user says behind other messages, which are
// clean: a secret that the last line of one leads to goes, too.
func (s *Session) cleanBehind(text string, before ...string) string {
	text = s.clean(text)
	for _, said := range before {
		said = strings.TrimRight(said, " \r\n")
		lead := said[strings.LastIndexByte(said, '\n')+1:] + "\n"
		if told, ok := strings.CutPrefix(s.clean(lead+text), lead); ok {
			text = told
		}
	}
	return text
}

// mostBefore is how many messages may lead to a secret in the one behind them: more than
// one, since a hook may be told of the same prompt again.
const mostBefore = 4

// quietly changes the state without counting as an event of the session.
func (s *Session) quietly(ctx context.Context, fn func(*session.State)) error {
	state, err := session.Update(ctx, s.dir, s.sessions().options(), func(st *session.State) error { fn(st); return nil })
	if err == nil {
		s.state = state
	}
	return err
}

// off reports whether a rule of the guardian is switched off.
func (s *Session) off(rule string) bool { return slices.Contains(s.v.Config.Guard.Off, rule) }
