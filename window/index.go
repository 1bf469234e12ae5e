package window

import (
	"cmp"
	"fmt"
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
// tokens ([tokens.Estimate]); 0 is [DefaultIndexTokens]. The labels are in a
// language, "en", "zh-Hant" or "zh-Hans"; anything else is that of the first
// prompt.
//
// Everything in it stands in the run; nothing is asked of a model. The text is
// foreign: whoever puts it into a context frames it.
func Fold(v *journal.View, budget int, language string) string {
	return NewIndex(v, language).Within(budget)
}

// Index is a run that was read to be written as a folded index, once or in
// several sizes.
type Index struct {
	r record
	w words
}

// NewIndex reads a run, see [Fold].
func NewIndex(v *journal.View, language string) *Index {
	r := readRecord(v, v.Events())
	switch language {
	case "en", "zh-Hant", "zh-Hans":
	default:
		language = r.spokenIn()
	}
	return &Index{r, wordsFor(language)}
}

// spokenIn is the language in which the user writes, by all prompts: the first may be little but
// names.
func (r *record) spokenIn() string {
	var all strings.Builder
	for _, p := range r.prompts {
		all.WriteString(p.text + "\n")
	}
	return terms.LangLike(all.String(), "")
}

// Within writes the index in at most budget tokens, 0 is [DefaultIndexTokens].
func (x *Index) Within(budget int) string {
	return x.r.index(cmp.Or(max(budget, 0), DefaultIndexTokens), &x.w, x.w.open)
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
	made := w.reserve(labelled(l.commits, commitLines(activity.Commits(r.acts)), budget*20/100, false))
	changed := w.reserve(fileLine(l.changed, r.touched(activity.Editing), budget*8/100, l))
	done := w.reserve(joined(l.done, itemLines(ticked, l), budget*8/100))
	decided := w.reserve(labelled(l.decided, r.decisions(), budget*4/100+30, false))
	prompts := w.reserve(r.promptLines(min(w.budget*68/100, budget*37/100), l))
	read := w.reserve(fileLine(l.read, r.onlyRead(), min(w.budget*15/100, budget*3/100), l))
	parts := slices.Concat(status, prompts, todo, done, failed, made, changed, read, decided)

	ranked := r.names()
	found := w.reserve(r.findings(ranked, max(w.budget*15/100, w.budget-budget*45/100), strings.Join(parts, "\n"), l))
	parts = append(parts, found...)
	text := strings.Join(parts, "\n")
	names := w.reserve(nameLines(ranked, min(w.budget, budget*45/100, tokens.Estimate(text)), text, l))
	return strings.Join(slices.Concat(parts, names, tail), "\n")
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
	if n := len(r.spoken); n > 0 && r.spoken[n-1].text != "" {
		last := gist(r.spoken[n-1].text, limit*2)
		if len(parts) > 0 {
			parts[len(parts)-1] += l.lastSaid + last
		} else {
			parts = append(parts, l.status+last)
		}
	}
	return parts
}

// failureLines say what failed, with the beginning of its message, and what
// came of it. Where many failed each gets less room, then the oldest go.
func (r *record) failureLines(limit int, l *words) []string {
	label := l.errors
	// That a call of a tool was made again as it should be is no news.
	all := slices.DeleteFunc(r.failures(whole), func(f failure) bool { return f.settled > 0 && f.Command == "" })
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

// longestPrompt is how many characters of one prompt an index holds: more is
// mostly a log.
const longestPrompt = 500

// promptLines gives what the user said, in their words, each with the iterations
// that followed. Where there is no room for all of it each prompt keeps its
// beginning, the longest giving way first.
func (r *record) promptLines(limit int, l *words) []string {
	type asked struct{ span, text string }
	var all []asked
	told := map[string]int{} // asked before, under which number
	for i, p := range r.prompts {
		end := 0
		if i+1 < len(r.prompts) {
			end = r.prompts[i+1].iter
		}
		text := oneLine(p.text)
		if text == "" {
			continue
		}
		if first, again := told[text]; again {
			text = "= " + strconv.Itoa(first)
		} else {
			told[text] = len(all) + 1
		}
		all = append(all, asked{r.spanOf(p.iter, end), text})
	}
	if len(all) == 0 {
		return nil
	}
	render := func(n int) (lines []string, cost int) {
		lines = append(lines, l.asked)
		for i, a := range all {
			lines = append(lines, fmt.Sprintf("%d. [%s] %s", i+1, a.span, clip(a.text, n)))
		}
		for _, l := range lines {
			cost += lineCost(l)
		}
		return lines, cost
	}
	lines, cost := render(longest(20, longestPrompt, func(n int) bool { _, cost := render(n); return cost <= limit }))
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

// onlyRead are the files that were read and not changed.
func (r *record) onlyRead() []activity.File {
	changed := map[string]bool{}
	for _, f := range r.touched(activity.Editing) {
		changed[f.Name] = true
	}
	return slices.DeleteFunc(r.touched(activity.Reading), func(f activity.File) bool { return changed[f.Name] })
}
