package window

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/activity"
	"orihon/internal/terms"
	"orihon/journal"
)

// title says what happened in a range: what was committed, then what was done, else
// answered, found or looked at, and how the checks of it ended. It is made of what
// the agent said of its work and of what its calls did.
func (r *record) title() string {
	l := titleLabels(r.language())
	var parts []string
	rest := r
	commits := activity.Commits(r.acts)
	if len(commits) > 0 {
		parts = append(parts, l.committed+l.subjects(commits))
		rest = r.within(commits[len(commits)-1].Iter+1, math.MaxInt)
	}
	did, checked := "", r
	if rest == r {
		did = r.did(l)
	} else {
		did = rest.since(commits, &l)
		if len(rest.touched(activity.Editing)) > 0 {
			checked = rest
		}
	}
	parts = append(parts, did, checked.outcome(did, &l))
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	switch {
	case len(parts) > 0:
		return capital(strings.Join(parts, l.and))
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
	if 8*utf8.RuneCountInString(wide) > utf8.RuneCountInString(text) {
		return terms.Lang(wide) // the rest are names, which have no language
	}
	return terms.Lang(text)
}

func isWide(r rune) bool { return r >= 0x2e80 }

func lastSaid(all []saying, n int) []saying { return all[max(0, len(all)-n):] }

// within is what happened from one iteration up to another.
func (r *record) within(from, to int) *record {
	said := func(all []saying) []saying {
		return slices.DeleteFunc(slices.Clone(all), func(s saying) bool { return s.iter < from || s.iter >= to })
	}
	return &record{prompts: said(r.prompts), spoken: said(r.spoken), cwd: r.cwd,
		acts: slices.DeleteFunc(slices.Clone(r.acts), func(a activity.Action) bool { return a.Iter < from || a.Iter >= to })}
}

// worked are the parts of a record, each begun by a message of the user, in which
// the most was done: at most two, in their order.
func (r *record) worked() []*record {
	starts := []int{math.MinInt}
	for _, p := range r.prompts {
		if !machine(p.text) {
			starts = append(starts, p.iter)
		}
	}
	type part struct {
		*record
		place, work int
	}
	var parts []part
	for i, from := range starts {
		to := math.MaxInt
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		p := part{r.within(from, to), i, 0}
		for k := range p.acts {
			if a := &p.acts[k]; a.Works() && a.Effect() == activity.Editing {
				p.work += 3
			} else if a.Works() {
				p.work++
			}
		}
		if p.work > 0 {
			parts = append(parts, p)
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return b.work - a.work })
	parts = parts[:min(2, len(parts))]
	slices.SortFunc(parts, func(a, b part) int { return a.place - b.place })
	var out []*record
	for _, p := range parts {
		out = append(out, p.record)
	}
	return out
}

// since tells what was done or answered behind commits, and not by them.
func (r *record) since(commits []activity.Commit, l *titleWordings) string {
	deeds := r.deeds()
	did, ok := best(deeds, func(d *deed) bool {
		return d.kind >= isEdit && !strings.Contains(strings.ToLower(d.text), "commit") &&
			!slices.ContainsFunc(commits, func(c activity.Commit) bool {
				return len(c.Hash) >= 7 && strings.Contains(d.text, c.Hash[:7]) || !apart(d, &deed{words: content(c.Subject)})
			})
	})
	if ok {
		return l.then + uncapital(shortened(did.text, l.room))
	}
	if question, told, _ := r.answer(deeds, l); question != "" {
		return l.then + uncapital(fmt.Sprintf(l.answered, l.quoted(question), told))
	}
	return ""
}

// did tells the work of a range in one or two sentences.
func (r *record) did(l titleWordings) string {
	if parts := r.worked(); len(parts) > 1 {
		l.room = titleWords/2 + 2
		first, second := parts[0].done(&l), parts[1].done(&l)
		if told := content(first); !slices.ContainsFunc(slices.Collect(maps.Keys(content(second))), func(w string) bool { return !told[w] }) {
			return first
		}
		return first + l.and + uncapital(second)
	}
	return cmp.Or(r.done(&l), r.looked(&l))
}

// done is did, without what was merely looked at.
func (r *record) done(l *titleWordings) string {
	deeds := r.deeds()
	ran := r.ran(l)
	if files := r.touched(activity.Editing); len(files) > 0 {
		return r.changed(deeds, files, l)
	}
	if question, told, asks := r.answer(deeds, l); question != "" && (asks || ran == "") {
		return fmt.Sprintf(l.answered, l.quoted(question), told)
	}
	did, ok := best(deeds, func(d *deed) bool { return d.kind >= isRun })
	if !ok && ran != "" {
		return ran + cmp.Or(r.closing(deeds, l), r.wish(l), r.printed(l))
	}
	found, also := best(deeds, func(d *deed) bool { return d.kind == isFinding && (!ok || d.at != did.at) })
	looked, saw := best(deeds, func(d *deed) bool { return d.kind == isLook })
	next, will := best(deeds, func(d *deed) bool { return d.kind == isPlan })
	switch {
	case also && will && !ok && next.at >= found.at:
		return capital(l.found) + capital(shortened(found.text, l.room*2/3)) + l.and + uncapital(l.setOut) + uncapital(shortened(next.text, l.room*2/3))
	case ok && also && found.score > did.score/2:
		label := l.found
		if r.behind(&found) {
			label = ""
		}
		return shortened(did.text, l.room*2/3) + l.and + label + uncapital(shortened(found.text, l.room*2/3))
	case ok:
		return shortened(did.text, l.room)
	case also && saw:
		return shortened(looked.text, l.room*2/3) + l.and + l.found + shortened(found.text, l.room*2/3)
	case also:
		return capital(l.found) + capital(shortened(found.text, l.room))
	case saw:
		return shortened(looked.text, l.room)
	case will && len(r.touched(activity.Reading)) > 0:
		return r.looked(l) + l.and + uncapital(l.setOut) + uncapital(shortened(next.text, l.room*2/3))
	case will:
		return l.setOut + uncapital(shortened(next.text, l.room))
	}
	return ""
}

// changed tells what became of files: in the agent's words where it has any, else
// by the names that came and went.
func (r *record) changed(deeds []deed, files []activity.File, l *titleWordings) string {
	works := func(d *deed) bool { return d.kind == isEdit || d.kind == isClaim }
	first, ok := best(deeds, works)
	if !ok {
		text := r.changedNames(files, l)
		if closing := r.closing(deeds, l); closing != "" {
			return text + closing
		}
		if why, ok := best(deeds, func(d *deed) bool { return d.kind == isFinding && len(d.words) > 1 }); ok {
			return text + l.and + l.found + shortened(why.text, l.room)
		}
		if next, will := best(deeds, func(d *deed) bool { return d.kind == isPlan }); will {
			return text + l.and + uncapital(l.setOut) + uncapital(shortened(next.text, l.room*2/3))
		}
		return text + r.wish(l)
	}
	told := []deed{first}
	if second, ok := best(deeds, func(d *deed) bool { return works(d) && d.text != first.text && apart(d, &first) }); ok && second.score > first.score*0.5 && l.room == titleWords {
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
	named := slices.ContainsFunc(files, func(f activity.File) bool { return strings.Contains(text, activity.Base(f.Name)) })
	switch {
	case len(told) == 1 && wordCount(text) < leastTitle-1:
		return r.changedNames(files, l)
	case len(told) == 1 && l.room == titleWords && len(first.words) < 5 && len(journal.Entities(first.text)) == 0 && r.changedNames(files, l) != l.changed+l.files(files, 3):
		text += l.and + uncapital(r.changedNames(files, l))
	case !named:
		text += " (" + l.files(files, 2) + ")"
	}
	return text
}

// firstWork is the iteration of the first call that did something.
func (r *record) firstWork() int {
	if i := slices.IndexFunc(r.acts, func(a activity.Action) bool { return a.Works() }); i >= 0 {
		return r.acts[i].Iter
	}
	return math.MaxInt
}

// behind reports what the agent said when work was done.
func (r *record) behind(d *deed) bool {
	from := r.firstWork()
	return d.at >= 0 && (d.iter > from || d.iter == from && r.spoken[d.at].answer)
}

// closing is what the agent said behind its work.
func (r *record) closing(deeds []deed, l *titleWordings) string {
	said, ok := best(deeds, func(d *deed) bool { return d.kind == isFinding && r.behind(d) })
	if !ok {
		return ""
	}
	return l.and + uncapital(shortened(said.text, l.room))
}

// wish is what the user asked for before the work began.
func (r *record) wish(l *titleWordings) string {
	asked := ""
	for _, p := range r.prompts {
		if p.iter <= r.firstWork() && !machine(p.text) && wordCount(p.text) >= leastTitle {
			asked = firstWords(oneLine(p.text), l.room)
		}
	}
	if asked == "" {
		return ""
	}
	return fmt.Sprintf(l.wish, asked)
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

// best is the deed with the highest score of those that fit, the later among
// equals.
func best(deeds []deed, fits func(*deed) bool) (out deed, ok bool) {
	for i := range deeds {
		if d := &deeds[i]; fits(d) && d.score >= out.score {
			out, ok = *d, true
		}
	}
	return out, ok
}

// answer is what the user asked and what the agent said to it, where it says
// something. A message of a program asks nothing.
func (r *record) answer(deeds []deed, l *titleWordings) (question, told string, asks bool) {
	said, ok := best(deeds, func(d *deed) bool {
		return d.at >= 0 && r.spoken[d.at].answer && (d.kind == isFinding || d.kind == isClaim)
	})
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
	return shortened(question, l.room*2/3), shortened(said.text, l.room), strings.ContainsAny(question, "?？")
}

// looked says what was read and searched, else what was done with other tools.
func (r *record) looked(l *titleWordings) string {
	var parts []string
	if files := r.touched(activity.Reading); len(files) > 0 {
		parts = append(parts, l.read+l.files(files, 3))
	}
	sought, other := "", ""
	for i := range r.acts {
		a := &r.acts[i]
		if pattern := oneLine(a.Text("pattern")); pattern != "" && a.Done {
			sought = l.searched + "`" + clip(pattern, 50) + "`"
			if empty(a.Output) {
				sought += l.nowhere
			}
		}
		if a.Command != "" && a.Done {
			other = l.ran + described(a)
			if a.Erred() && a.Line().Check() == activity.NoCheck {
				other += l.failed
			}
		}
		if task, ok := a.Task(); ok {
			text, _, _ := strings.Cut(task.Text, "\n")
			other = l.sent + "“" + shortened(oneLine(text), titleWords) + "”"
		}
	}
	if sought != "" {
		parts = append(parts, sought)
	}
	if other != "" && len(parts) < 2 {
		parts = append(parts, other)
	}
	if len(parts) == 0 {
		parts = append(parts, r.listedWork(l))
	}
	return strings.Join(parts, l.and)
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
		return l.used + nameOf(a, 50)
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

// uncapital is a sentence that stands within another.
func uncapital(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if len(word) < 2 || strings.ContainsFunc(s, isWide) || strings.ToLower(word[1:]) != word[1:] || strings.ContainsAny(word, "._`'“") {
		return s
	}
	return strings.ToLower(word) + s[len(word):]
}
