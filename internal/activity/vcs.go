package activity

import (
	"slices"
	"strings"
)

// Version control, as far as it is known.
var (
	vcs = []string{"git", "hg", "svn", "jj"}
	// questions are what it is asked about the past.
	questions = []string{"log", "blame", "annotate", "show", "diff"}
	// glances are what else only looks.
	glances = []string{
		"status", "rev-parse", "cat-file", "ls-files", "ls-tree", "ls-remote", "count-objects", "fsck", "reflog", "describe", "merge-base",
		"rev-list", "show-ref", "for-each-ref", "diff-index", "diff-tree", "name-rev", "shortlog", "check-ignore", "info", "version",
	}
	// valued are flags before the subcommand whose value is a word of its own.
	valued = []string{"-C", "-c", "-R", "--git-dir", "--work-tree", "--namespace"}
)

// subcommand is what version control is to do, and the words behind it. It is
// empty for any other program.
func (c *Command) subcommand() (name string, rest []string) {
	if !slices.Contains(vcs, c.Program) {
		return "", nil
	}
	for i := 1; i < len(c.Words); i++ {
		switch w := c.Words[i]; {
		case slices.Contains(valued, w):
			i++
		case !strings.HasPrefix(w, "-"):
			return w, c.Words[i+1:]
		}
	}
	return "", nil
}

// Questions are the commands that ask version control for its log, or to blame,
// show or compare.
func (l *Line) Questions() []Command {
	var out []Command
	for _, c := range l.Commands {
		if name, _ := c.subcommand(); slices.Contains(questions, name) {
			out = append(out, c)
		}
	}
	return out
}

// Switches reports a line that makes the work another one than it was: another branch
// or commit, or without what was changed.
func (l *Line) Switches() bool {
	return slices.ContainsFunc(l.Commands, func(c Command) bool {
		switch name, rest := c.subcommand(); name {
		case "switch", "worktree", "bisect", "reset", "stash":
			return true
		case "checkout":
			return !slices.Contains(rest, "--")
		}
		return false
	})
}

// begins reports a line that makes a repository.
func (l *Line) begins() bool {
	return slices.ContainsFunc(l.Commands, func(c Command) bool {
		name, _ := c.subcommand()
		return name == "init"
	})
}

// CommitSubject is the first line of the message with which a line commits, or
// nothing. The message may stand in a here-document, or in a file that the line
// writes.
func (l *Line) CommitSubject() string {
	for i := range l.Commands {
		name, rest := l.Commands[i].subcommand()
		if name != "commit" {
			continue
		}
		text := message(rest)
		if file := messageFile(rest); text == "" && file != "" {
			text = l.written(i, file)
		}
		if s := messageLine(text); s != "" {
			return s
		}
	}
	return ""
}

// messageFile is the value of -F or --file.
func messageFile(words []string) string {
	for i, w := range words {
		switch after, ok := strings.CutPrefix(w, "--file="); {
		case ok:
			return after
		case w == "--file" && i+1 < len(words):
			return words[i+1]
		}
		letters, value, ok := strings.Cut(w, "F") // also among other letters: -qF
		switch {
		case !ok || letters == "" || letters[0] != '-' || strings.HasPrefix(w, "--"):
		case value != "":
			return value
		case i+1 < len(words):
			return words[i+1]
		}
	}
	return ""
}

// written is what the command at an index reads from a file of the line's own, or
// "-" for its input.
func (l *Line) written(at int, file string) string {
	input := file == "-" || file == "/dev/stdin"
	if c := &l.Commands[at]; input && c.stdin != "" {
		return c.stdin
	}
	for i := at - 1; i >= 0; i-- {
		switch c := &l.Commands[i]; {
		case input && c.stdin != "":
			return c.stdin
		case input && l.Commands[i+1].sign == "|" && len(c.Words) > 1 && (c.Program == "echo" || c.Program == "printf"):
			return c.Words[len(c.Words)-1]
		case !input && c.file == file:
			return c.stdin
		}
	}
	return ""
}

// message is the value of -m, also among other letters (-am), or of --message.
func message(words []string) string {
	for i, w := range words {
		if after, ok := strings.CutPrefix(w, "--message"); ok && (after == "" || after[0] == '=') {
			w = "-m" + strings.TrimPrefix(after, "=")
		}
		letters, value, ok := strings.Cut(w, "m")
		switch {
		case !ok || len(letters) == 0 || letters[0] != '-' || strings.ContainsAny(letters[1:], "-CcFS"):
		case value != "":
			return value
		case i+1 < len(words):
			return words[i+1]
		}
	}
	return ""
}

// messageLine is the first line of a message, which may stand in a
// here-document: $(cat <<'EOF'.
func messageLine(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.HasPrefix(first, "$(") && strings.Contains(first, "<<") {
		first, _, _ = strings.Cut(strings.TrimSpace(rest), "\n")
	}
	return oneLine(first)
}
