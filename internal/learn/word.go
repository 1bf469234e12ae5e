package learn

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

// reading is a statement taken apart.
type reading struct {
	folded string
	words  []word
	signs  string   // marks that change what is said: < > = ? and the like
	marks  uint32   // classes that occur, as bits
	pairs  []uint64 // of letters, see gramSet; made when first needed
	plain  string   // see normal; made when first needed
	meant  *gist    // see gist; made when first needed
}

func (r *reading) has(c class) bool { return r.marks&(1<<c) != 0 }

// index is where the first word of a kind stands, -1 where none does.
func (r *reading) index(is func(w *word) bool) int {
	for i := range r.words {
		if is(&r.words[i]) {
			return i
		}
	}
	return -1
}

func (r *reading) says(words ...string) bool {
	return r.index(func(w *word) bool { return slices.Contains(words, w.text) }) >= 0
}

func (r *reading) denies() bool { return r.index(func(w *word) bool { return w.neg }) >= 0 }

func (r *reading) textAt(i int) string {
	if i < len(r.words) {
		return r.words[i].text
	}
	return ""
}

// normal is the text as [normal] has it.
func (r *reading) normal() string {
	if r.plain == "" {
		r.plain = normal(r.folded)
	}
	return r.plain
}

// word is one word of a statement as the rules see it.
type word struct {
	text  string // folded
	key   string // what it is compared by: a stem, an axis, a category
	class class
	sign  int8 // side of an axis
	neg   bool // denied
	val   value

	subject   bool // stands before the predicate
	qualifies bool // restricts where or when the rest holds
	leads     bool // such a restriction stands before the rest
	reason    bool // explains
	clause    int

	// Settled when all else is: what it is compared by, and its weight.
	known bool
	id    string
	heft  float64
}

// weight is how much a word says about what the statement is about.
func (w *word) weight() float64 {
	if w.known {
		return w.heft
	}
	switch w.class {
	case content:
		if r, size := utf8.DecodeRuneInString(w.text); size == len(w.text) && unicode.Is(unicode.Han, r) {
			return 0.5
		}
		if terms.Common(w.key) {
			return 0.7
		}
		return 1
	case quantity, member, placed, axis:
		return 1
	}
	return 0
}

// says reports whether a word carries meaning of its own.
func (w *word) says() bool { return w.weight() > 0 && !w.reason }

// when reports words that say at what time, wherever they stand.
func (w *word) when() bool {
	return w.class == placed && w.key == "when" || w.class == member && (w.key == "weekday" || w.key == "month" || w.key == "daytime" || w.key == "frequency")
}

// name is what a word is when it is held against another one.
func (w *word) name() string {
	if w.known {
		return w.id
	}
	switch w.class {
	case quantity:
		return w.val.dim + "\x00" + strconv.FormatFloat(w.val.number, 'g', -1, 64) + "\x00" + w.val.text
	case content:
		return w.key
	case member:
		return memberName(w)
	}
	return stem(w.text)
}

// memberName gives members of a category one name in both languages.
func memberName(w *word) string {
	switch w.key {
	case "weekday":
		if day := weekdayNumber(w.text); day > 0 && w.text != "周末" {
			return "weekday " + string(rune('0'+int(day)))
		}
	case "language":
		return cmp.Or(strings.ReplaceAll(lists.Table("language-name")[w.text], "_", " "), w.text)
	case "indentation":
		switch w.text {
		case "tab", "tabs", "制表符", "定位字元":
			return "tab"
		}
		return "space"
	}
	return stem(w.text)
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }
