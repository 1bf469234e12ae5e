package window

import (
	"fmt"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/terms"
)

// title says what happened in a range: what was committed, then what was done, else
// answered, found or looked at, and how the checks of it ended. It is made of what
// the agent said of its work and of what its calls did.
func (r *record) title() string {
	l := titleLabels(r.language())
	var parts []string
	rest := r
	if commits := activity.Commits(r.acts); len(commits) > 0 {
		parts = append(parts, l.committed+l.subjects(commits))
		rest = r.after(commits[len(commits)-1].Iter)
	}
	if rest == r {
		parts = append(parts, r.did(&l))
	} else if did := rest.done(&l); did != "" {
		parts = append(parts, l.then+uncapital(did))
	}
	parts = append(parts, rest.outcome(&l))
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
		for _, s := range newest2(all, 8) {
			said.WriteString(s.text[:min(len(s.text), 400)])
		}
		if said.Len() > 0 {
			break
		}
	}
	return terms.Lang(strings.ToValidUTF8(said.String(), ""))
}

func newest2(all []saying, n int) []saying { return all[max(0, len(all)-n):] }

// after is what happened behind an iteration.
func (r *record) after(iter int) *record {
	later := func(all []saying) []saying {
		i := slices.IndexFunc(all, func(s saying) bool { return s.iter > iter })
		if i < 0 {
			return nil
		}
		return all[i:]
	}
	out := &record{prompts: later(r.prompts), spoken: later(r.spoken), thought: later(r.thought), cwd: r.cwd}
	if i := slices.IndexFunc(r.acts, func(a activity.Action) bool { return a.Iter > iter }); i >= 0 {
		out.acts = r.acts[i:]
	}
	return out
}

// did tells the work of a range in one or two sentences.
func (r *record) did(l *titleWordings) string {
	if told := r.done(l); told != "" {
		return told
	}
	return r.looked(l)
}

// done is did, without what was merely looked at.
func (r *record) done(l *titleWordings) string {
	deeds := r.deeds()
	files := r.touched(activity.Editing)
	if len(files) > 0 {
		return r.changed(deeds, files, l)
	}
	if question, told, ok := r.answer(deeds); ok {
		if question == "" {
			return told
		}
		return fmt.Sprintf(l.answered, l.quoted(question), told)
	}
	did, ok := best(deeds, func(d *deed) bool { return d.kind >= isRun })
	found, also := best(deeds, func(d *deed) bool { return d.kind == isFinding && (!ok || d.at != did.at) })
	looked, saw := best(deeds, func(d *deed) bool { return d.kind == isLook })
	switch {
	case ok && also && found.score > did.score/2:
		return shortened(did.text, titleWords*2/3) + l.and + l.found + shortened(found.text, titleWords*2/3)
	case ok:
		return shortened(did.text, titleWords)
	case also && saw:
		return shortened(looked.text, titleWords*2/3) + l.and + l.found + shortened(found.text, titleWords*2/3)
	case also:
		return capital(l.found) + shortened(found.text, titleWords)
	case saw:
		return shortened(looked.text, titleWords)
	}
	if next, ok := best(deeds, func(d *deed) bool { return d.kind == isPlan }); ok {
		return l.setOut + uncapital(shortened(next.text, titleWords))
	}
	return ""
}

// changed tells what became of files: in the agent's words where it has any, else
// by the names that came and went.
func (r *record) changed(deeds []deed, files []activity.File, l *titleWordings) string {
	works := func(d *deed) bool { return d.kind == isEdit || d.kind == isClaim }
	first, ok := best(deeds, works)
	if !ok {
		return r.changedNames(files, l)
	}
	told := []deed{first}
	if second, ok := best(deeds, func(d *deed) bool { return works(d) && d.at != first.at && apart(d, &first) }); ok && second.score > first.score*0.5 {
		told = append(told, second)
		slices.SortStableFunc(told, func(a, b deed) int { return a.iter - b.iter })
	}
	var out []string
	for _, d := range told {
		out = append(out, shortened(d.text, titleWords*4/(3+len(told))))
	}
	text := strings.Join(out, l.and)
	named := slices.ContainsFunc(files, func(f activity.File) bool { return strings.Contains(text, activity.Base(f.Name)) })
	if !named {
		text += " (" + l.files(files, 2) + ")"
	}
	return text
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

// changedNames tells which names and headings edits brought and took away.
func (r *record) changedNames(files []activity.File, l *titleWordings) string {
	var added, removed []string
	for i := range r.acts {
		a := &r.acts[i]
		if a.Effect() != activity.Editing || a.Failed || !a.Done {
			continue
		}
		now, before := declared(a.Written()), declared(a.Replaced())
		for _, n := range now {
			if !slices.Contains(before, n) {
				added = append(added, n)
			}
		}
		for _, n := range before {
			if !slices.Contains(now, n) {
				removed = append(removed, n)
			}
		}
		if len(now) == 0 || slices.Equal(now, before) {
			if from, to := swapped(a.Replaced(), a.Written()); to != "" && len(added)+len(removed) == 0 {
				return fmt.Sprintf(l.swapped, l.files(files, 2), from, to)
			}
		}
	}
	text := l.changed + l.files(files, 3)
	added, removed = distinct(added), distinct(removed)
	if len(added) > 0 {
		text += l.added + listed(added, 3, l)
	}
	if len(removed) > 0 {
		text += l.removed + listed(removed, 2, l)
	}
	return text
}

// declared are what a text of code or Markdown declares: functions, types, tests,
// headings.
func declared(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head := strings.TrimLeft(line, "#"); head != line && strings.HasPrefix(head, " ") {
			out = append(out, "“"+shortened(withoutNumber(strings.TrimSpace(head)), 8)+"”")
			continue
		}
		words := strings.Fields(line)
		for len(words) > 1 && titling.Words("modifiers")[words[0]] {
			words = words[1:]
		}
		if len(words) < 2 || !titling.Words("declaring")[words[0]] {
			continue
		}
		rest := strings.TrimSpace(line[strings.Index(line, words[0])+len(words[0]):])
		if strings.HasPrefix(rest, "(") { // a receiver
			_, rest, _ = strings.Cut(rest, ") ")
		}
		name := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isNamePart))]
		if len(name) > 2 {
			out = append(out, name)
		}
	}
	return distinct(out)
}

func isNamePart(r rune) bool {
	return r == '_' || r == '$' || 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r > 0x7f
}

// swapped is the one line that an edit changed, before and after, where it is
// short enough to be shown.
func swapped(before, after string) (from, to string) {
	a, b := strings.Split(strings.TrimRight(before, "\n"), "\n"), strings.Split(strings.TrimRight(after, "\n"), "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) != 1 || len(b) != 1 {
		return "", ""
	}
	from, to = oneLine(a[0]), oneLine(b[0])
	if len(from) > 60 || len(to) > 60 || from == "" || to == "" {
		return "", ""
	}
	return from, to
}

// answer is what the user asked last and what the agent said to it. A message of a
// program asks nothing.
func (r *record) answer(deeds []deed) (question, told string, ok bool) {
	said, ok := best(deeds, func(d *deed) bool {
		return d.at >= 0 && r.spoken[d.at].answer && (d.kind == isFinding || d.kind == isClaim)
	})
	if !ok {
		return "", "", false
	}
	for _, p := range r.prompts {
		if p.seq < r.spoken[said.at].seq && !machine(p.text) {
			question = p.text
		}
	}
	question = oneLine(question)
	if wordCount(question) < leastTitle {
		return "", shortened(said.text, titleWords), true
	}
	return shortened(question, titleWords*2/3), shortened(said.text, titleWords), true
}

// outcome says how the checks of the last changes went, else that the last command
// failed.
func (r *record) outcome(l *titleWordings) string {
	changed := -1
	for i := range r.acts {
		if a := &r.acts[i]; a.Effect() == activity.Editing && a.Done && !a.Failed {
			changed = i
		}
	}
	var passed, failed []string
	kinds := map[activity.Check]bool{}
	for i := len(r.acts) - 1; i >= 0; i-- {
		a := &r.acts[i]
		if !a.Done || a.Command == "" || a.Refused() {
			continue
		}
		kind := a.Line().Check()
		if kind == activity.NoCheck || kinds[kind] {
			continue
		}
		kinds[kind] = true
		switch {
		case a.Broke():
			text := l.fails[kind]
			if names := a.FailedTests(); len(names) > 0 && kind == activity.Test {
				text += ": " + listed(names, 2, l)
			}
			failed = append(failed, text)
		case i > changed && a.Proves():
			passed = append(passed, l.checks[kind])
		}
	}
	switch {
	case len(failed) > 0:
		return strings.Join(failed, l.and)
	case len(passed) > 0:
		slices.Reverse(passed)
		return fmt.Sprintf(l.pass, strings.Join(passed, l.with))
	case len(r.acts) == 0:
		return ""
	}
	if a := &r.acts[len(r.acts)-1]; a.Erred() && a.Command != "" {
		return described(a) + l.failed
	}
	return ""
}

// described is what the assistant says a call is for, else how a person would call
// it.
func described(a *activity.Action) string {
	if about := oneLine(a.Text("description")); about != "" {
		return "“" + shortened(about, titleWords) + "”"
	}
	return nameOf(a, 50)
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
		if a.Command != "" && a.Done && a.Line().Check() == activity.NoCheck {
			other = l.ran + described(a)
			if a.Failed && !a.Looks() {
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

// empty reports the output of a search that found nothing.
func empty(output string) bool {
	return strings.TrimSpace(output) == "" || strings.HasPrefix(strings.ToLower(output), "no ")
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

// listed names the last n of a list, and how many more there are.
func listed(all []string, n int, l *titleWordings) string {
	return strings.Join(newest(all, n), ", ") + more(len(all)-n, l)
}

func more(n int, l *titleWordings) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(l.more, n)
}

// uncapital is a sentence that stands within another.
func uncapital(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if len(word) < 2 || strings.ToLower(word[1:]) != word[1:] || strings.ContainsAny(word, "._`'“") {
		return s
	}
	return strings.ToLower(word) + s[len(word):]
}
