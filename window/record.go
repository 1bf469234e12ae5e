package window

import (
	"encoding/json"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"orihon/internal/terms"
	"orihon/journal"
)

// record is what a stretch of a run tells of its work: what was said, what was
// done, and how that went. Summaries and indexes are made of it and invent
// nothing.
type record struct {
	prompts []saying // by the user
	spoken  []saying // by the assistant, answers and what it said on the way
	thought []saying
	earlier []saying // summaries of what came before the stretch
	acts    []act
	cwd     string
	known   *facts // once they were asked for
}

// saying is one message.
type saying struct {
	iter   int
	seq    int64
	at     time.Time
	text   string
	answer bool // ends a round: the user got it
}

// act is one call of a tool and what came of it.
type act struct {
	iter, seq int
	tool      string
	input     json.RawMessage
	fields    map[string]string // the texts among the input's members
	command   string            // of a shell call
	files     []string
	output    string
	done      bool // a result was found
	failed    bool // and it was an error
}

// readRecord reads events in their order.
func readRecord(v *journal.View, events []journal.Event) record {
	var r record
	if began := v.ByType(journal.RunStarted); len(began) > 0 && len(events) > 0 && began[0].Seq < events[0].Seq {
		var p journal.Run
		if v.Decode(began[0], &p) == nil {
			r.cwd = p.CWD
		}
	}
	open := map[string]int{} // index of the act by the id of its call
	for _, e := range events {
		switch e.Type {
		case journal.RunStarted:
			var p journal.Run
			if v.Decode(e, &p) == nil && r.cwd == "" {
				r.cwd = p.CWD
			}
		case journal.UserMessage:
			r.prompts = said(r.prompts, v, e)
		case journal.AssistantMessage, journal.Thought:
			var m journal.Message
			if v.Decode(e, &m) != nil || strings.TrimSpace(m.Text) == "" {
				continue
			}
			s := saying{e.Iter, e.Seq, e.TS, m.Text, e.Type == journal.AssistantMessage}
			if isReasoning(e, m) {
				r.thought = append(r.thought, s)
			} else {
				r.spoken = append(r.spoken, s)
			}
		case journal.Summary:
			var t told
			if v.Decode(e, &t) == nil && t.Kind == "" { // a strategy's own tells nothing new
				r.earlier = said(r.earlier, v, e)
			}
		case journal.Compacted:
			var c journal.Compaction
			if v.Decode(e, &c) == nil && c.Summary != "" {
				r.earlier = append(r.earlier, saying{iter: e.Iter, seq: e.Seq, at: e.TS, text: c.Summary})
			}
		case journal.ActionRequest:
			var a journal.Action
			if v.Decode(e, &a) != nil {
				continue
			}
			open[callID(e.ID, a.Tool)] = len(r.acts)
			r.acts = append(r.acts, newAct(e, a))
		case journal.ActionResult:
			var p journal.Result
			if v.Decode(e, &p) != nil {
				continue
			}
			id := callID(e.ID, p.Tool)
			at, ok := open[id]
			if !ok {
				at = len(r.acts)
				r.acts = append(r.acts, act{iter: e.Iter, seq: int(e.Seq), tool: p.Tool, files: p.Files})
			}
			delete(open, id)
			a := &r.acts[at]
			a.done, a.failed, a.output = true, p.Error, p.Output
			if len(a.files) == 0 {
				a.files = p.Files
			}
		}
	}
	return r
}

func said(to []saying, v *journal.View, e journal.Event) []saying {
	var m journal.Message
	if v.Decode(e, &m) != nil || strings.TrimSpace(m.Text) == "" {
		return to
	}
	return append(to, saying{e.Iter, e.Seq, e.TS, m.Text, false})
}

// isReasoning tells a model's thinking from what it said on the way.
func isReasoning(e journal.Event, m journal.Message) bool {
	return e.Type == journal.Thought && (m.Reasoning || m.Signature != "" || strings.HasPrefix(e.ID, "thinking:"))
}

// callID is what a result shares with its request: the call's id or, where
// there is none, the tool.
func callID(id, tool string) string {
	if id != "" {
		return "id " + id
	}
	return "tool " + tool
}

func newAct(e journal.Event, a journal.Action) act {
	out := act{iter: e.Iter, seq: int(e.Seq), tool: a.Tool, input: a.Input, files: a.Files, fields: map[string]string{}}
	var members map[string]json.RawMessage
	if json.Unmarshal(a.Input, &members) == nil {
		for name, raw := range members {
			var s string
			if json.Unmarshal(raw, &s) == nil {
				out.fields[name] = s
			}
		}
	}
	out.command = out.fields["command"]
	if out.effect() == editing && out.fields["path"]+out.fields["file_path"] != "" {
		out.command = "" // the memory and edit tools call their verb a command
	}
	if len(out.files) == 0 {
		for _, name := range [...]string{"file_path", "notebook_path", "path", "filename", "file"} {
			if f := out.fields[name]; f != "" {
				out.files = []string{f}
				break
			}
		}
	}
	return out
}

// effect is what a tool does to the files it names.
type effect int

const (
	noEffect effect = iota
	reading
	editing
)

// effect tells by the verb in the tool's name.
func (a *act) effect() effect {
	name := a.tool
	if i := strings.LastIndex(name, "__"); i >= 0 { // a tool of an MCP server
		name = name[i+2:]
	}
	for _, w := range terms.Words(splitHumps(name)) {
		switch w {
		case "edit", "write", "multiedit", "patch", "replace", "insert", "create", "append", "notebookedit":
			if len(a.files) > 0 || a.fields["file_path"]+a.fields["path"]+a.fields["notebook_path"]+a.fields["filename"]+a.fields["file"] != "" {
				return editing
			}
		case "read", "view", "open", "cat", "notebookread":
			return reading
		}
	}
	return noEffect
}

// splitHumps puts blanks into names such as NotebookEdit and read_file.
func splitHumps(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte(' ')
		}
		if r == '_' || r == '-' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// written is the new text of an edit.
func (a *act) written() string {
	return strings.Join([]string{a.fields["content"], a.fields["new_string"], a.fields["new_str"], a.fields["file_text"], a.fields["text"], a.fields["insert_text"]}, "\n")
}

// subject is what an act is about: one that succeeds settles the earlier
// failures with the same subject.
func (a *act) subject() string {
	switch {
	case a.command != "":
		return "$ " + essence(a.command)
	case len(a.files) > 0:
		return a.tool + " " + a.files[0]
	}
	return a.tool + " " + string(a.input)
}

// name is how a person would call the act, in at most n characters.
func (a *act) name(n int) string {
	switch {
	case a.command != "":
		return "`" + clip(oneLine(essence(a.command)), n) + "`"
	case len(a.files) > 0:
		return a.tool + " " + path.Base(slashed(a.files[0]))
	}
	for _, field := range [...]string{"pattern", "query", "url", "description", "subject", "prompt"} {
		if s := a.fields[field]; s != "" {
			return a.tool + " " + clip(oneLine(s), n)
		}
	}
	return a.tool
}

// refused reports what the user stopped: it failed for no reason of its own.
func (a *act) refused() bool {
	return strings.Contains(a.output, "user doesn't want to") || strings.Contains(a.output, "Request interrupted by user") ||
		strings.Contains(a.output, "tool use was rejected")
}

// fileCount is a file and how often it was touched.
type fileCount struct {
	name string
	n    int
	last int // iteration of the last touch
}

// touched counts the files on which acts had an effect, newest first.
func (r *record) touched(e effect) []fileCount {
	var out []fileCount
	at := map[string]int{}
	for i := range r.acts {
		a := &r.acts[i]
		if !a.done || a.failed || a.effect() != e {
			continue
		}
		for _, f := range a.files {
			f = relative(r.cwd, f)
			j, ok := at[f]
			if !ok {
				j = len(out)
				at[f] = j
				out = append(out, fileCount{name: f})
			}
			out[j].n++
			out[j].last = a.iter
		}
	}
	slices.SortStableFunc(out, func(a, b fileCount) int { return b.last - a.last })
	return out
}

// failure is an act that failed, and what came of it.
type failure struct {
	*act
	settled int    // iteration in which the same succeeded; 0 for never
	fix     string // what was changed in between
	again   int    // later failures with the same words
	retried bool   // the same was tried again
}

// failures are the acts that failed, oldest first, those with the same words
// once.
func (r *record) failures() []failure {
	var out []failure
	var later settlements
	at := map[string]int{}
	for i := range r.acts {
		a := &r.acts[i]
		if !a.failed || a.refused() {
			continue
		}
		head := clip(oneLine(a.output), 60)
		if j, ok := at[head]; ok {
			out[j].again++
			continue
		}
		at[head] = len(out)
		if later.by == nil {
			later = r.settlements()
		}
		f := failure{act: a}
		f.settled, f.fix, f.retried = r.settled(i, &later)
		out = append(out, f)
	}
	return out
}

// settlements say where each subject was acted on, so that the end of every
// failure is found in one pass over the acts.
type settlements struct {
	by    map[string][]int // indexes of the acts that are done, by subject
	edits []int            // for each act the index of the last edit up to it, -1 for none
}

func (r *record) settlements() settlements {
	s := settlements{by: map[string][]int{}, edits: make([]int, len(r.acts))}
	edit := -1
	for i := range r.acts {
		a := &r.acts[i]
		if a.done {
			s.by[a.subject()] = append(s.by[a.subject()], i)
			if !a.failed && len(a.files) > 0 && a.effect() == editing {
				edit = i
			}
		}
		s.edits[i] = edit
	}
	return s
}

// settled finds the first later success with the same subject, and the file
// that was edited on the way to it.
func (r *record) settled(failed int, later *settlements) (iter int, fix string, retried bool) {
	same := later.by[r.acts[failed].subject()]
	for _, i := range same[sort.SearchInts(same, failed+1):] {
		if a := &r.acts[i]; !a.failed {
			if e := later.edits[i]; e > failed {
				fix = path.Base(slashed(r.acts[e].files[0]))
			}
			return a.iter, fix, true
		}
		retried = true
	}
	return 0, "", retried
}

// openItem is an entry of a list that the assistant keeps.
type openItem struct{ text, status string }

// items are the entries of the lists the client's own tools keep, in their
// order: those that are open and those that are done.
func (r *record) items() (open, ticked []openItem) {
	type item struct {
		openItem
		id string
	}
	var items []item
	created := 0
	for i := range r.acts {
		a := &r.acts[i]
		if a.failed {
			continue
		}
		switch a.tool {
		case "TodoWrite", "todo_write", "write_todos", "update_plan":
			var in struct {
				Todos, Plan []struct{ Content, Description, Step, Status string }
			}
			if json.Unmarshal(a.input, &in) != nil {
				continue
			}
			items = slices.DeleteFunc(items, func(t item) bool { return t.id == "" })
			for _, t := range append(in.Todos, in.Plan...) {
				if text := oneLine(t.Content + t.Description + t.Step); text != "" {
					items = append(items, item{openItem: openItem{text, t.Status}})
				}
			}
		case "TaskCreate":
			created++
			if subject := oneLine(a.fields["subject"]); subject != "" {
				items = append(items, item{openItem{subject, "pending"}, taskNumber(a.output, created)})
			}
		case "TaskUpdate":
			for j := range items {
				if items[j].id != "" && items[j].id == a.fields["taskId"] && a.fields["status"] != "" {
					items[j].status = a.fields["status"]
				}
			}
		}
	}
	for _, t := range items {
		switch t.status {
		case "deleted", "cancelled":
		case "completed", "done":
			ticked = append(ticked, t.openItem)
		default:
			open = append(open, t.openItem)
		}
	}
	return open, ticked
}

// taskNumber is the number the client gave a task ("Task #3 created …"), else
// its place.
func taskNumber(output string, place int) string {
	_, rest, ok := strings.Cut(output, "#")
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	if ok && n > 0 {
		return rest[:n]
	}
	return itoa(place)
}

// commit is one entry of version control that was made.
type commit struct {
	subject, hash string
	iter          int
}

// commits are those that the run made, oldest first.
func (r *record) commits() []commit {
	var out []commit
	seen := map[string]bool{}
	for i := range r.acts {
		a := &r.acts[i]
		if a.command == "" || !strings.Contains(a.command, "commit") {
			continue
		}
		subject := commitSubject(a.command)
		hash, told := commitReport(a.output)
		if a.failed && hash == "" { // a later command may have failed
			continue
		}
		if subject == "" {
			subject = told
		}
		if subject == "" || seen[subject] {
			continue
		}
		seen[subject] = true
		out = append(out, commit{subject, hash, a.iter})
	}
	return out
}
