package activity

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Check is what a command finds out about the work.
type Check string

// The checks.
const (
	NoCheck Check = ""
	Test    Check = "test"
	Build   Check = "build"
	Lint    Check = "lint"
)

//go:embed checks.txt
var checkTable string

// checkOf is a row of the table.
type checkOf struct {
	kind         Check
	words, flags []string
}

// checks are the rows, by the program they begin with.
var checks = sync.OnceValue(func() map[string][]checkOf {
	out := make(map[string][]checkOf)
	for line := range strings.Lines(checkTable) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		row := checkOf{kind: Check(words[0])}
		if row.kind == "none" {
			row.kind = NoCheck
		}
		for _, w := range words[2:] {
			if strings.HasPrefix(w, "-") && w != "-m" {
				row.flags = append(row.flags, w)
			} else {
				row.words = append(row.words, w)
			}
		}
		out[words[1]] = append(out[words[1]], row)
	}
	return out
})

// Program reports whether a word is the name of a program that tests, builds or lints.
func Program(word string) bool { return len(checks()[word]) > 0 }

// Check is what the command finds out; of rows that fit, the longest decides.
func (c *Command) Check() Check {
	var bare []string
	for _, w := range c.Words[min(1, len(c.Words)):] {
		if !strings.HasPrefix(w, "-") || w == "-m" {
			bare = append(bare, w)
		}
	}
	best, kind := -1, NoCheck
	for _, row := range checks()[c.Program] {
		n := len(row.words) + len(row.flags)
		if n > best && begins(bare, row.words) && !slices.ContainsFunc(row.flags, func(f string) bool { return !slices.Contains(c.Words, f) }) {
			best, kind = n, row.kind
		}
	}
	return kind
}

func begins(words, with []string) bool {
	if len(words) < len(with) {
		return false
	}
	for i, w := range with {
		if stem, open := strings.CutSuffix(w, "*"); open && !strings.HasPrefix(words[i], stem) || !open && words[i] != w {
			return false
		}
	}
	return true
}

// Check is what the line finds out: of several checks, that of the last.
func (l *Line) Check() Check {
	kind := NoCheck
	for i := range l.Commands {
		if k := l.Commands[i].Check(); k != NoCheck && l.Commands[i].place != substituted {
			kind = k
		}
	}
	return kind
}

// covers reports a line whose check looks at all that the check of another looks at:
// with the same program, at the same places or at ones around them.
func (l *Line) covers(o *Line) bool {
	wide, narrow := l.checked(), o.checked()
	if wide == nil || narrow == nil || wide.Program != narrow.Program || wide.Check() != narrow.Check() {
		return false
	}
	in, chosen := wide.places()
	of, _ := narrow.places()
	for len(in) > 0 && len(of) > 0 && in[0] == of[0] {
		in, of = in[1:], of[1:]
	}
	if len(in) == 0 {
		in = []string{wide.everywhere()}
	}
	if len(of) == 0 {
		of = []string{narrow.everywhere()}
	}
	return !chosen && !slices.ContainsFunc(of, func(place string) bool {
		return !slices.ContainsFunc(in, func(around string) bool {
			folder := wide.Program != "go" || strings.HasSuffix(around, "/")
			return around == "" || place == around || strings.HasPrefix(place, around+"::") || folder && strings.HasPrefix(place, strings.TrimSuffix(around, "/")+"/")
		})
	})
}

// everywhere is the place of a check that names none.
func (c *Command) everywhere() string {
	if c.Program == "go" {
		return "."
	}
	return ""
}

// checked is the last check of the line.
func (l *Line) checked() *Command {
	for i := len(l.Commands) - 1; i >= 0; i-- {
		if c := &l.Commands[i]; c.Check() != NoCheck && c.place != substituted {
			return c
		}
	}
	return nil
}

// Checking is the command of the line that its [Line.Check] is of, as typed; empty for none.
func (l *Line) Checking() string {
	if c := l.checked(); c != nil {
		return c.Text
	}
	return ""
}

// choosing are the flags by which a check leaves out what stands at its places.
var choosing = []string{"-run", "-skip", "-short", "-tags", "-k", "-m", "--lf", "-t", "-g", "--grep", "--filter", "--testNamePattern", "-p", "--package", "--lib", "--test"}

// places are where a check looks, "" for everywhere, and whether it looks at some of
// what is there only.
func (c *Command) places() (out []string, chosen bool) {
	words := c.Words[1:]
	if len(words) > 1 && words[0] == "-m" { // a module of Python
		words = words[1:]
	}
	for i := 0; i < len(words); i++ {
		flag, _, valued := strings.Cut(words[i], "=")
		switch {
		case slices.Contains(choosing, flag):
			chosen = true
			if !valued {
				i++
			}
		case !strings.HasPrefix(flag, "-"):
			out = append(out, strings.TrimSuffix(strings.TrimPrefix(words[i], "./"), "..."))
		}
	}
	return out, chosen
}

// GoesOn reports a line that does something else behind its last check, which may
// be what failed.
func (l *Line) GoesOn() bool {
	goes := false
	for i := range l.Commands {
		switch c := &l.Commands[i]; {
		case c.place != onLine:
		case c.Check() != NoCheck:
			goes = false
		case c.sign != "|" && c.sign != "|&" && c.Changes():
			goes = true
		}
	}
	return goes
}

// Before are the commands of the line in front of its first check that may have
// changed something, or set it for what follows.
func (l *Line) Before() []string {
	var out []string
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Check() != NoCheck {
			return out
		}
		name, rest := c.subcommand()
		commits := name == "add" || name == "commit" || name == "stash" && len(rest) == 0
		if c.place == onLine && !commits && (c.Changes() || c.Program == "export" || c.Program == "source") {
			out = append(out, c.about)
		}
	}
	return nil
}

// silent reports whether the line can end well though its check does not: what
// stands behind the check decides.
func (l *Line) silent() bool {
	last := -1
	for i := range l.Commands {
		if l.Commands[i].Check() != NoCheck {
			last = i
		}
	}
	return last >= 0 && last < len(l.Commands)-1 && slices.ContainsFunc(l.Commands[last+1:], func(c Command) bool {
		return c.sign == "|" || c.sign == "|&" || c.sign == "||" || c.sign == ";"
	})
}

//go:embed outcomes.txt
var outcomeTable string

// outcome makes one expression of the rows of a kind.
func outcome(kind string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		var rows []string
		for line := range strings.Lines(outcomeTable) {
			if row, ok := strings.CutPrefix(line, kind+" "); ok {
				rows = append(rows, strings.TrimSuffix(row, "\n"))
			}
		}
		return regexp.MustCompile("(?m)" + strings.Join(rows, "|"))
	})
}

// broken and passing are what tools print when a check fails, and when it passes.
// absent is what they print when there is no such program or task.
var broken, passing, absent = outcome("broken"), outcome("passing"), outcome("absent")

// Broke reports that an action failed: by its own account, or because it is a
// check whose end the line hides, as behind a pipe, and which says that it failed.
// What only looked, and what the user stopped, is none.
func (a *Action) Broke() bool {
	if a.Failed || !a.Done || a.Command == "" {
		return a.Erred()
	}
	l := a.Line()
	return l.Check() != NoCheck && l.silent() && a.SaysBroken() && !a.recovered()
}

// recovered reports a line with several checks, as before and after a change, the last of
// which says that it passed.
func (a *Action) recovered() bool {
	checks := 0
	for i := range a.Line().Commands {
		if a.Line().Commands[i].Check() != NoCheck {
			checks++
		}
	}
	if checks < 2 {
		return false
	}
	lines := strings.Split(strings.TrimSpace(a.Output), "\n")
	last := lines[len(lines)-1]
	return passing().MatchString(last) && !broken().MatchString(last)
}

// SaysBroken reports an output in which a check says that it failed.
func (a *Action) SaysBroken() bool { return broken().MatchString(a.Output) }

// SaysPassing reports a text in which a check says that it passed.
func SaysPassing(text string) bool { return passing().MatchString(text) }

// Proves reports an action whose success says what it seems to: not a check of which the
// line lets only some words through, and these do not say that it passed.
func (a *Action) Proves() bool {
	if a.Command == "" || a.Line().Check() == NoCheck || !a.Line().silent() {
		return true
	}
	chosen := slices.ContainsFunc(a.Line().Commands, func(c Command) bool {
		return strings.HasPrefix(c.sign, "|") && c.sign != "||" && slices.Contains([]string{"grep", "egrep", "rg", "awk", "sed", "head"}, c.Program)
	})
	return !chosen || passing().MatchString(a.Output)
}

// failedNames are the names of the tests that an output says have failed.
var failedNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:--- FAIL: |^FAILED |^not ok \d+ -? ?|^\s*● )(\S+)|^test (\S+) \.\.\. FAILED`)
})

// FailedTests are the names of the tests that the action's output says have failed.
func (a *Action) FailedTests() []string {
	var out []string
	for _, m := range failedNames().FindAllStringSubmatch(a.Output, -1) {
		name := m[1] + m[2]
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// About is the program of a call, with what it is to do, as people name it:
// "go test", "git push", "gh pr view"; for what is no command the tool's name.
func (a *Action) About() string {
	if a.Command == "" {
		return a.Tool
	}
	for i := range a.Line().Commands {
		c := &a.Line().Commands[i]
		if c.place == substituted || c.Program == "" || slices.Contains(preparing, c.Program) {
			continue
		}
		out := []string{c.Program}
		for _, w := range c.Words[1:] {
			if len(out) == 3 || strings.HasPrefix(w, "-") || !plainWord(w) {
				break
			}
			out = append(out, w)
		}
		return strings.Join(out, " ")
	}
	return a.Tool
}

// plainWord is one that names what to do, rather than a path, a name or a text.
func plainWord(w string) bool {
	return len(w) < 20 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz:-") == ""
}

// Works reports an action that did something: an edit that was made, or a command
// that succeeded and neither looks nor checks.
func (a *Action) Works() bool {
	if !a.Done || a.Failed {
		return false
	}
	return a.Effect() == Editing || a.Command != "" && !a.Looks() && a.Line().Check() == NoCheck
}
