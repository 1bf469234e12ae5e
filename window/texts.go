package window

import (
	"maps"
	"math"
	"slices"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/capture"
	"orihon/internal/terms"
	"orihon/journal"
)

// headed reports an entry of a list that begins with what it is about.
func headed(text string) bool {
	for _, mark := range [...]string{" - ", " — ", " – ", ": ", "："} {
		if at := strings.Index(text, mark); at > 0 && wordCount(text[:at]) <= 5 {
			return true
		}
	}
	return false
}

// content are the terms of a text that say something.
func content(text string) map[string]bool {
	out := map[string]bool{}
	for _, t := range terms.Index(text) {
		if !terms.Common(t) {
			out[t] = true
		}
	}
	return out
}

// behind reports what the agent said when work was done.
func (r *record) behind(d *deed) bool {
	from := r.firstWork()
	return d.at >= 0 && (d.iter > from || d.iter == from && r.spoken[d.at].answer)
}

// firstWork is the iteration of the first call that did something.
func (r *record) firstWork() int {
	if i := slices.IndexFunc(r.acts, func(a activity.Action) bool { return a.Works() }); i >= 0 {
		return r.acts[i].Iter
	}
	return math.MaxInt
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

// uncapital is a sentence that stands within another.
func uncapital(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if len(word) < 2 || strings.ContainsFunc(s, isWide) || strings.ToLower(word[1:]) != word[1:] || strings.ContainsAny(word, "._`'“") {
		return s
	}
	return strings.ToLower(word) + s[len(word):]
}

// familiar counts in how many calls and requests each term stands.
func (r *record) familiar() map[string]float64 {
	out := map[string]float64{}
	add := func(text string, worth float64) {
		for t := range content(text[:min(len(text), maxWeighed)]) {
			out[t] += worth
		}
	}
	for i := range r.acts {
		a := &r.acts[i]
		switch {
		case a.Effect() == activity.Editing:
			add(a.Written(), 1)
			add(activity.Base(a.Files[0]), 1)
		case a.Command != "":
			add(a.Line().Essence(), 0.5)
		case len(a.Files) > 0:
			add(activity.Base(a.Files[0]), 0.5)
		}
		add(a.Telling(), 0.5)
	}
	for _, p := range r.prompts {
		if !machine(p.text) {
			add(p.text, 1)
		}
	}
	return out
}

// traces are the words that calls have written, taken away, run and named.
func traces(acts []activity.Action) map[string]bool {
	out := map[string]bool{}
	for i := range acts {
		if a := &acts[i]; a.Works() || a.Done && a.Starts() {
			text := a.Replaced() + "\n" + a.Written() + "\n" + a.Command + "\n" + a.Telling()
			if len(a.Files) > 0 {
				text += "\n" + a.Files[0]
			}
			maps.Copy(out, content(text[:min(len(text), maxTraced)]))
		}
	}
	return out
}

// Typed is what the user typed of a message in the user's place; empty for any other
// event, when a client wrote all of it, and for a command of the client.
func Typed(v *journal.View, e journal.Event) string {
	var m journal.Message
	if e.Type != journal.UserMessage || v.Decode(e, &m) != nil {
		return ""
	}
	return typed(m.Text)
}

func typed(text string) string { return capture.Typed(capture.Said{Text: text}) }

// lastRequest is the newest message up to an iteration in which the user typed
// something.
func lastRequest(v *journal.View, upto int) (journal.Event, bool) {
	for _, e := range slices.Backward(v.ByType(journal.UserMessage)) {
		if e.Iter <= upto && Typed(v, e) != "" {
			return e, true
		}
	}
	return journal.Event{}, false
}

// FirstRequest is the message that says what a run is for: the first in which the
// user typed something, else the first in the user's place.
func FirstRequest(v *journal.View) (e journal.Event, text string) {
	all := v.ByType(journal.UserMessage)
	for _, e := range all {
		if text := Typed(v, e); text != "" {
			return e, text
		}
	}
	if len(all) == 0 {
		return journal.Event{}, ""
	}
	return all[0], v.Text(all[0])
}

// machine reports a message that a program wrote in the user's place.
func machine(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "<") }

// maxTraced bounds how much of a call's text is looked through, in bytes.
const maxTraced = 20_000

// isWide reports a character of Chinese or another script without blanks.
func isWide(r rune) bool { return r >= 0x2e80 }
