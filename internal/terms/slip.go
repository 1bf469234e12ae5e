package terms

import "strconv"

// Bounds of what is taken for a slip of the keyboard.
const (
	leastTyped = 5 // letters of a word that may be mistyped
	leastMeant = 4 // of the term that may be meant: stems are shorter than words
	longWord   = 8 // from here on two slips are looked for
)

// Slips is how many slips of the keyboard a term may hold: letters left out, put
// in, changed, or two side by side in the wrong order; 0 for one that is short or
// has other signs than Latin letters.
func Slips(term string) int {
	switch {
	case len(term) < leastTyped || !latin(term):
		return 0
	case len(term) < longWord:
		return 1
	}
	return 2
}

// Slipped reports by how many slips a typed term differs from a known one, at most
// most+1. They begin with the same letter, which is seldom mistyped.
func Slipped(typed, known string, most int) int {
	if typed == "" || known == "" || typed[0] != known[0] || len(typed)-len(known) > most || len(known)-len(typed) > most {
		return most + 1
	}
	if max(len(typed), len(known)) > maxRunes {
		return most + 1
	}
	// Rows of the table of edit distances: the one of the letters so far, and the
	// two above it.
	var now, above, two [maxRunes + 1]int
	for j := range len(known) + 1 {
		now[j] = j
	}
	for i := 1; i <= len(typed); i++ {
		two, above = above, now
		now[0] = i
		for j := 1; j <= len(known); j++ {
			now[j] = min(above[j]+1, now[j-1]+1, above[j-1]+changed(typed[i-1], known[j-1]))
			if i > 1 && j > 1 && typed[i-1] == known[j-2] && typed[i-2] == known[j-1] {
				now[j] = min(now[j], two[j-2]+1)
			}
		}
	}
	return min(most+1, now[len(known)])
}

func changed(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}

// Halves are what a term of an index is found by when it is mistyped: its length
// with its first half and with its second, of which one slip leaves one as it is;
// none for a term that is too short or has other signs than Latin letters.
func Halves(term string) []string {
	if len(term) < leastMeant || !latin(term) {
		return nil
	}
	h := len(term) / 2
	return []string{half(len(term), '<', term[:h]), half(len(term), '>', term[h:])}
}

// TypedHalves are the halves of all terms that a typed one may be meant for.
func TypedHalves(typed string) []string {
	most := Slips(typed)
	if most == 0 {
		return nil
	}
	var out []string
	for n := len(typed) - most; n <= len(typed)+most; n++ {
		h := n / 2
		if n < leastMeant || h > len(typed) || n-h > len(typed) {
			continue
		}
		out = append(out, half(n, '<', typed[:h]), half(n, '>', typed[len(typed)-(n-h):]))
	}
	// Two letters in the wrong order may stand on both sides of the middle.
	h, swapped := len(typed)/2, []byte(typed)
	swapped[h-1], swapped[h] = swapped[h], swapped[h-1]
	return append(out, half(len(typed), '<', string(swapped[:h])))
}

func half(n int, side byte, letters string) string {
	return strconv.Itoa(n) + string(side) + letters
}

func latin(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}
