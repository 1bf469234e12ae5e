package extract

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"orihon/internal/meaning"
	"orihon/internal/redact"
	"orihon/internal/terms"
)

const (
	maxContent  = 150 // characters of what is kept
	maxTriggers = 5
	maxTrigger  = 40 // characters
)

// line is a text on one line, without what no reader sees.
func line(text string) string {
	return strings.Join(strings.Fields(redact.Printable(strings.ToValidUTF8(text, ""))), " ")
}

// enoughTold is the share of what a sentence says, rare words before common ones, that
// must stand in the passage it was taken from. TestNotesPassForWhatWasSaid counts what
// that lets pass.
const enoughTold = 0.5

// sound reports whether what a model says it took from one of these passages can be
// used: it is short, and it stands there.
func sound(content string, from ...string) bool {
	return content != "" && utf8.RuneCountInString(content) <= maxContent && Stands(content, from...)
}

// Stands reports whether one of these passages says what a sentence says: its numbers,
// names and code, and most of the rest.
func Stands(content string, in ...string) bool {
	return slices.ContainsFunc(in, func(text string) bool {
		known := values(text)
		missing := func(v string) bool { return !slices.Contains(known, v) }
		return !slices.ContainsFunc(values(content), missing) && named(content, text) && told(content, text) >= enoughTold
	})
}

// Adds reports whether what a sentence says beyond an old one stands in a text: its
// numbers and names, and nearly all else, of Chinese the characters. What says nothing
// more adds nothing.
func Adds(content, old, text string) bool {
	const nearlyAll = 0.8
	had, has := units(old), units(text)
	all, there := 0.0, 0.0
	for u, weight := range units(content) {
		if had[u] > 0 {
			continue
		}
		all += weight
		if has[u] > 0 {
			there += weight
		}
	}
	return all > 0 && there >= nearlyAll*all && Stands(content, old+"\n"+text)
}

// units are the words, numbers and Chinese characters of a text, by how much each says.
func units(text string) map[string]float64 {
	out := make(map[string]float64)
	for _, w := range terms.Query(text) {
		r, _ := utf8.DecodeRuneInString(w)
		switch values, _ := terms.Specifics(w); {
		case unicode.Is(unicode.Han, r):
			for _, r := range w {
				out[string(r)] = 1
			}
		case len(values) > 0:
			out[terms.Bare(values[0])] = 1
		default:
			out[w] = meaning.Builtin().Rarity(w)
		}
	}
	return out
}

// Continues reports whether a text goes on from what was said before it with what a
// sentence says: the text gives the numbers and some of the words, both together the names
// and most of the words.
func Continues(content, text, before string) bool {
	const some = 0.2
	known, both := values(text), before+"\n"+text
	missing := func(v string) bool { return !slices.Contains(known, v) }
	return !slices.ContainsFunc(values(content), missing) && named(content, both) && told(content, text) >= some && told(content, both) >= enoughTold
}

// values are the numbers of a text as they stand in it: "5433", "1.25".
func values(text string) []string {
	fields := strings.FieldsFunc(terms.Fold(text), func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	var out []string
	for _, f := range fields {
		if f = strings.Trim(f, ".,"); f != "" {
			out = append(out, strings.ReplaceAll(f, ",", ""))
		}
	}
	return out
}

// names are what nobody puts in other words: paths, addresses, identifiers, and what
// stands in backquotes.
var names = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`[^`]+`" + `|[a-z0-9~$-]*[_./@\\$]+[a-z0-9][a-z0-9_./@\\$-]*`)
})

// named reports whether all names of a sentence stand in a text.
func named(content, text string) bool {
	text = terms.Fold(text)
	for _, name := range names().FindAllString(terms.Fold(content), -1) {
		if name = strings.Trim(name, "`., "); name != "e.g" && name != "i.e" && !strings.Contains(text, name) {
			return false
		}
	}
	return true
}

// told is the share of what a sentence says that stands in a text, a word also for
// one that means about the same; 0 for a sentence that says nothing.
func told(content, text string) float64 {
	has := make(map[string]bool)
	for _, w := range terms.Index(text) {
		has[w] = true
	}
	all, there := 0.0, 0.0
	for _, w := range terms.Query(content) {
		weight := meaning.Builtin().Rarity(w)
		all += weight
		if has[w] {
			there += weight
			continue
		}
		near := meaning.Builtin().Neighbours(w) // the nearest comes first
		if i := slices.IndexFunc(near, func(n meaning.Neighbour) bool { return has[n.Word] }); i >= 0 {
			there += weight * near[i].Cosine
		}
	}
	return there / max(all, 1e-9)
}

// triggers are those that can call a statement up: they stand in the text.
func triggers(given []string, from string) []string {
	var out []string
	text := terms.Fold(from)
	for _, t := range given {
		t = line(t)
		if t != "" && utf8.RuneCountInString(t) <= maxTrigger && strings.Contains(text, terms.Fold(t)) && !slices.Contains(out, t) && len(out) < maxTriggers {
			out = append(out, t)
		}
	}
	return out
}
