package capture

import (
	"fmt"
	"slices"
	"strings"

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

// complaint is the end of what a failed action said, on one line: its last
// lines that speak of an error, else its last lines.
func complaint(a *activity.Action) string {
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

// shown lists the names of the first n files, and how many more there are.
func shown(files []activity.File, n int, w words) []string {
	var out []string
	for _, f := range files[:min(n, len(files))] {
		out = append(out, f.Name)
	}
	if more := len(files) - n; more > 0 {
		out = append(out, fmt.Sprintf(w["more"], more))
	}
	return out
}
