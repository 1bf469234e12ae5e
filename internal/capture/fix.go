package capture

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"orihon/internal/activity"
)

// Failure is something that failed, and whether it was mended.
type Failure struct {
	Seq  int64  `json:"seq"`
	What string `json:"what"` // the command, or the tool and its file
	Said string `json:"said,omitempty"`
	// Open says that it has not succeeded when its request ended.
	Open bool `json:"open,omitempty"`
	// Mended is what made it succeed, when that is known.
	Mended *Fix `json:"mended,omitempty"`
}

// Fix is what made something succeed that had failed.
type Fix struct {
	Seq    int64     `json:"seq"`         // of the call that failed last
	At     time.Time `json:"at,omitzero"` // when it succeeded
	Until  int64     `json:"until"`       // of the call that succeeded
	How    How       `json:"how"`
	Failed string    `json:"failed"` // the command, as it failed
	About  string    `json:"about"`  // its tool, with what that was to do
	Said   string    `json:"said"`   // how it failed
	// Edited are the files that were edited in between, Ran the commands; of a
	// command that was put right, Ran is that command.
	Edited []string `json:"edited,omitempty"`
	Ran    []string `json:"ran,omitempty"`
	Change string   `json:"change,omitempty"` // the first line that the last edit changed

	// Slip marks a slip of the work under way: what did not compile was what had
	// just been edited.
	Slip bool `json:"slip,omitempty"`

	failed, settled int // their places among the actions
}

// How is what kind of thing mended a failure.
type How string

// The ways.
const (
	ByEdit    How = "edit"    // files were edited
	ByCommand How = "command" // another command was run
	ByRewrite How = "rewrite" // the command was written otherwise
)

// Bounds of what is called the cause: with more in between, nobody knows which of
// it helped.
const (
	mostEdited  = 3  // files
	mostRan     = 2  // commands
	mostBetween = 60 // calls
	nearRewrite = 4  // calls until a command is written otherwise

	mostAttempts = 3  // commands that an episode tells of
	maxNamed     = 60 // characters of a command in a sentence
)

// history is what was done in a session, looked at for what failed.
type history struct {
	cwd     string
	actions []activity.Action
	key     []string // what each is about
	broke   []bool
	by      map[string][]int
	checks  [][]string // of each, without what only changes how they print
}

func newHistory(cwd string, actions []activity.Action) *history {
	h := &history{cwd: cwd, actions: actions, key: make([]string, len(actions)), broke: make([]bool, len(actions)), checks: make([][]string, len(actions)), by: make(map[string][]int)}
	for i := range actions {
		a := &actions[i]
		if !a.Done || a.Failed && a.Refused() {
			continue
		}
		// Where more stands behind a check, it failed if its output points at a place.
		if h.broke[i] = a.Broke(); !h.broke[i] || !a.Line().GoesOn() || len(pointed(a.Output)) > 0 {
			h.checks[i] = checksOf(a)
		}
		if h.key[i] = a.Subject(cwd); len(h.checks[i]) > 0 {
			h.key[i] = "$ " + strings.Join(h.checks[i], "; ")
		}
		h.by[h.key[i]] = append(h.by[h.key[i]], i)
	}
	return h
}

// checksOf are the checks of a command line. With them it is known by these, however
// much is printed of them.
func checksOf(a *activity.Action) []string {
	var out []string
	if a.Command == "" {
		return nil
	}
	for i := range a.Line().Commands {
		if c := &a.Line().Commands[i]; c.Check() != activity.NoCheck {
			out = append(out, strings.Join(slices.DeleteFunc(slices.Clone(c.Words), silent), " "))
		}
	}
	return out
}

// silent words change what a check prints, or that it runs at all, and not what it
// looks at.
func silent(w string) bool {
	switch name, _, _ := strings.Cut(w, "="); name {
	case "-v", "-vv", "-q", "--verbose", "--quiet", "-count", "-timeout", "--color", "--no-color":
		return true
	}
	return false
}

// settled finds the first success after a failure with the same subject, and the
// last failure before that. A line with all its checks, and others, is one too.
func (h *history) settled(failed int) (success, last int, ok bool) {
	last = failed
	same := h.by[h.key[failed]]
	if len(h.checks[failed]) > 0 {
		same = nil
		for i := failed + 1; i < len(h.actions); i++ {
			if len(h.checks[i]) > 0 && subset(h.checks[failed], h.checks[i]) {
				same = append(same, i)
			}
		}
	}
	for _, i := range same {
		switch {
		case i <= failed:
		case h.broke[i]:
			if h.key[i] == h.key[failed] {
				last = i
			}
		case !h.actions[i].Failed && h.actions[i].Proves():
			return i, last, true
		}
	}
	return 0, last, false
}

func subset(some, of []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(of, s) })
}

// covering finds a later check that passes all tests which a failure names, where
// the same check was not run again, and the last failure of them before.
func (h *history) covering(failed int) (success, last int, ok bool) {
	a := &h.actions[failed]
	names := a.FailedTests()
	if len(names) == 0 {
		return 0, failed, false
	}
	last = failed
	for i := failed + 1; i < len(h.actions); i++ {
		b := &h.actions[i]
		if b.Command == "" || h.key[i] == "" || b.Line().Check() != activity.Test {
			continue
		}
		named := !slices.ContainsFunc(names, func(n string) bool {
			top, _, _ := strings.Cut(n, "/")
			return !selects(b, top) && !strings.Contains(b.Output, "--- PASS: "+n)
		})
		switch {
		case !named:
		case h.broke[i]:
			last = i // it goes on there
		case !b.Failed && b.Proves():
			return i, last, true
		}
	}
	return 0, last, false
}

// selects reports whether a command runs the test of a name by a pattern: what is
// common to the names of several, too.
func selects(a *activity.Action, test string) bool {
	const least = 5 // bytes of a pattern
	for i := range a.Line().Commands {
		for _, w := range a.Line().Commands[i].Words {
			for p := range strings.SplitSeq(w, "|") {
				if p = strings.Trim(p, "^$()"); len(p) >= least && strings.Contains(test, p) {
					return true
				}
			}
		}
	}
	return false
}

// fixes are what mended what, in order, each success once.
func (h *history) fixes() []Fix {
	var out []Fix
	told := make(map[int]bool) // failures that are part of one already
	for i := range h.actions {
		a := &h.actions[i]
		if !h.broke[i] || a.Command == "" || told[i] || ours(a) {
			continue
		}
		success, last, ok := h.settled(i)
		if !ok {
			if success, last, ok = h.covering(last); !ok {
				if f, rewritten := h.rewritten(last); rewritten && !told[last] {
					out = append(out, f)
				}
				told[last] = true
				continue
			}
		}
		for _, j := range h.by[h.key[i]] {
			if j >= i && j <= last {
				told[j] = true
			}
		}
		if f, known := h.mended(last, success); known && !slices.ContainsFunc(out, func(x Fix) bool { return x.failed == f.failed }) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Fix) int { return a.failed - b.failed })
	return out
}

// mended tells what was done between a failure and the success that followed it.
// It is false where that says nothing: nothing was done, or too much.
func (h *history) mended(failed, success int) (Fix, bool) {
	a := &h.actions[failed]
	f := h.fix(failed, success)
	if success-failed > mostBetween || f.Said == "" {
		return f, false
	}
	check := a.Line().Check() != activity.NoCheck
	var edits []*activity.Action
	var built []string
	ran := func(to []string, command string) []string {
		if command = clip(oneLine(command), maxCommand); slices.Contains(to, command) {
			return to
		}
		return append(to, command)
	}
	for i := failed + 1; i < success; i++ {
		b := &h.actions[i]
		switch {
		case !b.Done || b.Failed || h.broke[i] || ours(b):
		case b.Effect() == activity.Editing:
			edits = append(edits, b)
			for _, file := range b.Files {
				if name := oneLine(activity.Relative(h.cwd, file)); name != "" && !slices.Contains(f.Edited, name) {
					f.Edited = append(f.Edited, name)
				}
			}
		case b.Command == "" || h.key[i] == h.key[failed]:
		case b.Line().Switches():
			return f, false // that is another state of the work
		case len(edits)+len(f.Ran) == 0 && h.wider(failed, i):
			return f, false // it was mended there, by nothing that is known
		case b.Line().Check() == activity.Build:
			built = ran(built, b.Line().Essence())
		case b.Line().Check() == activity.NoCheck && b.Line().Changes():
			f.Ran = ran(f.Ran, b.Line().Essence())
		}
	}
	passed := h.actions[success].Line()
	if passed.Switches() {
		return f, false
	}
	for _, c := range passed.Before() {
		if !strings.Contains(a.Command, c) {
			f.Ran = ran(f.Ran, c)
		}
	}
	f.How = ByEdit
	switch {
	case check && len(f.Edited) > 0:
		f.Ran = nil
		if named := h.blamed(a, f.Edited); len(named) > 0 && len(f.Edited) > mostEdited {
			f.Edited = named
		}
		f.Change, f.Slip = change(edits), h.slip(failed, f.Edited)
		return f, len(f.Edited) <= mostEdited
	case len(f.Edited) > 0:
		// What an edit has to do with a command that checks nothing is told by
		// its error alone; with something run as well, nobody knows which it was.
		f.Edited, f.Change = h.blamed(a, f.Edited), change(edits)
		return f, len(f.Edited) > 0 && len(f.Edited) <= mostEdited && len(f.Ran) == 0
	case len(f.Ran) == 0:
		f.Ran = built
	}
	f.How = ByCommand
	return f, len(f.Ran) > 0 && len(f.Ran) <= mostRan
}

// wider reports a build or lint that passed with all the words of one that failed.
func (h *history) wider(failed, passed int) bool {
	a, b := &h.actions[failed], &h.actions[passed]
	return len(h.checks[failed]) > 0 && a.Line().Check() != activity.Test && b.Line().Check() == a.Line().Check() &&
		subset(strings.Fields(strings.Join(h.checks[failed], " ")), strings.Fields(strings.Join(h.checks[passed], " ")))
}

func (h *history) fix(failed, success int) Fix {
	a := &h.actions[failed]
	command := a.Line().Essence()
	if len(a.Line().Before()) > 0 && len(h.checks[failed]) > 0 {
		command = strings.Join(h.checks[failed], "; ")
	}
	return Fix{
		Seq: a.Seq, Until: h.actions[success].Seq, At: h.actions[success].At, Failed: clip(oneLine(command), maxCommand), About: a.About(),
		Said: complaint(a), failed: failed, settled: success,
	}
}

// slip reports whether a failure is that something does not compile which was
// edited before, and mended by editing it again.
func (h *history) slip(failed int, files []string) bool {
	low := strings.ToLower(h.actions[failed].Output)
	if !slices.ContainsFunc(lists.Phrases("uncompiled"), func(s string) bool { return strings.Contains(low, s) }) {
		return false
	}
	for i := max(0, failed-mostBetween); i < failed; i++ {
		a := &h.actions[i]
		if a.Done && !a.Failed && a.Effect() == activity.Editing && slices.Contains(files, activity.Relative(h.cwd, a.Files[0])) {
			return true
		}
	}
	return false
}

// Signature names a failure: the same one again has the same, whatever the times
// and line numbers in it.
func (f *Fix) Signature() string {
	bare := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, f.Failed+"\n"+f.Said)
	return strings.Join(strings.Fields(bare), " ")
}

// blamed are those of some files that an error names.
func (h *history) blamed(a *activity.Action, files []string) []string {
	var out []string
	for _, f := range files {
		if strings.Contains(a.Output, activity.Base(f)) || strings.Contains(a.Command, activity.Base(f)) {
			out = append(out, f)
		}
	}
	return out
}

// rewritten finds, right after a command that failed because of how it was
// written, one of the same program that worked.
func (h *history) rewritten(failed int) (Fix, bool) {
	a := &h.actions[failed]
	if a.Line().Check() != activity.NoCheck || !misused(a.Output) || len(a.Line().Commands) == 0 {
		return Fix{}, false
	}
	for i := failed + 1; i < min(failed+1+nearRewrite, len(h.actions)); i++ {
		b := &h.actions[i]
		switch {
		case !b.Done || b.Effect() == activity.Editing:
			return Fix{}, false
		case b.Command == "" || ours(b) || b.About() != a.About() || h.key[i] == h.key[failed] || !alike(a, b):
			continue
		case b.Failed || h.broke[i]:
			return Fix{}, false // that one tells its own story
		}
		f := h.fix(failed, i)
		f.How, f.Ran = ByRewrite, []string{clip(oneLine(b.Line().Essence()), maxCommand)}
		return f, f.Said != ""
	}
	return Fix{}, false
}

// alike reports two commands that have at least half of the first one's words in common.
func alike(a, b *activity.Action) bool {
	words, others := strings.Fields(a.Line().Essence()), strings.Fields(b.Line().Essence())
	return 2*len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !slices.Contains(others, w) })) >= len(words)
}

// misused reports an error that is about how a command was written.
func misused(output string) bool {
	low := strings.ToLower(output)
	return slices.ContainsFunc(lists.Phrases("misused"), func(s string) bool { return strings.Contains(low, s) })
}

// change is what an edit changed, as "old → new", when that is all that was edited and
// a line at most on either side: of more, no line stands for the rest.
func change(edits []*activity.Action) string {
	const most = 100
	if len(edits) != 1 || edits[0].Replaced() == "" && edits[0].Text("content") != "" {
		return "" // nothing, several edits, or a whole file was written
	}
	old, now := strings.Split(edits[0].Replaced(), "\n"), strings.Split(edits[0].Written(), "\n")
	gone, added := without(old, now), without(now, old)
	if len(gone)+len(added) == 0 || len(gone) > 1 || len(added) > 1 {
		return ""
	}
	one := func(lines []string) string { return clip(oneLine(strings.Join(lines, "")), most) }
	return strings.TrimSpace(one(gone) + " → " + one(added))
}

// without are some lines but for others, however they are set, and empty ones.
func without(lines, others []string) []string {
	set := func(l string) string { return strings.Join(strings.Fields(l), " ") }
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		return set(l) == "" || slices.ContainsFunc(others, func(o string) bool { return set(o) == set(l) })
	})
}

// failures are what failed among some actions.
func (h *history) failures(from, to int, fixes []Fix) []Failure {
	var out []Failure
	for i := from; i < to; i++ {
		a := &h.actions[i]
		if !h.broke[i] || ours(a) {
			continue
		}
		f := Failure{Seq: a.Seq, What: nameOf(a, h.cwd), Said: complaint(a)}
		success, last, ok := h.settled(i)
		if last >= to {
			last = i
		}
		if !ok || success >= to { // by another run for the same request, perhaps
			if s, l, covered := h.covering(last); covered {
				success, last, ok = s, l, true
			}
		}
		at := slices.IndexFunc(fixes, func(x Fix) bool { return x.failed == last || x.failed == i })
		switch {
		case at >= 0:
			f.Mended = &fixes[at]
			f.Open = fixes[at].settled >= to
		case !ok || success >= to:
			f.Open = true
		}
		// What could not be read or found is no state of the work.
		f.Open = f.Open && (a.Command != "" || a.Effect() == activity.Editing)
		out = append(out, f)
	}
	return out
}

// attempts say how the last commands that did something went.
func (h *history) attempts(from, to int, w words) []string {
	type attempt struct {
		name   string
		check  bool
		errors int
		ok     bool
	}
	rank := func(check bool) int {
		if check {
			return 1
		}
		return 0
	}
	var order []string
	all := make(map[string]*attempt)
	for i := from; i < to; i++ {
		a := &h.actions[i]
		if a.Command == "" || h.key[i] == "" || a.Looks() || ours(a) {
			continue
		}
		t := all[h.key[i]]
		if t == nil {
			t = &attempt{name: "`" + clip(oneLine(a.Line().Essence()), maxNamed) + "`", check: a.Line().Check() != activity.NoCheck}
			all[h.key[i]] = t
		} else {
			order = slices.DeleteFunc(order, func(k string) bool { return k == h.key[i] })
		}
		order = append(order, h.key[i])
		if t.ok = !h.broke[i]; !t.ok {
			t.errors++
		}
	}
	// Tests and builds tell most.
	slices.SortStableFunc(order, func(a, b string) int { return rank(all[a].check) - rank(all[b].check) })
	order = order[max(0, len(order)-mostAttempts):]
	var out []string
	for _, k := range order {
		switch t := all[k]; {
		case t.ok && t.errors == 1:
			out = append(out, t.name+w["failedThenOK"])
		case t.ok && t.errors > 1:
			out = append(out, t.name+fmt.Sprintf(w["failedTimesThenOK"], t.errors))
		case t.ok:
			out = append(out, t.name+w["ok"])
		case t.errors > 1:
			out = append(out, t.name+fmt.Sprintf(w["onlyFailed"], t.errors))
		default:
			out = append(out, t.name+w["failed"])
		}
	}
	return out
}

// warnings are the signs that a request went round in circles.
func (h *history) warnings(from, to int, changed []activity.File, w words) []string {
	var out []string
	for _, c := range changed {
		if c.Times >= manyEdits {
			out = append(out, fmt.Sprintf(w["edited"], c.Name, c.Times))
		}
	}
	failed, names := make(map[string]int), []string{}
	for i := from; i < to; i++ {
		if a := &h.actions[i]; h.broke[i] && a.Command != "" && !ours(a) {
			if failed[h.key[i]]++; failed[h.key[i]] == manyFailures {
				names = append(names, h.key[i])
			}
		}
	}
	for _, k := range names {
		at := h.by[k][0]
		out = append(out, fmt.Sprintf(w["failedTimes"], nameOf(&h.actions[at], h.cwd), failed[k]))
	}
	return out[:min(len(out), maxWarnings)]
}

// maxPitfall bounds a pitfall, in characters.
const maxPitfall = 300

// Pitfall words the failure and what mended it as one statement. Files are named
// without their folders there. What failed is cut before how, and that before what
// mended it: each command and file of that is told.
func (f *Fix) Pitfall(language string) string {
	const mostFailed, mostRemedy = 44, maxCommand
	w := wordsFor(language)
	words, done := w["pitfallCommand"], f.Ran
	switch f.How {
	case ByEdit:
		words, done = w["pitfallEdit"], nil
		for _, file := range f.Edited {
			done = append(done, activity.Base(file))
		}
	case ByRewrite:
		words = w["pitfallRewrite"]
	}
	quote := "`"
	if f.How == ByEdit {
		quote = ""
	}
	each := make([]string, len(done))
	for i, d := range done {
		each[i] = quote + clip(d, mostRemedy/len(done)) + quote
	}
	remedy := w.list(each)
	failed := "`" + clip(f.Failed, mostFailed) + "`"
	const places = len("%s%s%s")
	room := maxPitfall - (len([]rune(words)) - places) - len([]rune(failed)) - len([]rune(remedy))
	return fmt.Sprintf(words, failed, clip(bareSaid(f.Said), room), remedy)
}

// bareSaid is an error without the folders of the files in it and without places in
// them: those are the first to change.
func bareSaid(said string) string {
	var out []string
	for word := range strings.FieldsSeq(said) {
		if path, rest, ok := strings.Cut(word, ":"); ok && strings.Contains(path, ".") && !strings.Contains(word, "://") {
			word = activity.Base(path) + ":" + strings.TrimLeft(rest, "0123456789:")
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}
