package window

import (
	"cmp"
	"slices"
	"strings"

	"orihon/internal/activity"
)

// headingWords is about how many words of a heading say what was done.
const headingWords = 6

// heading says in a few words what the most work of a range came to, and how the
// checks ended: its first clause, of what [record.title] tells request by request.
func (r *record) heading() string {
	l := titleLabels(r.language())
	did, checked := "", r
	if commits := activity.Commits(r.acts); len(commits) > 0 {
		last := commits[len(commits)-1]
		did = l.committed + l.quoted(begun(oneLine(last.Subject))) + more(len(commits)-1, &l)
		checked = cmp.Or(r.sinceCommits(), r)
	} else if parts := r.parts(); len(parts) > 0 {
		most := *slices.MaxFunc(parts, func(a, b *record) int { return a.work() - b.work() })
		most.prompts = nil // what was asked for is told where there is room
		did, _, _ = strings.Cut(most.done(&l), l.and)
		did = begun(did)
	}
	if did == "" {
		return begun(r.title())
	}
	outcome, _, _ := strings.Cut(checked.outcome(did, &l), ": ")
	if strings.HasSuffix(outcome, l.earlier) || wordCount(outcome) > headingWords {
		outcome = ""
	}
	return capital(clauses(l.and, did, outcome))
}

// begun is the beginning of a text, with an ellipsis where something was left out: a
// clause without those that narrow it down may say too much.
func begun(s string) string {
	if short := shortened(s, headingWords); wordCount(short) < wordCount(s) {
		return strings.TrimSuffix(short, "…") + "…"
	}
	return s
}
