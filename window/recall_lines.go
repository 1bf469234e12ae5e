package window

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/tokens"
	"orihon/journal"
)

// What is known of a file in folds, and which of its lines the present is about.

// shownLine is a line of a file as it was read or written.
type shownLine struct {
	n    int // its number; 0 is not known
	text string
}

// stretches are the parts of a file that some iterations read or wrote, oldest
// first; of a line that was read again only the newest text is there.
func stretches(v *journal.View, iterations []int, file string) [][]shownLine {
	var out [][]shownLine
	for _, n := range iterations {
		r := readRecord(v, v.Range(n, n))
		for i := range r.acts {
			a := &r.acts[i]
			if !a.Done || a.Failed || !touches(a, file) {
				continue
			}
			var now []shownLine
			switch a.Effect() {
			case activity.Reading:
				now = numbered(a.Output)
			case activity.Editing:
				now = numbered(a.Written())
			}
			if len(now) == 0 {
				continue
			}
			again := map[int]bool{}
			for _, l := range now {
				again[l.n] = l.n > 0
			}
			for k := range out {
				out[k] = slices.DeleteFunc(out[k], func(l shownLine) bool { return again[l.n] })
			}
			out = append(out, now)
		}
	}
	return slices.DeleteFunc(out, func(s []shownLine) bool { return len(s) == 0 })
}

// numbered are the lines of a text, with the numbers that clients print before them.
func numbered(text string) []shownLine {
	var out []shownLine
	for line := range strings.Lines(strings.Trim(text, "\r\n")) {
		line = strings.TrimRight(line, "\r\n")
		rest := strings.TrimLeft(line, " ")
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		l := shownLine{text: line}
		for _, mark := range [...]string{"→", "\t", ": "} {
			if after, ok := strings.CutPrefix(rest[digits:], mark); ok && digits > 0 {
				l.n, _ = strconv.Atoi(rest[:digits]) // a number that is too large is none
				l.text = after
				break
			}
		}
		out = append(out, l)
	}
	return out
}

// presentText is a text of the present with the names in it.
type presentText struct {
	text  string
	names []string
	of    *activity.Action // whose output it is; nil for others
}

// presentOf are the texts of some records, the newest record first.
func presentOf(records []record) []presentText {
	var out []presentText
	add := func(text string, of *activity.Action) {
		t := presentText{text: text, of: of}
		for _, e := range journal.Entities(text) {
			if e.Kind == journal.Identifier {
				t.names = append(t.names, e.Name)
			}
		}
		out = append(out, t)
	}
	for i := range slices.Backward(records) {
		r := &records[i]
		for _, s := range slices.Concat(r.prompts, r.spoken) {
			add(s.text, nil)
		}
		for k := range r.acts {
			a := &r.acts[k]
			texts := a.Texts()
			for _, key := range slices.Sorted(maps.Keys(texts)) {
				add(texts[key], nil)
			}
			add(a.Output[:min(len(a.Output), searchedOutput)], a)
		}
	}
	return out
}

// focusOf are the lines and names that the present says of a file and of what is in it:
// "120" for a line, else a name, the newest first. What a file itself printed says
// nothing of it.
func focusOf(present []presentText, file string) []string {
	var out []string
	for _, t := range present {
		if len(out) > mostFocus {
			break
		}
		if t.of != nil && touches(t.of, file) {
			continue
		}
		if strings.Contains(t.text, file+":") {
			out = append(out, linesNamed(t.text, file)...)
		}
		out = append(out, t.names...)
	}
	out = distinct(out)
	return out[:min(len(out), mostFocus)]
}

// linesNamed are the numbers of lines of a file that a text names, as in a.go:120.
func linesNamed(text, file string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`(),", r) }) {
		name, rest, ok := strings.Cut(word, ":")
		if !ok || path.Base(name) != file {
			continue
		}
		line, _, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(line); err == nil && n > 0 {
			out = append(out, line)
		}
	}
	return out
}

// mostFocus bounds how much of the present is looked for in a file.
const mostFocus = 24

// place is a line that matters, and how much.
type place struct {
	stretch, line int
	worth         float64
}

// placesOf are the lines of what is known that the present is about, the most needed
// first: a line that was named by its number, one that declares a name, one that has
// it, less the more there are.
func placesOf(known [][]shownLine, focus []string) []place {
	var out []place
	for k, f := range focus {
		at := len(out)
		number, _ := strconv.Atoi(f) // 0 for a name
		for s, lines := range known {
			for i := range lines {
				l := &lines[i]
				switch {
				case number > 0 && l.n == number:
					out = append(out, place{s, i, 3})
				case number == 0 && len(f) > 3 && strings.Contains(l.text, f):
					out = append(out, place{s, i, 1})
				}
			}
		}
		found := float64(len(out) - at)
		for i := at; i < len(out); i++ {
			p := &out[i]
			if p.worth == 1 && declares(known[p.stretch][p.line].text, f) {
				p.worth = 2 * found
			}
			p.worth /= found * (1 + float64(k)/mostFocus)
		}
	}
	slices.SortStableFunc(out, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), b.stretch-a.stretch, a.line-b.line)
	})
	return out
}

// A passage is so many lines, and one begins every passageStep.
const passageLines, passageStep = 32, 8

// passage is a run of lines of a stretch, and what they are worth together.
type passage struct {
	stretch, from int
	worth         float64
}

// passagesOf are the passages of what is known, the most needed first, of those that
// are needed alike the newest.
func passagesOf(known [][]shownLine, focus []string) []passage {
	var out []passage
	at := make([]int, len(known)) // where the passages of a stretch begin in out
	for s, lines := range known {
		at[s] = len(out)
		for i := 0; i == 0 || i < len(lines)-passageLines+2*passageStep; i += passageStep {
			out = append(out, passage{stretch: s, from: i})
		}
	}
	for _, p := range placesOf(known, focus) {
		end := len(out)
		if p.stretch+1 < len(known) {
			end = at[p.stretch+1]
		}
		for i := at[p.stretch]; i < end; i++ {
			if q := &out[i]; q.from <= p.line && p.line < q.from+passageLines-passageStep { // some lines behind it belong to it
				q.worth += p.worth
			}
		}
	}
	slices.SortStableFunc(out, func(a, b passage) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), b.stretch-a.stretch)
	})
	return out
}

// choose are the lines of what is known that are most needed, in at most room tokens.
func choose(known [][]shownLine, focus []string, room int) []span {
	taken := make([][]bool, len(known))
	for i := range known {
		taken[i] = make([]bool, len(known[i]))
	}
	for _, p := range passagesOf(known, focus) {
		for i := p.from; i < min(p.from+passageLines, len(known[p.stretch])); i++ {
			if taken[p.stretch][i] {
				continue
			}
			cost := tokens.Estimate(known[p.stretch][i].print())
			if cost > room {
				break
			}
			room -= cost
			taken[p.stretch][i] = true
		}
	}
	var out []span
	for s := range taken {
		for i := range taken[s] {
			switch last := len(out) - 1; {
			case !taken[s][i]:
			case last >= 0 && out[last].Stretch == s && out[last].To == i:
				out[last].To++
			default:
				out = append(out, span{s, i, i + 1})
			}
		}
	}
	return out
}

// span are lines of a stretch, To not among them.
type span struct {
	Stretch int `json:"stretch"`
	From    int `json:"from"`
	To      int `json:"to"`
}

// spanned are the lines of some spans, with a mark where lines are left out.
func spanned(known [][]shownLine, spans []span) string {
	var b strings.Builder
	for i, s := range spans {
		if s.Stretch >= len(known) || s.From < 0 || s.From > s.To || s.To > len(known[s.Stretch]) {
			continue // a journal that somebody wrote otherwise
		}
		if i > 0 {
			b.WriteString("…\n")
		}
		for _, l := range known[s.Stretch][s.From:s.To] {
			b.WriteString(l.print())
		}
	}
	return b.String()
}

func (l shownLine) print() string {
	if l.n == 0 {
		return l.text + "\n"
	}
	return fmt.Sprintf("%d\t%s\n", l.n, l.text)
}

// declares reports a line that says what a name is.
func declares(line, name string) bool {
	at := strings.Index(line, name)
	for _, word := range [...]string{"func ", "type ", "class ", "def ", "const ", "var ", "interface ", "struct ", "function ", "let ", "fn "} {
		if i := strings.Index(line, word); i >= 0 && i < at {
			return true
		}
	}
	return false
}

// touches reports an act on a file of a base name.
func touches(a *activity.Action, base string) bool {
	return slices.ContainsFunc(a.Files, func(f string) bool { return activity.Base(f) == base })
}
