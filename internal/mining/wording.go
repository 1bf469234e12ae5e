package mining

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"orihon/habit"
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
		f.Trigger = c.when(w, at)
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
	quote := w.say("said", oneLine(said, 200))
	switch {
	case len(out) > 0 && len(in) > 0:
		f.Action = w.say("instead", spans(in), spans(out)) + " " + quote
	case len(out) > 0:
		f.Action = w.say("without", spans(out)) + " " + quote
	default:
		f.Action = quote
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

func (c *Corpus) when(w wording, step string) string {
	verb, what, _ := strings.Cut(step, ":")
	return w.say("when-"+verb, what)
}

func (c *Corpus) wordSequence(f *Found, w wording) {
	var names []string
	for _, s := range f.steps {
		names = append(names, c.kinds.name[s])
	}
	f.Domain = domainOf(names[len(names)-1])
	verb, what, _ := strings.Cut(names[0], ":")
	f.Trigger = w.say("after-"+verb, what)
	var parts []string
	for _, n := range names[1:] {
		verb, what, _ := strings.Cut(n, ":")
		parts = append(parts, w.say("do-"+verb, what))
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
	_, what, _ := strings.Cut(step, ":")
	f.Trigger = w.say("fails", what, strings.Join(c.telling(errors), " "))
	f.Domain = domainOf(step)
	last := f.Evidence[len(f.Evidence)-1].Text
	var added []bag
	for _, i := range f.calls {
		added = append(added, c.calls[i].added)
	}
	if what := c.telling(added); len(what) > 0 {
		last = spans(what) + ": " + last
	}
	if by := c.usual(tried, false); by != "" {
		verb, what, _ := strings.Cut(by, ":")
		if f.Action = w.say("helps-with", w.say("do-"+verb, what)); what != last {
			f.Action = w.say("helps", w.say("do-"+verb, what), oneLine(last, 200))
		}
	} else {
		f.Action = w.say("helps-by", oneLine(last, 200))
	}
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
