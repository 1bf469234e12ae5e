package mining

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"orihon/habit"
	"orihon/internal/activity"
	"orihon/internal/terms"
)

//go:embed wording.txt
var wordingText string

// wording is what instincts say around the words of the session, in one language.
type wording map[string]string

// wordingFor returns the wording of a language; English for any unknown one.
func wordingFor(language string) wording {
	w := make(wording)
	for line := range strings.Lines(wordingText) {
		key, text, ok := strings.Cut(strings.TrimSpace(line), " = ")
		of, what, named := strings.Cut(key, ".")
		if ok && named && (of == language || of == "en" && w[what] == "") {
			w[what] = text
		}
	}
	return w
}

func (w wording) say(what string, args ...any) string { return fmt.Sprintf(w[what], args...) }

// step says something of a kind of step.
func (w wording) step(what, step string, more ...any) string {
	verb, name, _ := strings.Cut(step, ":")
	return w.say(what+verb, append([]any{name}, more...)...)
}

// word gives a habit its trigger, its action and its domain.
func (c *Corpus) word(f *Found) {
	w := wordingFor(f.language)
	switch f.Kind {
	case habit.Correction, habit.Preference:
		c.wordCorrection(f, w)
	case habit.Fix:
		c.wordFix(f, w)
	case habit.Sequence:
		c.wordSequence(f, w)
	}
	f.Trigger, f.Action = habit.Cut(f.Trigger, habit.MaxTrigger), habit.Cut(f.Action, habit.MaxAction)
}

// wordCorrection tells what is corrected: at what work, what goes and what comes, and
// how the person says it.
func (c *Corpus) wordCorrection(f *Found, w wording) {
	var kinds, gone, came []bag
	for _, i := range f.turns {
		t := &c.turns[i]
		k := c.stepsOf(t)
		if i > 0 && c.turns[i-1].session == t.session {
			k = union(k, c.stepsOf(&c.turns[i-1]))
		}
		kinds = append(kinds, k)
		gone, came = append(gone, union(shared(t.gone, t.preceding), without(t.preceding, t.ran).onlyIf(len(t.gone) == 0 && len(t.ran) > 0))), append(came, union(t.added, t.ran))
	}
	at := c.usual(kinds, true)
	out, in := c.telling(gone), c.telling(came)
	out = slices.DeleteFunc(out, func(x string) bool { return slices.Contains(in, x) })
	f.Domain = domainOf(at)
	switch {
	case at != "":
		f.Trigger = w.step("when-", at)
	default:
		f.Trigger = w.say("always")
	}
	said := f.Evidence[len(f.Evidence)-1].Text
	best := -1.0
	for k, i := range f.turns {
		score := 0.0
		for j, other := range f.turns {
			if j != k {
				x, _ := c.words.alike(c.turns[i].said, c.turns[other].words())
				score += x
			}
		}
		if score > best {
			best, said = score, f.Evidence[k].Text
		}
	}
	said = oneLine(said, 200)
	switch {
	case len(out) > 0 && len(in) > 0:
		f.Action = w.say("instead", spans(in), spans(out), said)
	case len(out) > 0:
		f.Action = w.say("without", spans(out), said)
	default:
		f.Action = w.say("said", said)
	}
}

// onlyIf is a bag, or nothing.
func (b bag) onlyIf(yes bool) bag {
	if yes {
		return b
	}
	return nil
}

// telling are the words that most of the bags share and that say most, at most three.
func (c *Corpus) telling(bags []bag) []string {
	count := make(map[int32]int)
	for _, b := range bags {
		for _, x := range b {
			count[x]++
		}
	}
	var all []int32
	for x, n := range count {
		name := c.words.name[x]
		if n >= 2 && 2*n > len(bags) && speaks(name) {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b int32) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(c.words.weight(b), c.words.weight(a)), cmp.Compare(a, b))
	})
	var out []string
	for _, x := range all[:min(len(all), 2)] {
		out = append(out, c.words.name[x])
	}
	return out
}

// speaks reports a word that says something by itself: a name, no sign and no word of
// everyday.
func speaks(name string) bool {
	return len(name) > 2 && (unicode.IsLetter(rune(name[0])) || name[0] == '_' || name[0] >= 0x80) && !terms.Common(name) && len(terms.Query(name)) > 0
}

// usual is the closest kind of step that most of the sets hold.
func (c *Corpus) usual(sets []bag, most bool) string {
	count := make(map[int32]int)
	for _, s := range sets {
		for _, x := range s {
			count[x]++
		}
	}
	best, score := "", 0.0
	for x, n := range count {
		name := c.kinds.name[x]
		if n < 2 || most && 2*n <= len(sets) || strings.HasPrefix(name, "use:") || strings.HasPrefix(name, "file:") {
			continue
		}
		s := float64(n) * (c.kinds.weight(x) + 0.2) * (1.2 - general(name)) * (1.1 - ordinary(name))
		if s > score || s == score && name < best {
			best, score = name, s
		}
	}
	return best
}

func (c *Corpus) wordSequence(f *Found, w wording) {
	var names []string
	for _, s := range f.steps {
		names = append(names, c.kinds.name[s])
	}
	f.Domain = domainOf(names[len(names)-1])
	f.Trigger = w.step("after-", names[0])
	var parts []string
	for _, n := range names[1:] {
		parts = append(parts, w.step("do-", n))
	}
	f.Action = w.say("then", strings.Join(parts, w["and-then"]+" "))
}

func (c *Corpus) wordFix(f *Found, w wording) {
	var errors, tried []bag
	var failing []bag
	for k, i := range f.failed {
		x := &c.calls[i]
		errors, failing = append(errors, x.result), append(failing, x.steps)
		m := &c.calls[f.calls[k]]
		tried = append(tried, m.steps)
	}
	step := c.usual(failing, false)
	if step == "" && c.calls[f.failed[0]].closest >= 0 {
		step = c.kinds.name[c.calls[f.failed[0]].closest]
	}
	if verb, what, _ := strings.Cut(step, ":"); verb != "edit" && verb != "read" {
		step = "run:" + what
	}
	f.Trigger = w.step("fails-", step, c.complaint(f, errors))
	f.Domain = domainOf(step)
	x := &c.calls[f.calls[len(f.calls)-1]]
	last := x.text
	if x.file >= 0 {
		last = strings.TrimPrefix(c.kinds.name[x.file], "file:")
	}
	by := c.usual(tried, false)
	if by == "" && x.file >= 0 && x.closest >= 0 {
		by = c.kinds.name[x.closest]
	}
	switch verb, what, _ := strings.Cut(by, ":"); {
	case by == "" || by == step && verb == "run":
		f.Action = w.say("helps-by", last)
	case what == last:
		f.Action = w.step("with-", by)
	default:
		f.Action = w.step("helps-", by, last)
	}
}

// complaint is what a fix's failures said alike: of the line of the last one that says
// most of what they share, the words from the first to the last of these.
func (c *Corpus) complaint(f *Found, errors []bag) string {
	const most = 100
	count, common := make(map[int32]int), make(map[string]float64)
	for _, b := range errors {
		for _, x := range b {
			if count[x]++; count[x] >= 2 && 2*count[x] > len(errors) {
				common[c.words.name[x]] = c.words.weight(x)
			}
		}
	}
	best, line := -1.0, ""
	for l := range strings.Lines(c.calls[f.failed[len(f.failed)-1]].failure) {
		fields := strings.Fields(unmarked(l))
		first, last, says := -1, 0, 0.0
		for i, field := range fields {
			all := true
			for _, w := range code(field) {
				says += common[w]
				all = all && common[w] > 0
			}
			if all {
				if last = i; first < 0 {
					first = i
				}
			}
		}
		if activity.SaysPassing(l) {
			says = 0 // what went well besides
		}
		if says > best && len(fields) > 0 {
			best, line = says, strings.Join(fields, " ")
			if first >= 0 && last > first {
				line = strings.Join(fields[first:last+1], " ")
			}
		}
	}
	return oneLine(line, most)
}

// unmarked is a line without the marks that a client puts around an error.
func unmarked(line string) string {
	return strings.TrimSpace(strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "", "`", "'").Replace(line))
}

func spans(words []string) string {
	out := make([]string, len(words))
	for i, x := range words {
		out[i] = "`" + x + "`"
	}
	return strings.Join(out, " ")
}

// domainOf is what sort of work a step belongs to.
func domainOf(step string) string {
	verb, what, _ := strings.Cut(step, ":")
	first, _, _ := strings.Cut(what, " ")
	switch {
	case verb == "":
		return "general"
	case strings.Contains(what, "test") || strings.Contains(what, "spec"):
		return "testing"
	case verb == "run":
		if d := strings.Trim(strings.ToLower(first), "./_"); habit.ValidDomain(d) && ordinary("run:"+first) == 0 {
			return d
		}
		return "commands"
	}
	if at := strings.LastIndexByte(what, '.'); at >= 0 && habit.ValidDomain(strings.ToLower(what[at+1:])) {
		return strings.ToLower(what[at+1:])
	}
	return "files"
}
