package capture

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"orihon/internal/activity"
	"orihon/internal/terms"
)

// nameOf is how a person would call the action.
func nameOf(a *activity.Action, cwd string) string {
	switch {
	case a.Command != "":
		return "`" + clip(oneLine(a.Line().Essence()), maxCommand) + "`"
	case len(a.Files) > 0:
		return oneLine(a.Tool) + " " + oneLine(activity.Relative(cwd, a.Files[0]))
	}
	return oneLine(a.Tool)
}

// maxCommand bounds how much is shown of a command, in characters.
const maxCommand = 120

// width bounds a line of an error that is told, in characters.
const width = 160

// pointed are the lines of an output that point at what is wrong, each once.
func pointed(output string) []string {
	var out []string
	for line := range strings.Lines(output) {
		if m := places().FindStringSubmatch(clip(oneLine(line), width)); m != nil && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// complaint is what a failed action said was wrong, on one line: the first places it
// points at, else its last lines that speak of an error, else its last lines.
func complaint(a *activity.Action) string {
	const shown = 2
	var all, telling, pointing []string
	if a.Line().Check() != activity.NoCheck {
		pointing = pointed(a.Output)
	}
	for line := range strings.Lines(a.Output) {
		line = oneLine(line)
		if line == "" || strings.HasPrefix(line, "Exit code ") {
			continue
		}
		if n := len(telling); n > 0 && strings.HasSuffix(telling[n-1], ":") && all[len(all)-1] == telling[n-1] {
			telling[n-1] = clip(telling[n-1]+" "+line, width) // what is wrong stands in the next line
		}
		line = clip(line, width)
		all = append(all, line)
		if len(line) > len("Error: 1") && speaksOfError(line) && !sumsUp(line) {
			telling = append(telling, line)
		}
	}
	if len(pointing) > 0 {
		// Which test failed, then what says so, then whatever else it points at.
		kind := func(line string) int {
			switch {
			case strings.HasPrefix(line, "--- FAIL: "):
				return 0
			case speaksOfError(line) || containsAny(line, "xpected", "got "):
				return 1
			}
			return 2
		}
		slices.SortStableFunc(pointing, func(a, b string) int { return kind(a) - kind(b) })
		test := strings.HasPrefix(pointing[0], "--- FAIL: ")
		pointing = append(pointing[:1], slices.DeleteFunc(pointing[1:], func(l string) bool { return strings.Contains(l, "output: ") || test && kind(l) != 1 })...)
		return strings.Join(pointing[:min(len(pointing), shown)], " / ")
	}
	if len(telling) == 0 {
		telling = all
	}
	return strings.Join(telling[max(0, len(telling)-shown):], " / ")
}

// places are lines with which tests, compilers and linters point at what is wrong.
var places = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\[[\w:.-]+\] )?(--- FAIL: [^\s(]+.*|[^\s:()'"]+\.[A-Za-z]{1,5}:\d+(?::\d+)?: .*|[^\s:()'"]+\.[A-Za-z]{1,5}\(\d+,\d+\): .*|error(?:\[E\d+\])?: .*|E .*|FAILED \S+.*|● .*)$`)
})

// sumsUp reports a line that says that something failed, and not what.
func sumsUp(line string) bool {
	return containsAny(line, "Traceback (most recent call last)", "returned 1 exit status", "subcommand failed", "ERROR task failed")
}

func speaksOfError(line string) bool {
	return containsAny(terms.Fold(line),
		"error", "fail", "panic", "fatal", "exception", "undefined", "cannot", "can't", "unable", "denied",
		"not found", "no such", "unexpected", "invalid", "refused", "timed out", "traceback", "want",
		"错误", "失败", "无法", "不能", "找不到", "不存在", "拒绝", "异常", "超时", "未定义")
}

// touched names the files on which actions had an effect, most touched first.
func (r *Run) touched(e activity.Effect) []activity.File {
	out := activity.Touched(r.CWD, r.Actions, e)
	for i := range out {
		out[i].Name = oneLine(out[i].Name)
	}
	out = slices.DeleteFunc(out, func(f activity.File) bool { return f.Name == "" })
	slices.SortStableFunc(out, func(a, b activity.File) int { return b.Times - a.Times })
	return out
}

// checked reports whether a test, build or lint ran behind the last change.
func (r *Run) checked() bool {
	for i := range slices.Backward(r.Actions) {
		a := &r.Actions[i]
		switch {
		case a.Command != "" && a.Line().Check() != "" && a.Done && !(a.Failed && a.Refused()):
			return true
		case len(activity.Touched(r.CWD, r.Actions[i:i+1], activity.Editing)) > 0:
			return false
		}
	}
	return false
}

// shown lists the names of some files as far as there is room for, and how many
// more there are.
func shown(files []FileTouched, room int, w words) []string {
	var out []string
	for i, f := range files {
		if room -= len([]rune(f.Name)) + 2; room < 0 && i > 0 {
			return append(out, fmt.Sprintf(w["more"], len(files)-i))
		}
		out = append(out, f.Name)
	}
	return out
}

// questions are the last n different questions to version control.
func (r *Run) questions(n int) []string {
	var out []string
	for i := range r.Actions {
		for _, c := range r.Actions[i].Line().Questions() {
			q := clip(oneLine(c.Text), maxCommand)
			if at := slices.Index(out, q); at >= 0 {
				out = slices.Delete(out, at, at+1)
			}
			out = append(out, q)
		}
	}
	return out[max(0, len(out)-n):]
}

// ours reports a call of this program: what it says is memory already.
func ours(a *activity.Action) bool {
	if strings.HasPrefix(a.Tool, "mcp__") && strings.Contains(a.Tool, "orihon") {
		return true
	}
	commands := a.Line().Commands
	return a.Command != "" && len(commands) > 0 && slices.ContainsFunc(commands, func(c activity.Command) bool { return c.Program == "orihon" })
}
