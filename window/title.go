package window

import (
	"fmt"
	"strings"

	"orihon/internal/activity"
	"orihon/journal"
)

// title says what happened in a range: what was committed or changed and how the
// last check went, else what was found out or answered, else what was looked at.
// It is made of what was done, not of what was announced.
func (r *record) title(f facts) string {
	what := changedTitle(f.Changes)
	if len(f.Files) > 0 && !strings.HasPrefix(what, committed) {
		what += r.purpose()
	}
	run := r.lastRun()
	if what == "" {
		switch said := r.statement(); {
		case said == "":
			what = r.looked()
		case r.answers():
			what = r.question() + said
		case r.looked() != "":
			what = r.looked() + "; found: " + said
		default:
			what = "Found: " + said
		}
	}
	switch {
	case what != "" && run != "":
		return strings.TrimRight(what, ".") + "; " + run
	case what+run != "":
		return what + run
	case len(r.prompts) > 0:
		return "Asked: “" + firstWords(oneLine(r.prompts[len(r.prompts)-1].text), 10) + "”, not answered yet"
	}
	return "Nothing was done"
}

// committed begins the title of a range with commits.
const committed = "Committed "

// titleWords is how many words of a sentence a title holds.
const titleWords = 14

// changedTitle says what was committed, else what was changed, of the changes that
// [facts] tell.
func changedTitle(changes []string) string {
	var commits, files []string
	for _, c := range changes {
		if s, ok := strings.CutPrefix(c, "committed "); ok {
			if hash, subject, ok := strings.Cut(s, " "); ok && strings.Trim(hash, "0123456789abcdef") == "" {
				s = subject
			}
			commits = append(commits, "“"+firstWords(s, titleWords)+"”")
		} else if s, ok := strings.CutPrefix(c, "changed "); ok {
			name, times, _ := strings.Cut(s, " (")
			if times != "" {
				times = " (" + times
			}
			files = append(files, activity.Base(name)+times)
		}
	}
	switch {
	case len(commits) > 0:
		return committed + listed(commits, 1)
	case len(files) > 0:
		return "Changed " + listed(files, 3)
	}
	return ""
}

// listed names the last n of a list, and how many more there are.
func listed(all []string, n int) string {
	out := strings.Join(newest(all, n), ", ")
	if more := len(all) - n; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// purpose is what the assistant announced with the last edit that came to pass,
// else which names the edits brought and took away.
func (r *record) purpose() string {
	var text, old strings.Builder
	said := ""
	for i := range r.acts {
		a := &r.acts[i]
		if a.Effect() != activity.Editing || a.Failed || !a.Done {
			continue
		}
		text.WriteString(a.Written() + "\n")
		old.WriteString(a.Replaced() + "\n")
		for _, s := range r.spoken {
			if s.iter != a.Iter || s.answer {
				continue
			}
			all := sentences(s.text)
			if len(all) == 0 {
				continue
			}
			last := strings.TrimRight(announced(all[len(all)-1]), ".:。：")
			if wordCount(last) >= leastTitle && (wordCount(last) >= titleWords/2 || len(journal.Entities(last)) > 0) { // no "fix it"
				said = firstWords(last, titleWords)
			}
		}
	}
	if said != "" {
		return ": " + said
	}
	var added, removed, kept []string
	for _, n := range r.names() {
		now, before := strings.Contains(text.String(), n.text), strings.Contains(old.String(), n.text)
		switch {
		case strings.ContainsAny(n.text, " /("):
		case now && !before:
			added = append(added, n.text)
		case before && !now:
			removed = append(removed, n.text)
		case now:
			kept = append(kept, n.text)
		}
	}
	var told []string
	for _, list := range [...]struct {
		label string
		names []string
	}{{"added ", added}, {"removed ", removed}} {
		if len(list.names) > 0 {
			told = append(told, list.label+strings.Join(list.names[:min(2, len(list.names))], ", "))
		}
	}
	if len(told) == 0 && len(kept) > 0 {
		told = []string{"around " + kept[0]}
	}
	if len(told) > 0 {
		return ": " + strings.Join(told, ", ")
	}
	return ""
}

// lastRun says how the last command went that did more than look.
func (r *record) lastRun() string {
	for i := len(r.acts) - 1; i >= 0; i-- {
		a := &r.acts[i]
		if !a.Done || a.Command == "" || a.Looks() || a.Line().CommitSubject() != "" || a.Refused() {
			continue
		}
		switch {
		case a.Failed:
			return described(a) + " failed"
		case strings.Contains(a.Output, "FAIL") || strings.Contains(a.Output, "rror:"): // behind a pipe, perhaps
			return "ran " + described(a)
		}
		return described(a) + " ok"
	}
	return ""
}

// described is what the assistant says a call is for, else how a person would call
// it.
func described(a *activity.Action) string {
	if about := oneLine(a.Text("description")); about != "" {
		return "“" + firstWords(about, titleWords) + "”"
	}
	if sought := oneLine(a.Text("pattern")); sought != "" {
		return a.Tool + " " + clip(sought, 50)
	}
	return nameOf(a, 50)
}

// statement is the sentence of the assistant that says most about the names of a
// range, empty where none names any.
func (r *record) statement() string {
	weight := map[string]float64{}
	for i, n := range r.names() {
		if i == maxFactEntities {
			break
		}
		weight[n.text] = n.score
	}
	best, most := "", 0.0
	for at, s := range r.spoken {
		for i, sentence := range telling(s.text) {
			words := wordCount(sentence)
			if words < leastTitle || strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") {
				continue
			}
			gain := 0.0 // words without a name say little
			for n, w := range weight {
				if strings.Contains(sentence, n) {
					gain += w
				}
			}
			if at == len(r.spoken)-1 {
				gain *= 2 // what it came to
			}
			if i == 0 {
				gain *= 2 // the rest explains
			}
			if words > titleWords {
				gain /= 2
			}
			if gain /= max(words, titleWords/2); gain > most {
				best, most = sentence, gain
			}
		}
	}
	return firstWords(best, titleWords)
}

// question begins the title of an answer: what was asked, where it says something.
func (r *record) question() string {
	asked := oneLine(r.prompts[len(r.prompts)-1].text)
	if wordCount(asked) < leastTitle {
		return "Answered: "
	}
	return "Answered “" + firstWords(asked, 8) + "”: "
}

// leastTitle is how many words a sentence must have to say something: "Done." does
// not.
const leastTitle = 4

// answers reports a range that ends with an answer to the user.
func (r *record) answers() bool {
	n := len(r.spoken)
	return n > 0 && r.spoken[n-1].answer && len(r.prompts) > 0
}

// looked says what was read, else with what was looked.
func (r *record) looked() string {
	var files []string
	for _, t := range r.touched(activity.Reading) {
		files = append(files, activity.Base(t.Name))
	}
	if len(files) > 0 {
		return "Read " + listed(files, 3)
	}
	for i := len(r.acts) - 1; i >= 0; i-- {
		switch a := &r.acts[i]; {
		case !a.Done || a.Command != "" && !a.Looks():
		case a.Failed:
			return described(a) + " failed"
		default:
			return "Looked: " + described(a)
		}
	}
	return ""
}

// phaseTitle is the title of blocks that are folded together: what was committed in
// them, else what the last two were about.
func phaseTitle(changes, titles []string) string {
	if t := changedTitle(changes); strings.HasPrefix(t, committed) {
		return t
	}
	var out []string
	for _, t := range titles {
		if strings.HasPrefix(t, "Changed ") || strings.HasPrefix(t, "Answered ") {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		out = titles
	}
	return strings.Join(newest(distinct(out), 2), "; ")
}
