package capture

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"orihon/internal/activity"
	"orihon/journal"
)

// Run is what a session's journal tells of its work: what was said, what was
// done, and how that went. [Episode] is made of it.
type Run struct {
	Prompts []Said            // by the user, in order
	Answers []Said            // by the assistant, in order
	Actions []activity.Action // in the order they were asked for

	Compactions    int
	Started, Ended time.Time // times of the first and the last event
	CWD            string    // where the session first began
	Branch         string    // the last one told of

	// Language is what is told of it; empty is that of each request, Script then the
	// Chinese one of requests that do not tell theirs; empty is that of all prompts.
	Language, Script string
}

// Said is one message.
type Said struct {
	Seq     int64 // its place in the journal
	At      time.Time
	Text    string
	Speaker string // who, when it is not the session's user
}

// Bounds of an action: a larger input is left out, of a larger output the end
// stays.
const (
	maxInput  = 64 << 10
	maxOutput = 8 << 10
)

// ReadRun reads the whole journal of a session. Lines and payloads that cannot
// be read are passed over; an error means that the journal itself could not be
// read, or that the context ended.
func ReadRun(ctx context.Context, j *journal.Journal) (Run, error) {
	b := runBuilder{journal: j, seen: make(map[[2]string]bool)}
	for e, err := range j.Events(ctx, 0) {
		var broken *journal.Problem
		switch {
		case errors.As(err, &broken):
			continue
		case err != nil:
			return Run{}, err
		}
		b.add(e)
	}
	b.run.Actions = b.calls.Actions
	return b.run, nil
}

// runBuilder takes the events of a journal one by one.
type runBuilder struct {
	journal *journal.Journal
	run     Run
	calls   activity.Log
	seen    map[[2]string]bool // type and identity
}

func (b *runBuilder) add(e journal.Event) {
	// Hooks that are told of the same again much later write it again.
	if id := [2]string{string(e.Type), e.ID}; e.ID != "" {
		if b.seen[id] {
			return
		}
		b.seen[id] = true
	}
	if !e.TS.IsZero() {
		if b.run.Started.IsZero() {
			b.run.Started = e.TS
		}
		b.run.Ended = e.TS
	}
	switch e.Type {
	case journal.RunStarted:
		var p journal.Run
		if b.journal.Decode(e, &p) != nil {
			return
		}
		if b.run.CWD == "" {
			b.run.CWD = p.CWD
		}
		if p.Branch != "" {
			b.run.Branch = p.Branch
		}
	case journal.UserMessage:
		b.run.Prompts = b.said(b.run.Prompts, e)
	case journal.AssistantMessage:
		b.run.Answers = b.said(b.run.Answers, e)
	case journal.ActionRequest:
		b.request(e)
	case journal.ActionResult:
		b.result(e)
	case journal.Compacted:
		b.run.Compactions++
	}
}

func (b *runBuilder) said(to []Said, e journal.Event) []Said {
	var p journal.Message
	if b.journal.Decode(e, &p) != nil || p.Text == "" {
		return to
	}
	return append(to, Said{Seq: e.Seq, At: e.TS, Text: p.Text, Speaker: p.Speaker})
}

func (b *runBuilder) request(e journal.Event) {
	var p journal.Action
	if b.journal.Decode(e, &p) != nil {
		return
	}
	act := activity.New(p.Tool, p.Input, p.Files)
	act.At, act.Seq = e.TS, e.Seq
	if len(p.Input) > maxInput {
		act.DropInput()
	}
	b.calls.Call(e.ID, act)
}

func (b *runBuilder) result(e journal.Event) {
	var p journal.Result
	if b.journal.Decode(e, &p) == nil {
		b.calls.Result(e.ID, activity.Action{At: e.TS, Seq: e.Seq, Tool: p.Tool, Files: p.Files, Output: tail(p.Output, maxOutput), Failed: p.Error})
	}
}

// tail is the end of s, at most n bytes, cut between two characters.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}
