package follow

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"orihon/guard"
	"orihon/internal/capture"
	"orihon/internal/inert"
	"orihon/internal/session"
	"orihon/internal/tokens"
	"orihon/memory"
)

// watched is what the guardian remembers of a session, as it stands in its state.
type watched struct {
	guard.State
	Language string `json:"language,omitempty"` // of the last prompt that has words
}

// guardian judges the events of this session by the rules that the settings
// leave on.
func (s *Session) guardian() *guard.Guard {
	c := &s.v.Config.Guard
	most := c.Tokens
	if most == 0 {
		most = -1 // zero is the rules' own default
	}
	return guard.New(&guard.Options{Off: c.Off, StopGate: c.StopGate, Tokens: most, Estimate: tokens.Estimate, Stands: s.states})
}

// watch lets the guardian look at an event. What it says is put before the agent
// at the next occasion ([Session.Reminder]); its reasons go into the audit.
func (s *Session) watch(ctx context.Context, e *guard.Event) (guard.Decision, error) {
	judge, heed := s.watching(ctx, e)
	if err := s.quietly(ctx, judge); err != nil {
		return guard.Decision{}, err
	}
	return heed()
}

// watching is [Session.watch] where the state is changed anyway: each write of it takes
// a client's time. judge is part of that change, heed comes behind it.
func (s *Session) watching(ctx context.Context, e *guard.Event) (judge func(*session.State), heed func() (guard.Decision, error)) {
	e.Others = s.runHooks(ctx, e)
	var d guard.Decision
	return func(st *session.State) { d = s.decide(ctx, st, e) }, func() (guard.Decision, error) { return d, s.heed(ctx, &d) }
}

// decide is what the guardian decides, with what it remembers in the state.
func (s *Session) decide(ctx context.Context, st *session.State, e *guard.Event) guard.Decision {
	var w watched
	if len(st.Guard) > 0 {
		if err := json.Unmarshal(st.Guard, &w); err != nil {
			s.v.Log.Warn("session: what the guardian remembers is broken and is begun afresh", "session", s.start.ID, "err", err)
			w = watched{}
		}
	}
	if e.Language == "" {
		e.Language = s.v.Language("")
	}
	if e.Language == "" {
		e.Language = w.Language
	} else {
		w.Language = e.Language
	}
	d := s.guardian().Judge(ctx, e, &w.State)
	if raw, err := json.Marshal(w); err == nil {
		st.Guard = raw
	}
	return d
}

// heed notes who spoke and why, and keeps what is said for the next occasion.
func (s *Session) heed(ctx context.Context, d *guard.Decision) error {
	for _, err := range d.Failed {
		s.v.Log.Warn("session: a rule of the guardian went wrong", "session", s.start.ID, "err", err)
	}
	var records []memory.AuditRecord
	for _, v := range d.Spoke() {
		records = append(records, memory.AuditRecord{TS: s.v.Now().UTC(), Op: memory.AuditGuard, By: "guard: " + v.Rule, Why: s.clean(v.Why), Session: s.start.ID})
	}
	for _, v := range d.Say {
		text := v.Text
		if !strings.HasPrefix(text, "orihon") {
			text = "orihon: " + text
		}
		s.reminders = append(s.reminders, inert.Line(s.clean(text)))
	}
	if len(records) == 0 {
		return nil
	}
	return s.v.Personal.Text.Audit(ctx, records...)
}

// Reminder is what the guardian has to say about the events since it was asked
// last, one line each.
func (s *Session) Reminder() Injection {
	text := strings.Join(s.reminders, "\n")
	s.reminders = nil
	return Injection{Text: text, Tokens: tokens.Estimate(text)}
}

// unharmed logs what went wrong in the guardian: nothing else fails for it.
func (s *Session) unharmed(err error) {
	if err != nil {
		s.v.Log.Warn("session: the guardian is left out", "session", s.start.ID, "err", err)
	}
}

// maxContext is what one answer of a hook may hold, in bytes.
const maxContext = 10_000

// remind adds what the guardian has to say to an injection.
func (s *Session) remind(in Injection) Injection {
	return in.with(s.Reminder())
}

// with is an injection with another one below it.
func (in Injection) with(r Injection) Injection {
	switch {
	case r.Text == "" || len(in.Text)+len(r.Text) >= maxContext: // a client would cut off the end
	case in.Text == "":
		in.Text, in.Tokens = r.Text, r.Tokens
	default:
		in.Text, in.Tokens = in.Text+"\n"+r.Text, in.Tokens+r.Tokens
	}
	return in
}

// asked is a prompt as the guardian looks at it.
func (s *Session) asked(ctx context.Context, text string) *guard.Event {
	language := s.v.Language("")
	if language == "" && strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "/") {
		language = s.language(ctx, text)
	}
	return &guard.Event{Kind: guard.Asked, Language: language}
}

// Halt is what becomes of an agent that wants to stop.
type Halt struct {
	Reason string // why it is to go on; empty lets it stop
	Notice string // for the user
}

// Stop asks the guardian whether an agent may stop: the session's own, or the
// sub-agent with an ID. continued says that it goes on only because it was kept
// from stopping before.
func (s *Session) Stop(ctx context.Context, agent string, continued bool) (Halt, error) {
	if !s.v.Config.Guard.StopGate && len(s.hooksFor("stop")) == 0 {
		return Halt{}, nil
	}
	d, err := s.watch(ctx, &guard.Event{Kind: guard.Stopping, Agent: agent, Continued: continued})
	if err != nil {
		return Halt{}, err
	}
	var h Halt
	if d.Block != nil {
		h.Reason = inert.Line(s.clean(d.Block.Text))
	}
	for _, v := range d.Tell {
		h.Notice = strings.TrimPrefix(h.Notice+"\n"+inert.Line(s.clean(v.Text)), "\n")
	}
	return h, nil
}

// began is a session's start as the guardian looks at it, with what earlier sessions
// did not get done with.
func (s *Session) began(ctx context.Context, source string) *guard.Event {
	e := guard.Event{Kind: guard.Began}
	states := s.sessions().newest(s.start.ID)
	if source != "resume" {
		e.Past, e.Language = s.past(ctx, states)
	}
	e.Capture = s.sessions().capture(states)
	return &e
}

// mostPast is how many earlier sessions are asked what they left.
const mostPast = 5

// past is what the sessions before this one left, the newest first, and the language of
// the last. One whose client is still there is not before this one: it is another
// terminal. What an older one left counts while its command has not passed since.
func (s *Session) past(ctx context.Context, states []*session.Head) (left []guard.Trouble, language string) {
	states = slices.DeleteFunc(slices.Clone(states), func(st *session.Head) bool {
		return st.Prompts == 0 && len(st.Guard) == 0 || st.Status == session.Working && st.Alive()
	})
	for i, st := range states[:min(len(states), mostPast)] {
		var w watched
		if json.Unmarshal(st.Guard, &w) != nil {
			continue
		}
		if i == 0 {
			language = cmp.Or(s.v.Language(""), w.Language)
		}
		for _, t := range guard.Settle(guard.Troubles(&w.State), s.states) {
			t.Older = i > 0
			known := slices.ContainsFunc(left, func(o guard.Trouble) bool { return o.Where == t.Where })
			if !known && (t.Rule == guard.DriftRule || !s.passed(ctx, states[:i], t.Where)) {
				left = append(left, t)
			}
		}
	}
	return left, language
}

// passed reports whether a command passed in one of some sessions, or may have.
func (s *Session) passed(ctx context.Context, states []*session.Head, command string) bool {
	command, long := strings.CutSuffix(strings.Trim(command, "`"), "…")
	for _, st := range states {
		r, err := s.sessions().recordOf(ctx, s.v.Project.Session(st.ID))
		if err != nil {
			return true
		}
		for i := range r.Requests {
			if slices.ContainsFunc(r.Requests[i].Commands, func(c capture.Ran) bool {
				return c.Result == capture.Passed && (c.About == command || long && strings.HasPrefix(c.About, command))
			}) {
				return true
			}
		}
	}
	return false
}
