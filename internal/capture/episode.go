package capture

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/activity"
	"orihon/internal/terms"
)

// Summary is what is kept of a session. Everything in it was said or done
// there; only the labels are Orihon's, in the language of the first prompt.
type Summary struct {
	Title string // at most 80 characters
	Text  string // at most 600 characters, one labelled line for each side of it

	// FilesChanged and FilesRead are relative to the working directory, most
	// touched first. After ten of them the last entry says how many more
	// there are.
	FilesChanged, FilesRead []string

	VCS       []string // the last ten questions to version control
	Decisions []string // at most five sentences
	Warnings  []string // signs of going round in circles, at most ten
	// Tags tell what kind of session it was: "episode", "changes",
	// "unresolved", "compacted", and "branch:<name>".
	Tags []string
}

const (
	maxTitle     = 80
	maxText      = 600
	maxShown     = 10
	maxDecisions = 5
	maxWarnings  = 10

	manyEdits    = 3
	manyFailures = 2
)

// Episode sums up a session. It is false when there is nothing to sum up:
// nobody asked for anything.
func Episode(r Run) (Summary, bool) {
	prompts := requests(r.Prompts)
	if len(prompts) == 0 {
		return Summary{}, false
	}
	w := wordsFor(terms.Lang(prompts[0].Text))
	changed, read, failures := r.touched(activity.Editing), r.touched(activity.Reading), activity.NewOutcomes(r.CWD, r.Actions).Unresolved()
	s := Summary{
		Title:        title(prompts[0].Text),
		FilesChanged: shown(changed, maxShown, w),
		FilesRead:    shown(read, maxShown, w),
		VCS:          r.questions(maxShown),
		Decisions:    decisions(&r, prompts, maxDecisions),
		Warnings:     r.warnings(changed, w),
		Tags:         []string{"episode"},
	}
	// Where nothing was done or decided, only questions are left to tell: they
	// would come back as if they were knowledge.
	if len(r.Actions) == 0 && len(s.Decisions) == 0 {
		return Summary{}, false
	}
	s.Text = fill(maxText, w, []part{
		{w["asked"], prose(prompts[0].Text), 170},
		{w["changed"], w.list(shown(changed, 8, w)), 110},
		{w["ran"], w.list(r.outcomes(4, w)), 110},
		{w["unresolved"], w.list(r.errorLines(failures, 2, w)), 90},
		{w["ended"], gist(r.Answers), 80},
		{w["later"], laterPrompt(prompts), 40},
	})
	if len(changed) > 0 {
		s.Tags = append(s.Tags, "changes")
	}
	if len(failures) > 0 {
		s.Tags = append(s.Tags, "unresolved")
	}
	if r.Compactions > 0 {
		s.Tags = append(s.Tags, "compacted")
	}
	if branch := oneLine(r.Branch); branch != "" {
		s.Tags = append(s.Tags, "branch:"+branch)
	}
	return s, true
}

// title is the first sentence of a prompt that says something.
func title(prompt string) string {
	for _, s := range sayings(prompt) {
		if worded(s) {
			return clip(s, maxTitle)
		}
	}
	return clip(oneLine(prompt), maxTitle)
}

// gist is what the last answer says before it comes to what is still to be
// done.
func gist(answers []Said) string {
	for _, a := range slices.Backward(answers) {
		var b strings.Builder
		for _, s := range sayings(a.Text) {
			if before, _, _ := cutColon(s); b.Len() > 0 && opens(before) {
				break
			}
			if said := b.String(); said != "" && !endsWithAny(said, "。", "！", "？") {
				b.WriteByte(' ')
			}
			b.WriteString(s)
		}
		if b.Len() > 0 {
			return b.String()
		}
	}
	return ""
}

// laterPrompt is the last prompt when it is not the first.
func laterPrompt(prompts []Said) string {
	if len(prompts) < 2 {
		return ""
	}
	return prose(prompts[len(prompts)-1].Text)
}

// questions are the last n different questions to version control.
func (r *Run) questions(n int) []string {
	var out []string
	for i := range r.Actions {
		for _, c := range r.Actions[i].Line().Questions() {
			q := clip(oneLine(c.Text), maxCommand)
			if at := slices.Index(out, q); at >= 0 {
				out = slices.Delete(out, at, at+1)
			}
			out = append(out, q)
		}
	}
	return out[max(0, len(out)-n):]
}

// outcomes are the last n commands with how they went.
func (r *Run) outcomes(n int, w words) []string {
	all := activity.Attempts(r.Actions)
	var out []string
	for _, a := range all[max(0, len(all)-n):] {
		name := nameOf(a.Action, r.CWD)
		switch {
		case a.Succeeded && a.Errors > 0:
			out = append(out, name+fmt.Sprintf(w["failedThenOK"], a.Errors))
		case a.Succeeded:
			out = append(out, name+w["ok"])
		case a.Errors > 1:
			out = append(out, name+fmt.Sprintf(w["onlyFailed"], a.Errors))
		default:
			out = append(out, name+w["failed"])
		}
	}
	return out
}

// errorLines say what failed and how, the last n of them.
func (r *Run) errorLines(failures []*activity.Action, n int, w words) []string {
	var out []string
	for _, a := range failures[max(0, len(failures)-n):] {
		said := complaint(a)
		if said == "" {
			said = w["failedWithout"]
		}
		out = append(out, nameOf(a, r.CWD)+w["colon"]+said)
	}
	return out
}

// warnings are the signs that a session went round in circles.
func (r *Run) warnings(changed []activity.File, w words) []string {
	var out []string
	for _, c := range changed {
		if c.Times >= manyEdits {
			out = append(out, fmt.Sprintf(w["edited"], c.Name, c.Times))
		}
	}
	for _, a := range activity.Attempts(r.Actions) {
		if a.Errors >= manyFailures {
			out = append(out, fmt.Sprintf(w["failedTimes"], nameOf(a.Action, r.CWD), a.Errors))
		}
	}
	return out[:min(len(out), maxWarnings)]
}

// list joins what is listed on one line.
func (w words) list(entries []string) string { return strings.Join(entries, w["comma"]) }

// part is a labelled line that wants some room, in characters, label included.
type part struct {
	label, text string
	room        int
}

// fill writes the parts that have a text, each in its room. What the short
// ones leave goes to those that were cut, in order. The result has at most
// size characters.
func fill(size int, w words, parts []part) string {
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.text == "" })
	spare := size
	for i := range parts {
		p := &parts[i]
		p.room = min(p.room, p.size(w)+1) // with its line break
		spare -= p.room
	}
	var lines []string
	for i := range parts {
		p := &parts[i]
		more := min(max(spare, 0), max(p.size(w)+1-p.room, 0))
		p.room += more
		spare -= more
		label := p.label + w["colon"]
		if text := clip(p.text, p.room-1-utf8.RuneCountInString(label)); text != "" {
			lines = append(lines, label+text)
		}
	}
	return strings.Join(lines, "\n")
}

func (p *part) size(w words) int {
	return utf8.RuneCountInString(p.label) + utf8.RuneCountInString(w["colon"]) + utf8.RuneCountInString(p.text)
}
