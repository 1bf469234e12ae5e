package window

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/terms"
	"orihon/journal"
)

// title says what happened in a range, request by request, and how the checks of it
// ended. It is made of what the agent said of its work and of what its calls did.
func (r *record) title() string {
	l := titleLabels(r.language())
	did := r.did(l)
	checked := r
	if since := r.sinceCommits(); since != nil {
		checked = since
	}
	switch text := clauses(l.and, did, checked.outcome(did, &l)); {
	case text != "":
		return capital(text)
	case len(r.acts) > 0 && r.acts[len(r.acts)-1].Refused():
		return l.refused + nameOf(&r.acts[len(r.acts)-1], 50)
	case len(r.prompts) > 0:
		return l.asked + l.quoted(shortened(oneLine(r.prompts[len(r.prompts)-1].text), titleWords/2)) + l.unanswered
	}
	return l.nothing
}

// language is that of the agent, else of the user.
func (r *record) language() string {
	var said strings.Builder
	for _, all := range [...][]saying{r.spoken, r.prompts} {
		for _, s := range lastSaid(all, 8) {
			said.WriteString(s.text[:min(len(s.text), 400)])
		}
		if said.Len() > 0 {
			break
		}
	}
	text := strings.ToValidUTF8(said.String(), "")
	wide := strings.Map(func(c rune) rune {
		if !isWide(c) {
			return -1
		}
		return c
	}, text)
	if 4*wordCount(wide) > wordCount(text) {
		return terms.Lang(wide) // the rest are names, which have no language
	}
	return terms.Lang(text)
}

func lastSaid(all []saying, n int) []saying { return all[max(0, len(all)-n):] }

// within is what happened from one iteration up to another.
func (r *record) within(from, to int) *record {
	said := func(all []saying) []saying {
		return slices.DeleteFunc(slices.Clone(all), func(s saying) bool { return s.iter < from || s.iter >= to })
	}
	return &record{prompts: said(r.prompts), spoken: said(r.spoken), cwd: r.cwd,
		acts: slices.DeleteFunc(slices.Clone(r.acts), func(a activity.Action) bool { return a.Iter < from || a.Iter >= to })}
}

// maxParts bounds how many requests a title tells of.
const maxParts = 3

// parts are those of a record that a message of the user begins and in which something
// was done or said, in their order.
func (r *record) parts() (out []*record) {
	starts := []int{math.MinInt}
	for _, p := range r.prompts {
		if !machine(p.text) {
			starts = append(starts, p.iter)
		}
	}
	starts = append(starts, math.MaxInt)
	for i, from := range starts[:len(starts)-1] {
		if part := r.within(from, starts[i+1]); part.work() > 0 {
			out = append(out, part)
		}
	}
	return out
}

// sinceCommits is what was done behind the last commit, where files were changed.
func (r *record) sinceCommits() *record {
	commits := activity.Commits(r.acts)
	if len(commits) == 0 {
		return nil
	}
	since := r.within(commits[len(commits)-1].Iter+1, math.MaxInt)
	if len(since.touched(activity.Editing)) == 0 {
		return nil
	}
	return since
}

// work is how much was done in a record; nothing where nothing was done or said.
func (r *record) work() int {
	n := 0
	for i := range r.acts {
		switch a := &r.acts[i]; {
		case a.Works() && a.Effect() == activity.Editing:
			n += 6 + min(12, len(a.Written())/200)
		case a.Works():
			n += 2
		case a.Done && !a.Refused():
			n++
		}
	}
	return n + min(1, len(r.spoken)) + 12*len(activity.Commits(r.acts))
}

// did tells the work of a range: its commits where it has several, then the requests
// on which the most was done.
func (r *record) did(l titleWordings) string {
	parts := r.parts()
	var told []string
	if commits := activity.Commits(r.acts); len(commits) > 1 {
		told = append(told, l.committed+l.subjects(commits))
		parts = slices.DeleteFunc(parts, func(p *record) bool {
			if since := p.sinceCommits(); since != nil {
				*p = *since
			}
			return len(activity.Commits(p.acts)) > 0
		})
	}
	left := 0
	for ; len(parts) > maxParts; left++ {
		least := slices.MinFunc(parts, func(a, b *record) int { return a.work() - b.work() })
		parts = slices.DeleteFunc(parts, func(p *record) bool { return p == least })
	}
	l.room = titleWords * 4 / (3 + max(1, len(parts)))
	said := map[string]bool{}
	for _, part := range parts {
		text := part.done(&l)
		words := content(text)
		if text == "" || len(told) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(words)), func(w string) bool { return !said[w] }) {
			continue
		}
		maps.Copy(said, words)
		if len(told) > 0 {
			text = uncapital(text)
		}
		told = append(told, text)
	}
	return clauses(l.and, append(told, l.others(left))...)
}

// others tells how many requests are not told of.
func (l *titleWordings) others(n int) string {
	switch text := fmt.Sprintf(l.requests, n); {
	case n <= 0:
		return ""
	case n == 1:
		return strings.TrimSuffix(text, "s")
	default:
		return text
	}
}

// done tells the work of one request: what was committed and done since, else what
// was changed, answered, run, looked at and found.
func (r *record) done(l *titleWordings) string {
	if commits := activity.Commits(r.acts); len(commits) > 0 {
		text := l.committed + l.subjects(commits)
		if since := r.sinceCommits(); since != nil {
			since.prompts = nil                      // that is what was committed
			if more := since.done(l); more != text { // it is, where a commit was amended
				text += l.and + l.then + uncapital(more)
			}
		}
		return text
	}
	deeds := r.deeds()
	if files := r.touched(activity.Editing); len(files) > 0 {
		return r.wished(r.changed(deeds, files, l), l)
	}
	ran := r.ran(l)
	if question, told, asks := r.answer(deeds, l); question != "" && (asks || ran == "") {
		return fmt.Sprintf(l.answered, l.quoted(question), told)
	}
	did, ok := best(deeds, func(d *deed) bool { return d.kind >= isRun })
	text := shortened(did.text, l.room)
	if !ok {
		text = cmp.Or(ran, r.looked(deeds, l))
	}
	found, also := best(deeds, func(d *deed) bool { return d.kind == isFinding && (!ok || d.at != did.at) })
	next, will := best(deeds, func(d *deed) bool { return d.kind == isPlan })
	switch {
	case also && (!ok || found.score > did.score/2):
		label := l.found
		if ran != "" && r.behind(&found) {
			label = ""
		}
		text = clauses(l.and, text, label+uncapital(shortened(found.text, l.room)))
		if will && !ok && ran == "" && next.at >= found.at {
			text = clauses(l.and, text, uncapital(l.setOut)+uncapital(shortened(next.text, l.room*2/3)))
		}
	case will && !ok && (ran == "" || len(r.acts) == 1):
		text = clauses(l.and, text, uncapital(l.setOut)+uncapital(shortened(next.text, l.room)))
	case ran != "" && !ok && r.wished("", l) == "":
		text += r.printed(l)
	}
	if asked := slices.IndexFunc(r.prompts, func(p saying) bool { return !machine(p.text) }); text == "" && len(r.spoken) > 0 && asked >= 0 {
		// An answer without a sentence, as one that is all code.
		return strings.TrimRight(fmt.Sprintf(l.answered, l.quoted(firstWords(oneLine(r.prompts[asked].text), l.room)), ""), ":： ")
	}
	return r.wished(capital(text), l)
}

// clauses are the texts that say something.
func clauses(by string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), by)
}

// changed tells what became of files: in the agent's words where it has any, and by
// the names that came and went in what these do not tell.
func (r *record) changed(deeds []deed, files []activity.File, l *titleWordings) string {
	works := func(d *deed) bool { return d.kind == isEdit || d.kind == isClaim }
	first, ok := best(deeds, works)
	if !ok || wordCount(first.text) < leastTitle-1 {
		text := r.changedNames(files, l)
		why, found := best(deeds, func(d *deed) bool { return d.kind == isFinding && (r.behind(d) || len(d.words) > 1) })
		next, will := best(deeds, func(d *deed) bool { return d.kind == isPlan })
		switch {
		case found && r.behind(&why):
			return text + l.and + uncapital(shortened(why.text, l.room))
		case found:
			return text + l.and + l.found + shortened(why.text, l.room)
		case will:
			return text + l.and + uncapital(l.setOut) + uncapital(shortened(next.text, l.room*2/3))
		}
		return text
	}
	told := []deed{first}
	if why, ok := best(deeds, func(d *deed) bool { return d.kind == isFinding }); ok && why.score > max(first.score, 0.3) {
		told = append(told, why)
	} else if second, ok := best(deeds, func(d *deed) bool { return works(d) && d.text != first.text && apart(d, &first) }); ok && second.score > first.score*0.5 && l.room > titleWords/2 {
		told = append(told, second)
		slices.SortStableFunc(told, func(a, b deed) int { return a.iter - b.iter })
	}
	var out []string
	for i, d := range told {
		text := shortened(d.text, l.room*4/(3+len(told)))
		if i > 0 {
			text = uncapital(text)
		}
		out = append(out, text)
	}
	text := strings.Join(out, l.and)
	rest := r.untold(told)
	if others := rest.touched(activity.Editing); len(others) > 0 {
		return text + l.and + uncapital(rest.changedNames(others, l))
	}
	if !slices.ContainsFunc(files, func(f activity.File) bool { return strings.Contains(text, activity.Base(f.Name)) }) {
		text += " (" + l.files(files, 2) + ")"
	}
	return text
}

// untold are the edits that deeds do not tell of.
func (r *record) untold(told []deed) *record {
	return &record{cwd: r.cwd, acts: slices.DeleteFunc(slices.Clone(r.acts), func(a activity.Action) bool {
		if a.Effect() != activity.Editing || !a.Works() {
			return true
		}
		traces := traces([]activity.Action{a})
		return slices.ContainsFunc(told, func(d deed) bool { return shown(d.text, traces, 4) })
	})}
}

// wished is a text with what the user asked for, where it says more: from its
// beginning, or of a long one from the sentence that the work is most about.
func (r *record) wished(text string, l *titleWordings) string {
	at := slices.IndexFunc(r.prompts, func(p saying) bool { return !machine(p.text) && wordCount(p.text) >= leastTitle })
	if at < 0 {
		return text
	}
	all := sentences(r.prompts[at].text)
	from, most := 0, 0
	traced := traces(r.acts)
	for i, s := range all {
		n := 0
		for w := range content(s) {
			if traced[w] {
				n++
			}
		}
		if i == 0 {
			most = n
		}
		if n > most+1 {
			from, most = i, n
		}
	}
	asked := oneLine(strings.Join(all, " "))
	if wordCount(asked) > float64(2*l.room) && from > 0 {
		asked = "… " + oneLine(strings.Join(all[from:], " "))
	}
	low := strings.ToLower(text)
	if !slices.ContainsFunc(strings.Fields(strings.ToLower(asked)), func(w string) bool { return !strings.Contains(low, strings.Trim(w, ",.!?")) }) {
		return text
	}
	return text + fmt.Sprintf(l.wish, firstWords(asked, l.room))
}

// ran names the last commands that did something.
func (r *record) ran(l *titleWordings) string {
	var names []string
	for i := range r.acts {
		if a := &r.acts[i]; a.Works() && a.Command != "" {
			names = append(names, described(a))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return capital(l.ran) + listed(distinct(names), 3, l)
}

// apart reports deeds that tell of different work.
func apart(a, b *deed) bool {
	both := 0
	for w := range a.words {
		if b.words[w] {
			both++
		}
	}
	return both*5 <= 2*min(len(a.words), len(b.words))
}

// answer is what the user asked and what the agent said to it, where it says
// something. A message of a program asks nothing.
func (r *record) answer(deeds []deed, l *titleWordings) (question, told string, asks bool) {
	asks = len(r.prompts) > 0 && strings.ContainsAny(r.prompts[len(r.prompts)-1].text, "?？")
	tells := func(d *deed) bool {
		return d.at >= 0 && (asks || r.spoken[d.at].answer) && (d.kind == isFinding || d.kind == isClaim)
	}
	if first := slices.IndexFunc(deeds, func(d deed) bool { return tells(&d) && !d.repeats() }); first >= 0 {
		deeds[first].score *= 2 // an answer comes first, then its reasons
	}
	said, ok := best(deeds, tells)
	if !ok {
		return "", "", false
	}
	for _, p := range r.prompts {
		if p.seq < r.spoken[said.at].seq && !machine(p.text) {
			question = oneLine(p.text)
		}
	}
	if wordCount(question) < leastTitle {
		return "", "", false
	}
	return shortened(question, l.room), shortened(said.text, l.room), asks
}

// looked says what was looked at: in the agent's words where it has any, then by what
// was read and searched, else what was done with other tools.
func (r *record) looked(deeds []deed, l *titleWordings) string {
	text := ""
	look, ok := best(deeds, func(d *deed) bool { return d.kind == isLook })
	if ok {
		text = shortened(look.text, l.room)
	}
	if more, also := best(deeds, func(d *deed) bool { return d.kind == isLook && d.text != look.text && apart(d, &look) }); also && more.score > look.score/2 && l.room > titleWords/2 {
		first, second := look, more
		if second.iter < first.iter {
			first, second = second, first
		}
		text = shortened(first.text, l.room) + l.and + uncapital(shortened(second.text, l.room))
	}
	tell := func(label, what string) {
		if what != "" && text != "" {
			label = uncapital(label)
		}
		if what != "" {
			text = clauses(l.and, text, label+what)
		}
	}
	tell(l.read, l.files(slices.DeleteFunc(r.touched(activity.Reading), func(f activity.File) bool {
		return strings.Contains(text, activity.Base(f.Name))
	}), maxParts))
	var sought, other []string
	for i := range r.acts {
		a := &r.acts[i]
		pattern := oneLine(a.Text("pattern"))
		task, sends := a.Task()
		switch {
		case !a.Done || a.Refused():
		case pattern != "":
			sought = append(sought, "`"+clip(strings.ReplaceAll(pattern, `\`, ""), 50)+"`"+where(a, l))
		case sends:
			first, _, _ := strings.Cut(task.Text, "\n")
			other = append(other, l.sent+"“"+shortened(oneLine(first), titleWords)+"”")
		case vain(a), a.Command != "" && a.Erred() && a.Line().Check() == activity.NoCheck:
			other = append(other, described(a)+l.failed)
		case a.Command != "":
			if told, _, _ := past(oneLine(a.Text("description"))); told == "" || told != look.text {
				other = append(other, l.ran+described(a))
			}
		}
	}
	tell(l.searched, listed(distinct(sought), 2, l))
	if other = distinct(other); len(other) > 0 && (text == "" || len(sought) == 0) {
		tell("", other[len(other)-1])
	}
	return cmp.Or(text, r.listedWork(l))
}

// where says in which files a search found something.
func where(a *activity.Action, l *titleWordings) string {
	if empty(a.Output) {
		return l.nowhere
	}
	var files []activity.File
	for _, e := range journal.Entities(a.Output[:min(len(a.Output), maxTraced)]) {
		if e.Kind == journal.FileEntity {
			files = append(files, activity.File{Name: e.Name})
		}
	}
	if len(files) == 0 && len(a.Files) > 0 {
		files = []activity.File{{Name: a.Files[0]}}
	}
	files = distinctBy(files, func(f activity.File) string { return activity.Base(f.Name) })
	if len(files) == 0 || len(files) > 2 {
		return ""
	}
	return " (" + l.files(files, 2) + ")"
}

// listedWork tells how the agent's list of work stands.
func (r *record) listedWork(l *titleWordings) string {
	open, done := activity.Items(r.acts)
	var parts []string
	if n := len(done); n > 0 {
		parts = append(parts, l.finished+l.quoted(shortened(done[n-1].Text, 10)))
	}
	for _, t := range open {
		if t.Status == "in_progress" {
			parts = append(parts, l.began+l.quoted(shortened(t.Text, 10)))
		}
	}
	if len(parts) == 0 && len(open) > 0 {
		var names []string
		for _, t := range open {
			names = append(names, l.quoted(shortened(t.Text, 10)))
		}
		parts = append(parts, l.plannedWork+strings.Join(names[:min(2, len(names))], ", ")+more(len(names)-2, l))
	}
	if len(parts) == 0 && len(r.acts) > 0 {
		a := &r.acts[len(r.acts)-1]
		if a.Erred() {
			return capital(nameOf(a, 100)) + l.failed
		}
		return l.used + nameOf(a, 100)
	}
	return strings.Join(parts, l.and)
}

// changedTitle names the commits, else the files of the changes that [facts] tell,
// where nothing more is known of a range.
func changedTitle(changes []string) string {
	l := titleLabels("en")
	var commits, files []string
	for _, c := range changes {
		if s, ok := strings.CutPrefix(c, "committed "); ok {
			if hash, subject, ok := strings.Cut(s, " "); ok && strings.Trim(hash, "0123456789abcdef") == "" {
				s = subject
			}
			commits = append(commits, l.quoted(shortened(s, titleWords)))
		} else if s, ok := strings.CutPrefix(c, "changed "); ok {
			name, _, _ := strings.Cut(s, " (")
			files = append(files, activity.Base(name))
		}
	}
	switch {
	case len(commits) > 0:
		return l.committed + listed(commits, 1, &l)
	case len(files) > 0:
		return l.changed + listed(files, 3, &l)
	}
	return ""
}
