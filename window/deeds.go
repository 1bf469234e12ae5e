package window

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"orihon/internal/activity"
	"orihon/internal/terms"
	"orihon/journal"
)

// deed is a sentence that tells something of a range: what was done, what was
// looked at, what was found.
type deed struct {
	text  string
	kind  deedKind
	at    int             // index of the saying it stands in; -1 for what a call says
	iter  int             // iteration it was said in
	share float64         // of all that was written, what was under it
	words map[string]bool // terms that say something
	said  statement
	told  int     // deeds of its saying before it
	calls float64 // share of all calls that are under it
	echo  float64 // share of its words that one sentence of a request holds
	score float64
}

type deedKind int

// Kinds of deeds, by what they are worth.
const (
	isPlan    deedKind = iota // out to do, of which nothing came yet
	isLook                    // looked at
	isFinding                 // found, or said
	isRun                     // a command that did something
	isEdit                    // announced, and files were changed
	isClaim                   // said to be done, and the calls show it
)

// titleWords is how many words of a sentence a title holds.
const titleWords = 22

// leastTitle is how many words a sentence must have to say something: "Done." does
// not.
const leastTitle = 4

// deeds are what a record tells of itself, in order, each with a score: how likely
// it tells what came of the work. What was found only counts where that is likely.
func (r *record) deeds() []deed {
	out := r.told()
	r.weigh(out)
	least := leastTelling
	if top, _ := best(out, func(*deed) bool { return true }); top.score < least {
		least = top.score // nothing tells more
	}
	return slices.DeleteFunc(out, func(d deed) bool { return d.kind == isFinding && d.score < least })
}

// leastTelling is how likely what was found must be to tell what came of the work.
const leastTelling = 0.12

// told are all deeds of a record.
func (r *record) told() []deed {
	under := r.under()
	all := traces(r.acts)
	size := written(r.acts)
	var out []deed
	for at, s := range r.spoken {
		acts := under[at]
		told := 0
		said := withEntries(statements(s.text, false))
		if len(said) == 0 { // a step by its heading: "**Step 3: Update the lock**"
			_, step, _ := strings.Cut(strings.Join(sentences(s.text), " "), ": ")
			if told, _, ok := past(step); ok && told != "" {
				said = []statement{{text: titling.Phrases("announcing")[0] + step}}
			}
		}
		for _, sentence := range said[:min(len(said), maxSentences)] {
			d := deed{at: at, iter: s.iter, told: told, said: sentence, share: float64(written(acts)) / float64(max(1, size)), calls: float64(len(acts)) / float64(max(1, len(r.acts)))}
			if !d.read(frank(sentence.text), acts, all) {
				continue
			}
			told++
			out = append(out, d)
		}
	}
	for i := range r.acts {
		a := &r.acts[i]
		about := oneLine(a.Text("description"))
		if about == "" || !a.Done || a.Failed || a.Command == "" || a.Line().Check() != activity.NoCheck {
			continue
		}
		d := deed{at: -1, iter: a.Iter, kind: isRun}
		told, _, ok := past(about)
		if !ok {
			continue
		}
		if a.Looks() {
			d.kind = isLook
		}
		d.text = told
		out = append(out, d)
	}
	for _, item := range r.finished() {
		if told, looks, ok := past(item); ok && !looks && shown(told, all, 4) {
			out = append(out, deed{at: -1, kind: isClaim, text: told})
		}
	}
	return out
}

// finished are the entries of the agent's list of work that were still open when
// the record first tells of it, and done in the end.
func (r *record) finished() (out []string) {
	var before []activity.Item
	for i := range r.acts {
		if before, _ = activity.Items(r.acts[:i+1]); len(before) > 0 {
			break
		}
	}
	_, done := activity.Items(r.acts)
	for _, item := range done {
		if slices.ContainsFunc(before, func(b activity.Item) bool { return b.Text == item.Text }) {
			out = append(out, item.Text)
		}
	}
	return out
}

// shown reports a text of whose words calls show one in so many, and more than its
// verb. Of Chinese only the names in it can be looked for.
func shown(text string, traces map[string]bool, one int) bool {
	of, n := 0, 0
	_, object, _ := strings.Cut(text, " ")
	for w := range content(object) {
		if w[0] < utf8.RuneSelf && len(w) > 1 {
			of++
			if traces[w] {
				n++
			}
		}
	}
	return n > 0 && n*one >= of || of == 0 && terms.Lang(text) != "en"
}

// maxSentences bounds how many sentences of one saying are weighed.
const maxSentences = 40

// read makes a deed of a sentence, of the calls that followed it, and of what all
// calls show.
func (d *deed) read(sentence string, acts []activity.Action, all map[string]bool) bool {
	plan, planned := planned(sentence)
	if !planned {
		if told, ok := claimed(sentence); ok && says(told) && !headed(told) {
			d.text, d.kind = told, isClaim
			if strings.HasPrefix(told, "Found ") || !shown(told, all, 4) {
				d.kind = isFinding
			}
			return true
		}
		d.text, d.kind = sentence, isFinding
		return !hollow(sentence) && !leads(sentence)
	}
	told, looks, ok := past(plan)
	if !ok || !says(told) {
		return false
	}
	d.text = told
	changes, one := written(acts) > 0, 2
	if strings.Contains(told, "`") { // names say more than other words
		one = 4
	}
	done := slices.ContainsFunc(acts, func(a activity.Action) bool {
		return a.Done && (!a.Failed || a.Command != "" && !a.Refused()) && (a.Command != "" || !empty(a.Output))
	})
	missed := slices.ContainsFunc(acts, func(a activity.Action) bool {
		return a.Failed && len(a.Files) > 0 && strings.Contains(told, activity.Base(a.Files[0]))
	})
	switch {
	case done && allVain(acts):
		l := titleLabels(terms.Lang(told))
		d.kind, d.text = isRun, l.vain+uncapital(plainly(plan))
		if looks {
			d.kind = isLook
		}
	case looks && done && !missed:
		d.kind = isLook
	case looks:
		return false
	case changes && shown(told, traces(acts), one):
		d.kind = isEdit
	case changes:
		d.kind, d.text = isPlan, plainly(plan)
	case slices.ContainsFunc(acts, func(a activity.Action) bool { return a.Done && a.Command != "" && !a.Looks() && !a.Refused() }):
		d.kind = isRun
	default:
		d.kind, d.text = isPlan, plainly(plan)
	}
	return true
}

// vain reports a command that came to nothing: there is no such program, or it only
// said why it failed. Of a check that failed, and of a search that found nothing,
// something came.
func vain(a *activity.Action) bool {
	if !a.Failed || a.Command == "" || a.Refused() {
		return false
	}
	said := strings.TrimSpace(exitCode().ReplaceAllString(a.Output, ""))
	return a.Absent() || a.Line().Check() == activity.NoCheck && said != "" && strings.Count(said, "\n") < 3
}

var exitCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:exit code \d+)\s*`) })

// allVain reports calls that all came to nothing.
func allVain(acts []activity.Action) bool {
	return !slices.ContainsFunc(acts, func(a activity.Action) bool { return a.Done && !vain(&a) })
}

// says reports a text of enough words, or of fewer about something with a name.
func says(text string) bool {
	n := wordCount(text)
	return n >= leastTitle || n >= 2 && (strings.Contains(text, "`") || len(journal.Entities(text)) > 0)
}

// under are the calls that followed each saying.
func (r *record) under() [][]activity.Action {
	out := make([][]activity.Action, len(r.spoken))
	at := -1
	for _, a := range r.acts {
		for at+1 < len(r.spoken) && r.spoken[at+1].iter <= a.Iter {
			at++
		}
		if at >= 0 && !r.spoken[at].answer {
			out[at] = append(out[at], a)
		}
	}
	return out
}

// written counts what edits wrote and took away, in bytes.
func written(acts []activity.Action) int {
	n := 0
	for i := range acts {
		if a := &acts[i]; a.Works() && a.Effect() == activity.Editing {
			n += 1 + len(a.Written()) + len(a.Replaced())
		}
	}
	return n
}

// maxWeighed bounds how much of a call's text is weighed, in bytes.
const maxWeighed = 2000

// empty reports the output of a search that found nothing.
func empty(output string) bool {
	return strings.TrimSpace(output) == "" || strings.HasPrefix(strings.ToLower(output), "no ")
}
