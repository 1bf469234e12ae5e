package advice

import (
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"orihon/internal/terms"
	"orihon/memory"
)

// What a clue is worth, tuned on lives of developers (orihon eval --task lives).
const (
	nameWorth   = 2.0  // a name of several parts, as it stands
	wordWorth   = 1.0  // a word
	commonWorth = 0.35 // an everyday one
	partsWorth  = 0.6  // share of a word's that a part of a name has alone
	actionWorth = 1.2  // a program with what it is to do, side by side
	phraseWorth = 0.8  // two other words of a command, two folders of a path, or a file
	codeWorth   = 1.2  // ORA-01555: nothing else is called so
	pairWorth   = 0.6  // two parts of a name side by side
	enough      = 1.8  // from which a passage is given
	enoughRule  = 1.5  // the same for what guides by its topic

	// Shares of that, by where a clue stands.
	programShare = 0.4 // which program runs, whatever it is to do
	folderShare  = 0.5 // of what the file in it counts
	contextShare = 0.6 // text that an edit leaves as it is
	textShare    = 0.8
	aboutShare   = 0.8
	errorShare   = 0.7
)

// Bounds of the work that an action may cause.
const (
	mostDone  = 4 << 10 // bytes that are read of each text
	mostWords = 40      // of the commands
	mostDeep  = 12      // folders of a path
	mostClues = 120
	mostParts = 4 // of a name whose parts are looked for side by side
)

// clue is a name or a word of what is done.
type clue struct {
	whole string   // its term
	parts []string // terms of its parts; none for a plain word
	share float64
}

// clues are those of what is done, and what a passage may say as it stands: pairs
// of words and of folders.
type clues struct {
	all     []clue
	at      map[string]int // place by whole
	phrases []phrase
	told    bool // there is a word that is not an everyday one
}

// phrase is what a passage may say as it stands, in small letters.
type phrase struct {
	text  string
	worth float64
}

func (d *Doing) clues() *clues {
	c := &clues{at: make(map[string]int)}
	for _, f := range d.Files {
		c.path(clipped(f), true)
	}
	c.text(clipped(d.Task), 1)
	n := 0
	for _, words := range d.Commands {
		words = words[:min(len(words), mostWords-n)]
		n += len(words)
		c.command(words)
	}
	c.text(clipped(d.About), aboutShare)
	c.edit(clipped(d.Gone), clipped(d.Added))
	c.text(clipped(d.Error), errorShare)
	return c
}

func clipped(s string) string { return strings.ToValidUTF8(s[:min(len(s), mostDone)], "") }

// command adds the clues of a command. A script is one by its name; a mere
// program says little.
func (c *clues) command(words []string) {
	for i, w := range words {
		w = clipped(w)
		switch name := path.Base(w); {
		case strings.ContainsAny(w, " \t\n"):
			c.text(w, 1)
		case i == 0 && !strings.Contains(name, "."):
			c.text(name, programShare)
		default:
			c.path(w, false)
		}
		switch i {
		case 0:
		case 1:
			c.phrase(clipped(words[0])+" "+w, actionWorth)
		default:
			c.phrase(clipped(words[i-1])+" "+w, phraseWorth)
		}
	}
	if len(words) > 1 && !slices.ContainsFunc(terms.Query(words[0]), terms.Common) {
		c.told = c.told || len(terms.Query(words[0])) > 0 && !strings.HasPrefix(words[1], "-")
	}
}

func (c *clues) phrase(text string, worth float64) {
	c.phrases = append(c.phrases, phrase{strings.ToLower(text), worth})
}

// path adds the clues of a file, or of any word of a command, which may be one.
// How a file's name ends says nothing.
func (c *clues) path(word string, file bool) {
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '/' || r == '\\' })
	parts = parts[max(0, len(parts)-mostDeep):]
	for i, p := range parts {
		if i < len(parts)-1 {
			c.text(p, folderShare)
			c.phrase(p+"/"+parts[i+1], phraseWorth)
			continue
		}
		if stem, ext, ok := strings.Cut(p, "."); ok && stem != "" && ext != "" {
			c.phrase(p, phraseWorth)
			if file || len(parts) > 1 {
				p = stem
			}
		}
		c.text(p, 1)
	}
}

// edit adds the clues of an edit: what it takes away and what it brings count
// more than what stands on both sides.
func (c *clues) edit(gone, added string) {
	one, other := &clues{at: make(map[string]int)}, &clues{at: make(map[string]int)}
	one.text(gone, textShare)
	other.text(added, textShare)
	for _, side := range [][]clue{one.all, other.all} {
		for _, k := range side {
			_, left := one.at[k.whole]
			_, right := other.at[k.whole]
			if left && right {
				k.share = contextShare
			}
			c.add(k)
		}
	}
}

// text adds the names and words of a text.
func (c *clues) text(text string, share float64) {
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '.'
	}) {
		if len(c.all) == mostClues {
			return
		}
		name = strings.Trim(name, "-_.")
		if code(name) {
			c.phrase(name, codeWorth)
		}
		found := terms.Query(name)
		switch {
		case len(found) == 0:
		case strings.ContainsFunc(name, func(r rune) bool { return r > 0x2e7f }):
			for _, t := range found {
				c.add(clue{whole: t, share: share})
			}
		case number(name):
			c.add(clue{whole: found[0], share: share})
		default:
			c.add(clue{whole: found[0], parts: found[1:], share: share})
			if stem, ext, ok := strings.Cut(name, "."); ok && ext != "" && !strings.Contains(ext, ".") {
				c.text(stem, share) // it may be a file's
			}
		}
	}
}

// code reports what errors are numbered by: capitals, then digits, perhaps with
// capitals behind.
func code(s string) bool {
	const least, digits = 5, 2
	n, capitals := 0, 0
	for _, r := range s {
		switch {
		case '0' <= r && r <= '9' && capitals > 0:
			n++
		case 'A' <= r && r <= 'Z':
			capitals++
		case r != '_' && r != '-':
			return false
		}
	}
	return len(s) >= least && n >= digits
}

// number reports a number or a version.
func number(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
}

func (c *clues) add(k clue) {
	if len(k.whole) < 2 || number(k.whole) && len(k.whole) < 3 {
		return
	}
	c.told = c.told || k.share >= contextShare && !terms.Common(k.whole)
	if i, ok := c.at[k.whole]; ok {
		c.all[i].share = math.Max(c.all[i].share, k.share)
		return
	}
	if len(c.all) < mostClues {
		c.at[k.whole] = len(c.all)
		c.all = append(c.all, k)
	}
}

// terms are what is searched for.
func (c *clues) terms() []string {
	var out []string
	have := make(map[string]bool)
	for _, k := range c.all {
		for _, t := range append([]string{k.whole}, k.parts...) {
			if !have[t] {
				have[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

// rarities are how seldom each word stands in memory, 0..1.
func rarities(words []string, c *memory.Candidates) map[string]float64 {
	const few = 10 // passages; among fewer, shares mean nothing
	out := make(map[string]float64, len(words))
	for i, w := range words {
		if df := float64(c.DF[i]); df > 0 {
			out[w] = math.Max(0, 1-math.Log(df)/math.Log(float64(c.N+few)))
		}
	}
	return out
}

// weighing is the worth of one passage as it is added up; no word counts twice.
type weighing struct {
	has     map[string]bool
	rare    map[string]float64
	counted map[string]bool
	sum     float64
}

func (w *weighing) count(term string, share, worth float64) {
	if w.has[term] && !w.counted[term] {
		w.counted[term] = true
		w.sum += share * worth * w.rare[term]
	}
}

func (w *weighing) word(term string, share float64) {
	worth := wordWorth
	if terms.Common(term) {
		worth = commonWorth
	}
	w.count(term, share, worth)
}

// worth is how much of what is done stands in a candidate for the words that were
// searched for.
func (c *clues) worth(h *memory.Candidate, words []string, rare map[string]float64) float64 {
	w := weighing{has: make(map[string]bool), rare: rare, counted: make(map[string]bool)}
	for i, n := range h.Matched {
		w.has[words[i]] = n > 0
	}
	for _, k := range c.all {
		if len(k.parts) > 0 && w.has[k.whole] {
			w.count(k.whole, k.share, nameWorth)
			for _, p := range k.parts {
				w.counted[p] = true
			}
		}
	}
	var order []string // of the passage's terms, once it is asked for
	for _, k := range c.all {
		if w.word(k.whole, k.share); w.has[k.whole] {
			continue
		}
		var parts []string
		for _, p := range k.parts {
			if w.has[p] {
				parts = append(parts, p)
			}
		}
		if len(parts) == 1 {
			w.word(parts[0], k.share*partsWorth)
			continue
		}
		for i, p := range parts {
			w.word(p, k.share)
			if i == 0 || len(k.parts) > mostParts || terms.Common(parts[i-1]) && terms.Common(p) {
				continue
			}
			if order == nil {
				order = terms.Index(h.Passage.Item.Content)
			}
			if sideBySide(order, parts[i-1], p) {
				w.sum += k.share * pairWorth
			}
		}
	}
	text := strings.ToLower(h.Passage.Item.Content)
	for _, p := range c.phrases {
		if stands(text, p.text) {
			w.sum += p.worth
		}
	}
	return w.sum
}

func sideBySide(order []string, a, b string) bool {
	for i := 1; i < len(order); i++ {
		if order[i-1] == a && order[i] == b {
			return true
		}
	}
	return false
}

// stands reports whether a phrase stands in a text and is no part of longer words
// there.
func stands(text, phrase string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], phrase)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(phrase)
		if !(at > 0 && wordly(text[at-1]) && wordly(phrase[0])) && !(end < len(text) && wordly(text[end]) && wordly(phrase[len(phrase)-1])) {
			return true
		}
		at = end
	}
}

func wordly(b byte) bool { return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' }
