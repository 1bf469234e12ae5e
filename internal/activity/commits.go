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
		a := &actions[i]
		if !strings.Contains(a.Command, "commit") && !strings.Contains(a.Command, "cherry-pick") && !strings.Contains(a.Command, "revert") {
			continue
		}
		if a.Line().begins() {
			continue // a repository to try something in
		}
		subject := a.Line().CommitSubject()
		hash, told := commitReport(a.Output)
		if a.Failed && hash == "" { // a later command may have failed
			continue
		}
		if subject == "" {
			subject = told
		}
		if subject == "" || seen[subject] {
			continue
		}
		seen[subject] = true
		out = append(out, Commit{subject, hash, a.Iter})
	}
	return out
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
