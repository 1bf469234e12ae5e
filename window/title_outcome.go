package window

import (
	"fmt"
	"slices"
	"strings"

	"orihon/internal/activity"
)

// printed is the last line that the last command printed.
func (r *record) printed(l *titleWordings) string {
	a := &r.acts[len(r.acts)-1]
	lines := strings.Split(strings.TrimSpace(a.Output), "\n")
	if last := oneLine(lines[len(lines)-1]); a.Works() && last != "" {
		return l.and + l.quoted(clip(last, 60))
	}
	return ""
}

// outcome says how the checks of the last changes went, else that the last command
// failed; behind what is told already.
func (r *record) outcome(told string, l *titleWordings) string {
	changed := -1
	for i := range r.acts {
		if a := &r.acts[i]; a.Effect() == activity.Editing && a.Done && !a.Failed {
			changed = i
		}
	}
	var passed, failed []string
	kinds := map[activity.Check]bool{}
	for i := len(r.acts) - 1; i >= 0; i-- {
		a := &r.acts[i]
		if !a.Done || a.Command == "" || a.Refused() || a.Absent() {
			continue
		}
		kind := a.Line().Check()
		if kind == activity.NoCheck || kinds[kind] {
			continue
		}
		kinds[kind] = true
		switch {
		case a.Broke():
			text := l.fails[kind]
			names := wholeTests(a.FailedTests())
			if kind == activity.Build || len(names) == 0 && !a.SaysBroken() {
				text = described(a) + l.failed // it may be more than a build, or have come to no test
				if check := a.Line().Checking(); check != "" && a.SaysBroken() {
					text = "`" + clip(check, 50) + "`" + l.failed
				}
			}
			if len(names) > 0 && kind == activity.Test && !strings.Contains(told, names[0]) {
				text += ": " + names[0] + more(len(names)-1, l)
			}
			if i < changed { // what was mended since is not known to fail
				text += l.earlier
			}
			failed = append(failed, text)
		case i > changed && a.Proves() && !shortensOutput(a) && (kind != activity.Build || strings.Contains(a.Command, "build")):
			if !strings.Contains(strings.ToLower(told), l.passes[l.checks[kind]]) {
				passed = append(passed, l.checks[kind])
			}
		}
	}
	slices.Reverse(passed)
	switch {
	case len(passed) == 1:
		failed = append(failed, l.passes[passed[0]])
	case len(passed) > 1:
		failed = append(failed, fmt.Sprintf(l.pass, strings.Join(passed[:len(passed)-1], l.comma)+l.with+passed[len(passed)-1]))
	}
	if text := strings.Join(failed, l.and); strings.Contains(strings.ToLower(told), text) {
		return "" // the agent says the same
	} else if text != "" || len(r.acts) == 0 {
		return text
	}
	if a := &r.acts[len(r.acts)-1]; a.Erred() && a.Command != "" && !a.Absent() && !strings.Contains(told, described(a)) && !strings.Contains(capital(told), strings.TrimSpace(l.vain)) {
		return described(a) + l.failed
	}
	return ""
}

// shortensOutput reports a command of whose output only the beginning is known.
func shortensOutput(a *activity.Action) bool {
	return slices.ContainsFunc(a.Line().Commands, func(c activity.Command) bool { return c.Program == "head" })
}

// wholeTests are tests without those that are parts of one before.
func wholeTests(names []string) []string {
	return slices.DeleteFunc(names, func(n string) bool {
		whole, _, ok := strings.Cut(n, "/")
		return ok && slices.Contains(names, whole)
	})
}

// described is what the assistant says a call is for, else how a person would call
// it.
func described(a *activity.Action) string {
	if about := oneLine(a.Text("description")); about != "" {
		return "“" + shortened(about, titleWords) + "”"
	}
	return "`" + clip(a.Line().Doing(), 50) + "`"
}
