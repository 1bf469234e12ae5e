package window

import (
	"cmp"
	"slices"
	"strings"

	"orihon/internal/activity"
)

// headingWords is about how many words each part of a heading has at most.
const headingWords = 12

// heading says in a line what the most work of a range came to and what it was asked for,
// and how the checks ended. [record.title] tells the same request by request.
func (r *record) heading() string {
	l := titleLabels(r.language())
	l.room = headingWords
	var did string
	checked, parts := r, r.parts()
	if commits := activity.Commits(r.acts); len(commits) > 0 {
		last := commits[len(commits)-1]
		did = l.committed + l.quoted(begun(oneLine(last.Subject))) + more(len(commits)-1, &l)
		checked = cmp.Or(r.sinceCommits(), r)
		parts = slices.DeleteFunc(parts, func(p *record) bool { return len(activity.Commits(p.acts)) > 0 })
	}
	if len(parts) > 0 {
		most := slices.MaxFunc(parts, func(a, b *record) int { return a.work() - b.work() })
		asked := *most
		most.prompts = nil
		text := capital(l.main(most.done(&l)))
		if did == "" {
			did = asked.wished(text, &l)
		} else {
			did = clauses(l.and, did, uncapital(text))
		}
	}
	if did == "" {
		return begun(r.title())
	}
	outcome, _, _ := strings.Cut(checked.outcome(did, &l), ": ")
	if strings.HasSuffix(outcome, l.earlier) || wordCount(outcome) > headingWords/2 {
		outcome = ""
	}
	return capital(clauses(l.and, did, outcome, l.others(len(parts)-1)))
}

// main is what a text says first, without the commands that led to it.
func (l *titleWordings) main(text string) string {
	first, rest := firstClause(text, l.and)
	if strings.HasPrefix(first, capital(l.ran)) && rest != "" && !strings.HasPrefix(rest, l.quoted("")[:1]) {
		first, _ = firstClause(rest, l.and)
	}
	return begun(strings.TrimPrefix(first, l.found))
}

// firstClause cuts a text where by stands outside of code.
func firstClause(text, by string) (first, rest string) {
	for at := 0; ; at += len(by) {
		i := strings.Index(text[at:], by)
		if i < 0 {
			return text, ""
		}
		if at += i; strings.Count(text[:at], "`")%2 == 0 {
			return text[:at], text[at+len(by):]
		}
	}
}

// begun is the beginning of a text, with an ellipsis where something was left out: a
// clause without those that narrow it down may say too much.
func begun(s string) string {
	if short := shortened(s, headingWords); wordCount(short) < wordCount(s) {
		return strings.TrimSuffix(short, "…") + "…"
	}
	return s
}
