package activity

import (
	"slices"
	"strings"
)

// What programs do, as far as it matters what a line is about.
var (
	// starting only start another program.
	starting = []string{"sudo", "time", "env", "command", "exec", "(", "{", "!"}
	// preparing are passed over: they only make ready for what the line is
	// about, or wait for it.
	preparing = []string{"cd", "pushd", "export", "source", "set", "echo", "true", "sleep"}
	// filters, behind a pipe, only shorten what is printed.
	filters = []string{"tail", "head", "tee", "cat", "less", "wc", "grep", "sort"}
	// looking change nothing, and fail when nothing was found.
	looking = []string{
		"cd", "ls", "cat", "head", "tail", "less", "grep", "egrep", "rg", "find", "fd", "test", "[", "[[", "which", "type",
		"diff", "cmp", "pgrep", "ps", "pwd", "wc", "sort", "uniq", "cut", "awk", "echo", "true", "stat", "file", "tree", "jq", "sleep",
	}
)

// Essence is what a line is about: without the change of folder before it, and
// without the filters and redirections that only shorten what it prints. Two
// runs of the same command have the same essence. It stands on one line.
func (l *Line) Essence() string {
	if l.essence == "" {
		l.essence = l.joined(func(c *Command) string { return c.about })
	}
	return l.essence
}

// Bare is the essence without what is set in the environment for it.
func (l *Line) Bare() string {
	return l.joined(func(c *Command) string {
		if c.Program == "" {
			return c.about
		}
		return strings.TrimPrefix(c.about, c.environment)
	})
}

func (l *Line) joined(text func(*Command) string) string {
	var b strings.Builder
	for i := range l.Commands {
		c := &l.Commands[i]
		piped := strings.HasPrefix(c.sign, "|") && c.sign != "||"
		if c.place != onLine || text(c) == "" || slices.Contains(preparing, c.Program) || piped && slices.Contains(filters, c.Program) {
			continue
		}
		switch {
		case b.Len() == 0:
		case c.sign == ";":
			b.WriteString("; ")
		default:
			b.WriteString(" " + c.sign + " ")
		}
		b.WriteString(text(c))
	}
	if b.Len() == 0 {
		return oneLine(l.text)
	}
	return b.String()
}

// Looks reports a line that only looks at something. What a substitution runs
// counts as little as what it prints.
func (l *Line) Looks() bool {
	looks := false
	for i := range l.Commands {
		c := &l.Commands[i]
		switch {
		case c.place == substituted:
		case c.writes, !c.compound && !c.looks():
			return false
		case !c.compound:
			looks = true
		}
	}
	return looks
}

func (c *Command) looks() bool {
	if slices.Contains(looking, c.Program) {
		return true
	}
	switch name, rest := c.subcommand(); {
	case name == "":
		return false
	case name == "branch": // with a name it makes one
		return !slices.ContainsFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") })
	case (name == "worktree" || name == "stash") && len(rest) > 0:
		return rest[0] == "list"
	default:
		return slices.Contains(questions, name) || slices.Contains(glances, name)
	}
}
