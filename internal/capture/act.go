package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"orihon/internal/terms"
)

// effect is what a tool does to the files it names.
type effect int

const (
	noEffect effect = iota
	reading
	changing
)

// effect tells by the tool's name; of a tool of an MCP server, by the verb its
// own name begins with.
func (a *Act) effect() effect {
	switch a.Tool {
	case "Read", "NotebookRead":
		return reading
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return changing
	}
	if !strings.HasPrefix(a.Tool, "mcp__") {
		return noEffect
	}
	verb := a.Tool[strings.LastIndex(a.Tool, "__")+2:]
	if i := strings.IndexAny(verb, "_-."); i > 0 {
		verb = verb[:i]
	}
	switch strings.ToLower(verb) {
	case "read", "view", "open":
		return reading
	case "write", "edit", "create", "replace", "insert", "append", "patch":
		return changing
	}
	return noEffect
}

// subject is what an action is about: an action that succeeds settles the
// earlier failures with the same subject.
func (a *Act) subject(cwd string) string {
	switch e := a.effect(); {
	case a.Command != "":
		return "$ " + essence(a.Command)
	case e == changing && len(a.Files) > 0:
		return "change " + relative(cwd, a.Files[0])
	case e == reading && len(a.Files) > 0:
		return "read " + relative(cwd, a.Files[0])
	}
	var in bytes.Buffer
	if json.Compact(&in, a.Input) != nil {
		return a.Tool
	}
	return a.Tool + " " + in.String()
}

// name is how a person would call the action.
func (a *Act) name(cwd string) string {
	switch {
	case a.Command != "":
		return "`" + clip(oneLine(essence(a.Command)), maxCommand) + "`"
	case len(a.Files) > 0:
		return oneLine(a.Tool) + " " + oneLine(relative(cwd, a.Files[0]))
	}
	return oneLine(a.Tool)
}

// maxCommand bounds how much is shown of a command, in characters.
const maxCommand = 120

// erred reports a failure that is worth telling: not a search that found
// nothing, and not what the user stopped.
func (a *Act) erred() bool {
	if !a.Failed || a.Command != "" && looks(a.Command) {
		return false
	}
	return !strings.Contains(a.Output, "Request interrupted by user") &&
		!strings.Contains(a.Output, "user doesn't want to")
}

// complaint is the end of what a failed action said, on one line: its last
// lines that speak of an error, else its last lines.
func (a *Act) complaint() string {
	const shown, width = 2, 160
	var all, telling []string
	for line := range strings.Lines(a.Output) {
		line = oneLine(line)
		if line == "" || strings.HasPrefix(line, "Exit code ") {
			continue
		}
		line = clip(line, width)
		all = append(all, line)
		if len(line) > len("Error: 1") && speaksOfError(line) {
			telling = append(telling, line)
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	return strings.Join(telling[max(0, len(telling)-shown):], " / ")
}

func speaksOfError(line string) bool {
	line = terms.Fold(line)
	return slices.ContainsFunc([]string{
		"error", "fail", "panic", "fatal", "exception", "undefined", "cannot", "can't", "unable", "denied",
		"not found", "no such", "unexpected", "invalid", "refused", "timed out", "traceback", "want",
		"错误", "失败", "无法", "不能", "找不到", "不存在", "拒绝", "异常", "超时", "未定义",
	}, func(word string) bool { return strings.Contains(line, word) })
}

// unresolved are the last failures of what has not succeeded since, oldest
// first.
func (r *Run) unresolved() []*Act {
	last := map[string]*Act{}
	for i := range r.Actions {
		a := &r.Actions[i]
		switch {
		case a.erred():
			last[a.subject(r.CWD)] = a
		case a.Done && !a.Failed:
			delete(last, a.subject(r.CWD))
		}
	}
	var out []*Act
	for i := range r.Actions {
		if a := &r.Actions[i]; a.erred() && last[a.subject(r.CWD)] == a {
			out = append(out, a)
		}
	}
	return out
}

// count is how often something occurred.
type count struct {
	name string
	n    int
}

// tally counts names, most frequent first, else in order of appearance.
type tally struct {
	list []count
	at   map[string]int
}

func (t *tally) add(name string) {
	if t.at == nil {
		t.at = map[string]int{}
	}
	i, ok := t.at[name]
	if !ok {
		i = len(t.list)
		t.at[name] = i
		t.list = append(t.list, count{name: name})
	}
	t.list[i].n++
}

func (t *tally) sorted() []count {
	out := slices.Clone(t.list)
	slices.SortStableFunc(out, func(a, b count) int { return b.n - a.n })
	return out
}

// touched counts the files on which actions had an effect, most touched first.
func (r *Run) touched(e effect) []count {
	var t tally
	for i := range r.Actions {
		a := &r.Actions[i]
		if !a.Done || a.Failed || a.effect() != e {
			continue
		}
		for _, file := range a.Files {
			if file = oneLine(relative(r.CWD, file)); file != "" {
				t.add(file)
			}
		}
	}
	return t.sorted()
}

// attempt is a command with all its runs.
type attempt struct {
	name         string
	runs, failed int
	succeeded    bool // the last time
}

// attempts are the commands that did something, in order of their last run.
func (r *Run) attempts() []attempt {
	var out []attempt
	at := map[string]int{} // by subject
	for i := range r.Actions {
		a := &r.Actions[i]
		if !a.Done || a.Command == "" || looks(a.Command) || a.Failed && !a.erred() {
			continue
		}
		key := a.subject(r.CWD)
		j, ok := at[key]
		one := attempt{name: a.name(r.CWD)}
		if ok {
			one = out[j]
			out[j].runs = 0 // moves to the end
		}
		one.runs++
		if one.succeeded = !a.Failed; a.Failed {
			one.failed++
		}
		at[key] = len(out)
		out = append(out, one)
	}
	return slices.DeleteFunc(out, func(a attempt) bool { return a.runs == 0 })
}

// relative is a path below the working directory, else the path itself, with
// slashes. Journals travel between systems, so that the paths of either kind
// are understood on both.
func relative(cwd, file string) string {
	if file == "" {
		return ""
	}
	windows := drive(cwd) || drive(file)
	if windows {
		cwd, file = strings.ReplaceAll(cwd, `\`, "/"), strings.ReplaceAll(file, `\`, "/")
	}
	file = path.Clean(file)
	if cwd == "" {
		return file
	}
	root := strings.TrimSuffix(path.Clean(cwd), "/") + "/"
	if len(file) > len(root) && (file[:len(root)] == root || windows && strings.EqualFold(file[:len(root)], root)) {
		return file[len(root):]
	}
	return file
}

// drive reports a path that begins with a drive letter or a network share.
func drive(p string) bool {
	return strings.HasPrefix(p, `\\`) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// shown lists the names of the first n counts, and how many more there are.
func shown(counts []count, n int, w *words) []string {
	var out []string
	for _, c := range counts[:min(n, len(counts))] {
		out = append(out, c.name)
	}
	if more := len(counts) - n; more > 0 {
		out = append(out, fmt.Sprintf(w.more, more))
	}
	return out
}
