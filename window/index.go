package window

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/journal"
)

// Fold writes the folded index of a run: what a model needs to go on after its
// context was replaced. It names the task and where it stands, what the user
// asked for, in their words, what is open, what failed and how it was mended,
// files, commits, decisions, and the names of code the work was about, in
// labelled lines, and how to open what is folded. It costs at most budget
// tokens ([tokens.Estimate]); 0 is [DefaultIndexTokens]. The labels are in the
// language of the first prompt.
//
// Everything in it stands in the run; nothing is asked of a model. The text is
// foreign: whoever puts it into a context frames it.
func Fold(v *journal.View, budget int) string { return FoldIn(v, budget, "") }

// FoldIn is [Fold] with labels in a language: "en", "zh-Hant" or "zh-Hans";
// anything else is the language of the first prompt.
func FoldIn(v *journal.View, budget int, language string) string {
	if budget <= 0 {
		budget = DefaultIndexTokens
	}
	r := readRecord(v, v.Events())
	switch language {
	case "en", "zh-Hant", "zh-Hans":
	default:
		language = "en"
		if len(r.prompts) > 0 {
			language = terms.Lang(r.prompts[0].text)
		}
	}
	w := wordsFor(language)
	return r.index(budget, &w, w.open)
}

// DefaultIndexTokens is the budget of [Fold] when none is given.
const DefaultIndexTokens = 2000

// index writes the sections of a folded index, those that the work cannot go on
// without first; what they leave goes to the prompts, then to what was found
// out, and then to the names of code. open says how to open what is folded.
func (r *record) index(budget int, l *words, open string) string {
	if len(r.prompts)+len(r.acts)+len(r.spoken)+len(r.earlier) == 0 {
		return ""
	}
	w := indexWriter{budget: budget}
	tail := w.reserve([]string{open})
	status := w.reserve(r.statusLines(budget*8/100, l))
	items, ticked := activity.Items(r.acts)
	todo := w.reserve(labelled(l.items, itemLines(items, l), budget*15/100, true))
	failed := w.reserve(r.failureLines(budget*16/100, l))
	made := w.reserve(labelled(l.commits, commitLines(activity.Commits(r.acts)), budget*8/100, false))
	changed := w.reserve(fileLine(l.changed, r.touched(activity.Editing), budget*8/100, l))
	done := w.reserve(joined(l.done, itemLines(ticked, l), budget*8/100))
	decided := w.reserve(labelled(l.decided, r.decisions(), budget*4/100+30, false))
	prompts := w.reserve(r.promptLines(min(w.budget*68/100, budget*45/100), l))
	read := w.reserve(fileLine(l.read, r.onlyRead(), min(w.budget*15/100, budget*3/100), l))
	parts := slices.Concat(status, prompts, todo, done, failed, made, changed, read, decided)

	ranked := r.names()
	found := w.reserve(r.findings(ranked, w.budget*55/100, strings.Join(parts, "\n"), l))
	parts = append(parts, found...)
	text := strings.Join(parts, "\n")
	names := w.reserve(nameLines(ranked, min(w.budget, budget*32/100, tokens.Estimate(text)), text, l))
	return strings.Join(slices.Concat(parts, names, tail), "\n")
}

// indexWriter keeps account of a budget.
type indexWriter struct{ budget int }

func (w *indexWriter) reserve(lines []string) []string {
	cost := 0
	for _, l := range lines {
		cost += lineCost(l)
	}
	if cost > w.budget {
		return nil
	}
	w.budget -= cost
	return lines
}

// lineCost is what a line and its break cost at most.
func lineCost(line string) int { return tokens.Estimate(line + "\n") }

// labelled writes entries below a label while they fit: the first of them, or
// the last ones in their order.
func labelled(label string, entries []string, limit int, first bool) []string {
	room := limit - lineCost(label)
	var kept []string
	order := slices.Values(entries)
	if !first {
		order = func(yield func(string) bool) {
			for _, e := range slices.Backward(entries) {
				if !yield(e) {
					return
				}
			}
		}
	}
	for e := range order {
		line := "- " + e
		if room -= lineCost(line); room < 0 {
			break
		}
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return nil
	}
	if !first {
		slices.Reverse(kept)
	}
	return append([]string{label}, kept...)
}

// statusLines say what the run is about and where it stands.
func (r *record) statusLines(limit int, l *words) []string {
	var parts []string
	if n := len(r.prompts); n > 0 {
		last := r.prompts[n-1]
		parts = append(parts, l.task+gist(r.prompts[0].text, limit))
		state := fmt.Sprintf(l.underWay, n)
		for _, s := range slices.Backward(r.spoken) {
			if s.answer && s.seq > last.seq {
				state = fmt.Sprintf(l.answered, n)
				break
			}
		}
		parts = append(parts, state)
	}
	if last := r.lastSaid(); last != "" && len(parts) > 0 {
		parts[len(parts)-1] += l.lastSaid + gist(last, limit*2)
	} else if last != "" {
		parts = append(parts, l.status+gist(last, limit*2))
	}
	return parts
}

func (r *record) lastSaid() string {
	if n := len(r.spoken); n > 0 {
		return r.spoken[n-1].text
	}
	return ""
}

func itemLines(items []activity.Item, l *words) []string {
	var out []string
	for _, it := range items {
		line := oneLine(it.Text)
		if it.Status == "in_progress" {
			line += l.inProgress
		}
		out = append(out, line)
	}
	return out
}

// failureLines say what failed, with the beginning of its message, and what
// came of it. Where many failed each gets less room, then the oldest go.
func (r *record) failureLines(limit int, l *words) []string {
	label := l.errors
	all := r.failures()
	for _, width := range [...]struct{ name, head int }{{40, 110}, {28, 80}, {12, 62}} {
		var lines []string
		cost := lineCost(label)
		for i := range all {
			line := all[i].lineIn(width.name, width.head, l)
			lines = append(lines, line)
			cost += lineCost("- " + line)
		}
		if cost <= limit || width.name == 12 {
			return labelled(label, lines, limit, false)
		}
	}
	return nil
}

// line is lineIn English.
func (f *failure) line(name, head int) string {
	l := english()
	return f.lineIn(name, head, &l)
}

// lineIn tells of a failure in so many characters of the act's name and of its
// message.
func (f *failure) lineIn(name, head int, l *words) string {
	end := l.notSettled
	switch {
	case f.settled > 0 && f.fix != "":
		end = fmt.Sprintf(l.fixed, f.fix)
	case f.settled > 0:
		end = l.okLater
	case !f.retried:
		end = l.notRetried
	}
	if f.again > 0 {
		end += fmt.Sprintf(l.times, f.again+1)
	}
	return fmt.Sprintf("%s: %s → %s", nameOf(f.Action, name), cut(oneLine(f.Output), head), end)
}

func commitLines(all []activity.Commit) []string {
	var out []string
	for _, c := range all {
		line := clip(oneLine(c.Subject), 120)
		if c.Hash != "" {
			line += " (" + c.Hash + ")"
		}
		out = append(out, line)
	}
	return out
}

// fileLine names files with their counts on one line, as many as there is room
// for, and says how many are left out.
func fileLine(label string, files []activity.File, limit int, l *words) []string {
	if len(files) == 0 {
		return nil
	}
	render := func(n int, full bool) string {
		var names []string
		for _, f := range files[:n] {
			name := f.Name
			if !full {
				name = path.Base(name)
			}
			if f.Times > 1 {
				name += fmt.Sprintf(" (%d)", f.Times)
			}
			names = append(names, name)
		}
		line := label + strings.Join(names, ", ")
		if more := len(files) - n; more > 0 {
			line += fmt.Sprintf(l.more, more)
		}
		return line
	}
	for n := len(files); n > 0; n-- {
		for _, full := range [...]bool{true, false} {
			if line := render(n, full); lineCost(line) <= limit {
				return []string{line}
			}
		}
	}
	return nil
}

// decisions are the sentences that state one, the user's before the
// assistant's, each once.
func (r *record) decisions() []string {
	var out []string
	seen := map[string]bool{}
	for _, from := range [...][]saying{r.spoken, r.prompts} {
		for _, s := range from {
			for _, sentence := range sentences(s.text) {
				if key := terms.Fold(sentence); decides(sentence) && !seen[key] {
					seen[key] = true
					out = append(out, clip(sentence, 200))
				}
			}
		}
	}
	return out
}

// promptLines gives what the user said, in their words, each with the
// iterations that followed and what came of it. Where there is no room for all
// of it each prompt keeps its beginning, the longest giving way first.
func (r *record) promptLines(limit int, l *words) []string {
	label := l.asked
	type asked struct{ span, text, outcome string }
	var all []asked
	for i, p := range r.prompts {
		end := 0
		if i+1 < len(r.prompts) {
			end = r.prompts[i+1].iter
		}
		if text := oneLine(p.text); text != "" {
			all = append(all, asked{r.spanOf(p.iter, end), text, r.outcome(p.iter, end)})
		}
	}
	if len(all) == 0 {
		return nil
	}
	render := func(words, outcome int) (lines []string, cost int) {
		lines = append(lines, label)
		for i, a := range all {
			line := fmt.Sprintf("%d. [%s] %s", i+1, a.span, clip(a.text, words))
			if a.outcome != "" && outcome > 20 {
				line += " → " + clip(a.outcome, outcome)
			}
			lines = append(lines, line)
		}
		for _, l := range lines {
			cost += lineCost(l)
		}
		return lines, cost
	}
	// The longest cut of the prompts that fits, then of the outcomes.
	words := longest(20, 4000, func(n int) bool { _, cost := render(n, 0); return cost <= limit*92/100 })
	outcome := longest(0, 160, func(n int) bool { _, cost := render(words, n); return cost <= limit })
	lines, cost := render(words, outcome)
	// With very many prompts the oldest but the first give way.
	for cost > limit && len(lines) > 3 {
		cost -= lineCost(lines[2])
		lines = slices.Delete(lines, 2, 3)
	}
	if cost > limit {
		return nil
	}
	return lines
}

// longest is the largest n in a range that fits, by halving; the lowest when
// none does.
func longest(low, high int, fits func(n int) bool) int {
	for low < high {
		mid := (low + high + 1) / 2
		if fits(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// spanOf names the iterations from start to the one before end; 0 is the last
// known.
func (r *record) spanOf(start, end int) string {
	last := end - 1
	if end == 0 {
		last = start
		if n := len(r.acts); n > 0 {
			last = max(last, r.acts[n-1].Iter)
		}
	}
	if last <= start {
		return strconv.Itoa(start)
	}
	return strconv.Itoa(start) + "–" + strconv.Itoa(last)
}

// outcome is what came of a request: the gist of the answer, else of the last
// thing said before the next.
func (r *record) outcome(start, end int) string {
	var last string
	for _, s := range r.spoken {
		if s.iter < start || end > 0 && s.iter >= end {
			continue
		}
		if !intends(s.text) && s.text != "No response requested." {
			last = s.text
		}
	}
	return gist(last, 160)
}

// onlyRead are the files that were read and not changed.
func (r *record) onlyRead() []activity.File {
	changed := map[string]bool{}
	for _, f := range r.touched(activity.Editing) {
		changed[f.Name] = true
	}
	return slices.DeleteFunc(r.touched(activity.Reading), func(f activity.File) bool { return changed[f.Name] })
}

// joined writes entries behind a label on one line, as many as there is room
// for, the last ones first to stay.
func joined(label string, entries []string, limit int) []string {
	for from := range entries {
		line := label + strings.Join(entries[from:], "; ")
		if lineCost(line) <= limit {
			return []string{line}
		}
	}
	return nil
}
