package activity

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Action is one call of a tool and what came of it.
type Action struct {
	Iter  int   // the iteration of the run, where they are counted
	Seq   int64 // its place in the record of the run, where it has one
	At    time.Time
	Tool  string
	Input json.RawMessage

	Command string   // of a shell call
	Files   []string // as the client names them
	Output  string
	Ended   time.Time // when its result came
	Done    bool      // a result was found
	Failed  bool      // and it was an error

	texts map[string]string // once [Action.Text] was asked
	line  *Line             // once [Action.Line] was asked
}

// New reads a call. Files are those that are known without its input, which may
// be broken or nil.
func New(tool string, input json.RawMessage, files []string) Action {
	a := Action{Tool: tool, Input: input, Files: files}
	if len(a.Files) == 0 {
		if f := a.first(fileFields); f != "" {
			a.Files = []string{f}
		}
	}
	a.Command = a.Text(commandField)
	// The memory and edit tools call their verb a command.
	if a.Effect() == Editing && a.first(verbOf) != "" {
		a.Command = ""
	}
	return a
}

// Texts are the members of the input that are texts.
func (a *Action) Texts() map[string]string {
	if a.texts == nil {
		a.texts = map[string]string{}
		var members map[string]json.RawMessage
		if json.Unmarshal(a.Input, &members) == nil {
			for name, raw := range members {
				var s string
				if json.Unmarshal(raw, &s) == nil {
					a.texts[name] = s
				}
			}
		}
	}
	return a.texts
}

// Text is a member of the input; empty when it is missing or no text.
func (a *Action) Text(name string) string { return a.Texts()[name] }

func (a *Action) first(names []string) string {
	for _, name := range names {
		if s := a.Text(name); s != "" {
			return s
		}
	}
	return ""
}

// DropInput forgets the input and keeps what was read of it.
func (a *Action) DropInput() { a.Input, a.texts = nil, map[string]string{} }

// Telling is the member of the input that says most about a call without a
// command and files.
func (a *Action) Telling() string {
	if s := a.first(tellingFields); s != "" {
		return s
	}
	var many map[string]json.RawMessage
	var asked []map[string]any
	if json.Unmarshal(a.Input, &many) == nil && json.Unmarshal(many[questionsField], &asked) == nil && len(asked) > 0 {
		s, _ := asked[0][questionField].(string)
		return s
	}
	return ""
}

// Written is the new text of an edit.
func (a *Action) Written() string { return a.joined(writtenFields) }

// Replaced is the text that an edit takes away.
func (a *Action) Replaced() string { return a.joined(replacedFields) }

// joined are members of the input, and of the edits in it where it has several.
func (a *Action) joined(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, a.Text(name))
	}
	var many map[string]json.RawMessage
	var edits []map[string]any
	if json.Unmarshal(a.Input, &many) == nil && json.Unmarshal(many[editsField], &edits) == nil {
		for _, e := range edits {
			for _, name := range names {
				if s, ok := e[name].(string); ok {
					all = append(all, s)
				}
			}
		}
	}
	return strings.Join(all, "\n")
}

// Task is what a sub-agent is started for.
type Task struct{ Kind, Text string }

// Task reads a call that starts a sub-agent.
func (a *Action) Task() (Task, bool) {
	if !a.Starts() {
		return Task{}, false
	}
	return Task{a.Text(kindField), a.joined(taskFields)}, true
}

// Starts reports a call that starts a sub-agent.
func (a *Action) Starts() bool { return slices.Contains(taskTools, a.Tool) }

// Line is the command, cut once.
func (a *Action) Line() *Line {
	if a.line == nil {
		a.line = ParseLine(a.Command)
	}
	return a.line
}

// Looks reports a command that only looks at something: its failing means that
// nothing was found, and its success changes nothing.
func (a *Action) Looks() bool { return a.Command != "" && a.Line().Looks() }

// Refused reports what the user stopped: it failed for no reason of its own.
func (a *Action) Refused() bool {
	return slices.ContainsFunc(refusals, func(s string) bool { return strings.Contains(a.Output, s) })
}

// Absent reports a failure that says nothing of the work: the program was not there.
func (a *Action) Absent() bool { return a.Failed && absent().MatchString(a.Output) }

// Erred reports a failure that is worth telling: not a search that found
// nothing, and not what the user stopped.
func (a *Action) Erred() bool { return a.Failed && !a.Looks() && !a.Refused() }

// Subject is what an action is about: one that succeeds settles the earlier
// failures with the same subject. Paths are compared below the working
// directory.
func (a *Action) Subject(cwd string) string {
	switch e := a.Effect(); {
	case a.Command != "":
		return "$ " + a.Line().Essence()
	case e == Editing:
		return "edit " + Relative(cwd, a.Files[0])
	case e == Reading && len(a.Files) > 0:
		return "read " + Relative(cwd, a.Files[0])
	}
	var in bytes.Buffer
	if json.Compact(&in, a.Input) != nil {
		return a.Tool
	}
	return a.Tool + " " + in.String()
}

// Log pairs calls with their results as a run goes on. The zero value is empty.
type Log struct {
	Actions []Action       // in the order they were asked for
	open    map[string]int // index of the action by its call
}

// Call adds what was asked for. The id is the client's; where it has none, a
// result belongs to the last call of its tool.
func (l *Log) Call(id string, a Action) {
	if l.open == nil {
		l.open = map[string]int{}
	}
	l.open[callID(id, a.Tool)] = len(l.Actions)
	l.Actions = append(l.Actions, a)
}

// Result completes the action that asked for it with output, files and whether
// it failed. One nobody is known to have asked for stands for itself.
func (l *Log) Result(id string, r Action) {
	r.Done = true
	key := callID(id, r.Tool)
	at, ok := l.open[key]
	if !ok {
		l.Actions = append(l.Actions, r)
		return
	}
	delete(l.open, key)
	a := &l.Actions[at]
	a.Done, a.Failed, a.Output, a.Ended = true, r.Failed, r.Output, r.At
	if len(a.Files) == 0 {
		a.Files = r.Files
	}
}

func callID(id, tool string) string {
	if id != "" {
		return "id " + id
	}
	return "tool " + tool
}
