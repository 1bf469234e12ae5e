package activity

import (
	"cmp"
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
	// telling change nothing either, but their failing is a failure.
	telling = []string{
		"xxd", "hexdump", "od", "nl", "tr", "column", "lsof", "fuser", "ping", "dig", "nslookup", "host", "df", "du", "env", "printenv", "id", "whoami",
		"hostname", "date", "uptime", "netstat", "ss", "free", "lsusb", "lsblk", "dmesg", "journalctl", "uname", "nproc", "md5sum", "sha256sum",
	}
	// asking are words by which any other program is asked how things stand, such as
	// docker ps; of those that work on files they are names.
	asking = []string{
		"ps", "list", "ls", "status", "info", "show", "history", "describe", "logs", "version", "devices", "current-context", "inspect", "view", "top", "events",
		"kubectl get", "config get",
	}
	onFiles = []string{"rm", "mv", "cp", "touch", "mkdir", "chmod", "chown", "ln", "sed", "kill", "xargs", "tee", "find"}
)

// Changes reports a line that may have changed something outside of the shell: not
// one that only looks, or asks a program how things stand.
func (l *Line) Changes() bool {
	return slices.ContainsFunc(l.Commands, func(c Command) bool { return c.place != substituted && c.Changes() })
}

// Changes is the same of one command.
func (c *Command) Changes() bool {
	const near = 5 // words in which the asking stands
	switch {
	case c.compound:
		return false
	case c.writes:
		return true
	case c.Program == "find":
		return slices.ContainsFunc(c.Words, func(w string) bool { return w == "-delete" || w == "-exec" })
	case c.Program == "sed":
		return slices.ContainsFunc(c.Words, func(w string) bool { return strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--in-place") })
	case c.Program == "" || c.looks() || slices.Contains(preparing, c.Program) || slices.Contains(telling, c.Program):
		return false
	case slices.Contains(onFiles, c.Program):
		return true
	}
	words := slices.DeleteFunc(slices.Clone(c.Words), func(w string) bool { return strings.HasPrefix(w, "-") })
	for i, w := range words {
		if i > 0 && (i <= near && slices.Contains(asking, w) || slices.Contains(asking, words[i-1]+" "+w)) {
			return false
		}
	}
	return true
}

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
func (l *Line) Bare() string { return l.joined((*Command).bare) }

// Doing is Bare without the commands that only look at something, where others do more.
func (l *Line) Doing() string {
	if l.Looks() {
		return l.Bare()
	}
	pipes := func(i int) bool { return i < len(l.Commands) && strings.HasPrefix(l.Commands[i].sign, "|") }
	looks := map[*Command]bool{}
	for i := range l.Commands {
		c := &l.Commands[i]
		reads := c.looks() || c.Program == "sed" && !c.Changes()
		looks[c] = reads && !c.writes && !c.compound && !pipes(i) && !pipes(i+1)
	}
	return l.joined(func(c *Command) string {
		if looks[c] {
			return ""
		}
		return c.bare()
	})
}

func (c *Command) bare() string {
	if c.Program == "" {
		return c.about
	}
	return strings.TrimPrefix(c.about, c.environment)
}

func (l *Line) joined(text func(*Command) string) string {
	return cmp.Or(l.told(text), oneLine(l.text))
}

// told is what a line is about, by what there is to tell of each command.
func (l *Line) told(text func(*Command) string) string {
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
