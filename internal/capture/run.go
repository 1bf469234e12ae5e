package capture

import (
	"context"
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"orihon/journal"
)

// Run is what a session's journal tells of its work: what was said, what was
// done, and how that went. [Episode] is made of it.
type Run struct {
	Prompts []Said // by the user, in order
	Answers []Said // by the assistant, in order
	Actions []Act  // in the order they were asked for

	Compactions    int
	Started, Ended time.Time // times of the first and the last event
	CWD            string    // where the session first began
	Branch         string    // the last one told of
}

// Said is one message.
type Said struct {
	Seq     int64 // its place in the journal
	At      time.Time
	Text    string
	Speaker string // who, when it is not the session's user
}

// Act is one tool call and what came of it.
type Act struct {
	Seq   int64 // its place in the journal
	At    time.Time
	Tool  string
	Input json.RawMessage // nil when larger than 64 KiB

	Command string   // of a shell call
	Files   []string // as the client names them
	Output  string   // the end of it, at most 8 KiB
	Done    bool     // a result was found
	Failed  bool     // and it was an error
}

const (
	maxInput  = 64 << 10
	maxOutput = 8 << 10
)

// ReadRun reads the whole journal of a session. Lines and payloads that cannot
// be read are passed over; an error means that the journal itself could not be
// read, or that the context ended.
func ReadRun(ctx context.Context, j *journal.Journal) (Run, error) {
	b := runBuilder{journal: j, open: map[string]int{}}
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
	return b.run, nil
}

// runBuilder takes the events of a journal one by one.
type runBuilder struct {
	journal *journal.Journal
	run     Run
	open    map[string]int // index of the action by the identity of its call
}

func (b *runBuilder) add(e journal.Event) {
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
	var in struct{ command, file, notebook, path string }
	fields := map[string]*string{"command": &in.command, "file_path": &in.file, "notebook_path": &in.notebook, "path": &in.path}
	var raw map[string]json.RawMessage
	if json.Unmarshal(p.Input, &raw) == nil {
		for name, to := range fields {
			// A field of another type is as good as none.
			_ = json.Unmarshal(raw[name], to)
		}
	}
	act := Act{Seq: e.Seq, At: e.TS, Tool: p.Tool, Command: in.command, Files: p.Files}
	if len(p.Input) <= maxInput {
		act.Input = p.Input
	}
	for _, file := range []string{in.file, in.notebook, in.path} {
		if len(act.Files) == 0 && file != "" {
			act.Files = []string{file}
		}
	}
	b.open[callID(e, p.Tool)] = len(b.run.Actions)
	b.run.Actions = append(b.run.Actions, act)
}

// result completes the action that asked for it. One nobody is known to have
// asked for stands for itself.
func (b *runBuilder) result(e journal.Event) {
	var p journal.Result
	if b.journal.Decode(e, &p) != nil {
		return
	}
	id := callID(e, p.Tool)
	at, ok := b.open[id]
	if !ok {
		at = len(b.run.Actions)
		b.run.Actions = append(b.run.Actions, Act{Seq: e.Seq, At: e.TS, Tool: p.Tool})
	}
	delete(b.open, id)
	act := &b.run.Actions[at]
	act.Done, act.Failed, act.Output = true, p.Error, tail(p.Output, maxOutput)
	if len(act.Files) == 0 {
		act.Files = p.Files
	}
}

// callID is what a result shares with its request: the tool-use id or, where
// the client gave none, the tool.
func callID(e journal.Event, tool string) string {
	if e.ID != "" {
		return "id " + e.ID
	}
	return "tool " + tool
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
