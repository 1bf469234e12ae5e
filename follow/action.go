package follow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"orihon/guard"
	"orihon/internal/activity"
	"orihon/internal/advice"
	"orihon/internal/recall"
	"orihon/internal/redact"
	"orihon/internal/session"
	"orihon/internal/tokens"
	"orihon/internal/wording"
	"orihon/journal"
	"orihon/memory"
)

// Action is one tool call of the agent and what came of it.
type Action struct {
	ID         string // the client's name for the call
	Agent      string // the sub-agent that makes it, by the client's ID; empty for none
	Tool       string
	Input      json.RawMessage
	Output     string
	Error      bool
	DurationMS int64
}

// mostAdvice is how often in a turn, from one prompt to the next, actions are
// told what memory knows.
const mostAdvice = 5

// Action notes a tool call.
func (s *Session) Action(ctx context.Context, a Action) error {
	a.Output = s.output(&a)
	request, err := s.request(&a)
	if err != nil {
		return err
	}
	result, err := journal.New(journal.ActionResult, a.ID, journal.Result{Tool: a.Tool, Output: a.Output, Error: a.Error, DurationMS: a.DurationMS})
	if err != nil {
		return err
	}
	if err := s.record(ctx, request, result); err != nil {
		return err
	}
	e, watched := s.acted(&a)
	if watched {
		e.Others = s.runHooks(ctx, &e)
	}
	var d guard.Decision
	if err := s.update(ctx, func(st *session.State) {
		st.Track(a.Tool, a.Input)
		st.Unmined++
		if watched {
			d = s.decide(ctx, st, &e)
		}
	}); err != nil {
		return err
	}
	s.unharmed(s.heed(ctx, &d))
	return nil
}

// output is what a call gave, without secrets. What it shows of a file that holds
// credentials has no values.
func (s *Session) output(a *Action) string {
	out := s.clean(wording.WithoutInjected(a.Output))
	if redact.ShowsCredentials(a.Input) {
		out, _ = s.v.Redactor.Settings(out)
	}
	return out
}

// request is the event of a call, whose input loses its secrets.
func (s *Session) request(a *Action) (journal.Event, error) {
	if len(a.Input) > 0 {
		a.Input, _ = s.v.Redactor.Call(a.Input)
	}
	if !json.Valid(a.Input) {
		a.Input = nil
	}
	return journal.New(journal.ActionRequest, a.ID, journal.Action{Tool: a.Tool, Input: a.Input})
}

// Acts reports whether a call, before it runs, is one for which [Session.Acting]
// does anything: reading and looking are not. It needs no session, so that these
// cost nothing.
func Acts(a Action) bool {
	call := activity.New(a.Tool, a.Input, nil)
	_, task := call.Task()
	_, does := doing(&call, "")
	return task || does
}

// doing is what memory is asked about for a call; false for one that only looks
// and did not fail.
func doing(call *activity.Action, cwd string) (*advice.Doing, bool) {
	d := &advice.Doing{About: call.Telling(), Added: call.Written(), Gone: call.Replaced()}
	switch {
	case call.Command != "":
		for i := range call.Line().Commands {
			d.Commands = append(d.Commands, call.Line().Commands[i].Words)
		}
		return d, !call.Looks()
	case call.Effect() == activity.Editing:
		for _, f := range call.Files {
			d.Files = append(d.Files, activity.Relative(cwd, f))
		}
		return d, true
	}
	return d, false
}

// Acting says what memory knows about exactly what a call is about to do. A call
// that starts a sub-agent is noted, for [Session.Subagent].
func (s *Session) Acting(ctx context.Context, a Action) (Injection, error) {
	call := activity.New(a.Tool, a.Input, nil)
	refuse, err := s.mayAct(ctx, &a, &call)
	s.unharmed(err)
	if refuse != "" {
		return Injection{Refuse: refuse}, nil
	}
	if _, ok := call.Task(); ok {
		request, err := s.request(&a)
		if err != nil {
			return Injection{}, err
		}
		return s.remind(Injection{}), s.record(ctx, request)
	}
	var in Injection
	if d, ok := doing(&call, s.start.CWD); ok {
		d.Habits = s.habits(fitting(d, &call), a.Agent)
		in, err = s.advise(ctx, a.Agent, d)
	}
	return s.remind(in), err
}

// Failed says what memory knows about a call that failed and about its error.
func (s *Session) Failed(ctx context.Context, a Action) (Injection, error) {
	call := activity.New(a.Tool, a.Input, nil)
	call.Done, call.Failed, call.Output = true, true, a.Output
	if call.Refused() {
		return Injection{}, nil
	}
	d, _ := doing(&call, s.start.CWD)
	d.Error = a.Output
	d.Habits = s.habits(fitting(d, &call), a.Agent)
	return s.advise(ctx, a.Agent, d)
}

// Remembered is what the session taught that bears on a call which has run, and that
// the window holds no more.
func (s *Session) Remembered(ctx context.Context, a Action) (Injection, error) {
	if s.state.Boundary == 0 || a.Agent != "" {
		return Injection{}, nil
	}
	call := activity.New(a.Tool, a.Input, nil)
	d, _ := doing(&call, s.start.CWD)
	words := slices.Concat(d.Files, call.Files, []string{d.About})
	for _, c := range d.Commands {
		words = append(words, c...)
	}
	if a.Error {
		words = append(words, tokens.Fit(a.Output, 500))
	}
	return s.hot(ctx, s.clean(strings.Join(words, " ")))
}

// Subagent says what memory knows about the task of a sub-agent that starts: of
// the last call of its kind for which none has started yet.
func (s *Session) Subagent(ctx context.Context, id, kind string) (Injection, error) {
	if !s.advises() {
		return Injection{}, nil
	}
	call, task, err := s.task(ctx, kind)
	if err != nil || call == "" {
		return Injection{}, err
	}
	if err := s.update(ctx, func(st *session.State) { st.Start(call) }); err != nil {
		return Injection{}, err
	}
	return s.advise(ctx, id, &advice.Doing{Task: task})
}

// task finds the task of a sub-agent among the last events.
func (s *Session) task(ctx context.Context, kind string) (id, text string, err error) {
	const looked = 64 // events
	seq, _ := s.log.Last()
	type open struct{ id, text string }
	var tasks []open
	for e, err := range s.log.Events(ctx, max(1, seq-looked)) {
		var broken *journal.Problem
		switch {
		case errors.As(err, &broken):
			continue
		case err != nil:
			return "", "", err
		}
		switch e.Type {
		case journal.ActionRequest:
			var a journal.Action
			if s.log.Decode(e, &a) != nil {
				continue
			}
			call := activity.New(a.Tool, a.Input, nil)
			if t, ok := call.Task(); ok && (kind == "" || t.Kind == "" || t.Kind == kind) && !s.state.Started(e.ID) {
				tasks = append(tasks, open{e.ID, t.Text})
			}
		case journal.ActionResult:
			tasks = slices.DeleteFunc(tasks, func(t open) bool { return t.id == e.ID })
		}
	}
	if len(tasks) == 0 {
		return "", "", nil
	}
	return tasks[0].id, tasks[0].text, nil
}

// advises reports whether an action may still be told anything.
func (s *Session) advises() bool {
	c := &s.v.Config.Recall
	return c.Action && s.state.InjectedTokens+advice.MaxTokens <= c.SessionTokens && s.state.Advised() < mostAdvice
}

// advise asks memory about what is done in the window of an agent, and notes
// what enters it.
func (s *Session) advise(ctx context.Context, agent string, d *advice.Doing) (Injection, error) {
	if !s.advises() || !d.Tells() && len(d.Habits) == 0 {
		return Injection{}, nil
	}
	d.Viewer, d.Language = s.v.Viewer(), cmp.Or(s.v.Language(""), s.script())
	d.Seen = func(id, hash string) bool { return s.state.Seen(session.InWindow(agent, id), hash) }
	a, err := advice.On(ctx, s.v.Engine(ctx), d)
	if err != nil || a.Text == "" {
		return Injection{}, err
	}
	in := Injection{Text: a.Text, Tokens: a.Tokens}
	if agent == "" {
		_, err = s.spend(ctx, a.Passages, session.Spent{Passages: habitHashes(a.Habits), Tokens: a.Tokens, Advice: true}, "")
		return in, err
	}
	return in, s.lend(ctx, agent, a)
}

// lend notes what entered the window of a sub-agent, which ends with it.
func (s *Session) lend(ctx context.Context, agent string, a advice.Advice) error {
	hashes := make(map[string]string, len(a.Passages))
	ids := make([]string, len(a.Passages))
	for i := range a.Passages {
		ids[i] = a.Passages[i].ID
		hashes[session.InWindow(agent, ids[i])] = recall.Hash(&a.Passages[i])
	}
	for id, hash := range habitHashes(a.Habits) {
		hashes[session.InWindow(agent, id)] = hash
	}
	if err := s.update(ctx, func(st *session.State) {
		st.Advise()
		st.Inject(hashes, a.Tokens)
	}); err != nil {
		return err
	}
	if err := s.v.Personal.Text.Use(ctx, memory.Usage{TS: s.v.Now().UTC(), Op: memory.UsageInjected, IDs: ids, Session: s.start.ID, Tokens: a.Tokens}); err != nil {
		s.v.Log.Warn("session: use not noted", "err", err)
	}
	return nil
}
