package activity

import "strings"

// Commit is an entry of version control that was made.
type Commit struct {
	Subject, Hash string
	Iter          int
}

// Commits are those that a run made, oldest first, each subject once.
func Commits(actions []Action) []Commit {
	var out []Commit
	seen := map[string]bool{}
	for i := range actions {
		if c, ok := actions[i].Commit(); ok && !seen[c.Subject] {
			seen[c.Subject] = true
			out = append(out, c)
		}
	}
	return out
}

// Commit is the entry of version control that an action made.
func (a *Action) Commit() (Commit, bool) {
	if !strings.Contains(a.Command, "commit") && !strings.Contains(a.Command, "cherry-pick") && !strings.Contains(a.Command, "revert") {
		return Commit{}, false
	}
	if a.Line().begins() {
		return Commit{}, false // a repository to try something in
	}
	subject := a.Line().CommitSubject()
	hash, told := commitReport(a.Output)
	if a.Failed && hash == "" { // a later command may have failed
		return Commit{}, false
	}
	if subject == "" {
		subject = told
	}
	return Commit{subject, hash, a.Iter}, subject != ""
}

// commitReport reads what git prints of a commit: "[main 1a2b3c4] subject".
func commitReport(output string) (hash, subject string) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "[") {
			continue
		}
		head, after, ok := strings.Cut(line[1:], "] ")
		words := strings.Fields(head)
		if !ok || len(words) < 2 {
			continue
		}
		h := words[len(words)-1]
		if len(h) >= 7 && len(h) <= 40 && strings.Trim(h, "0123456789abcdef") == "" {
			return h, oneLine(after)
		}
	}
	return "", ""
}

// BesideCommit is the essence of a line without what makes a commit of it, whose
// message may be written by a command before; empty where nothing else is left.
func (l *Line) BesideCommit() string {
	gone := map[*Command]bool{}
	for i := range l.Commands {
		c := &l.Commands[i]
		name, rest := c.subcommand()
		gone[c] = name == "add" || name == "commit"
		for j := range i {
			before := &l.Commands[j]
			gone[before] = gone[before] || name == "commit" && (before.file != "" && before.file == messageFile(rest) || j == i-1 && c.sign == "|")
		}
	}
	return l.told(func(c *Command) string {
		if gone[c] {
			return ""
		}
		return c.about
	})
}
