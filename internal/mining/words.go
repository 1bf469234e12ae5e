package mining

import (
	"math"
	"slices"
	"unicode"

	"orihon/internal/meaning"
	"orihon/internal/terms"
)

// bag is a set of words by their numbers, in order.
type bag []int32

// lexicon numbers words, and counts in how many turns each stands.
type lexicon struct {
	number map[string]int32
	name   []string
	turns  []int32 // in how many turns
	last   []int32 // the last turn it was counted in, plus 1
	all    int     // turns; set once all are counted
	weigh  []float64
}

func newLexicon() *lexicon { return &lexicon{number: make(map[string]int32)} }

func (l *lexicon) of(word string) int32 {
	n, ok := l.number[word]
	if !ok {
		n = int32(len(l.name))
		l.number[word] = n
		l.name = append(l.name, word)
		l.turns, l.last = append(l.turns, 0), append(l.last, 0)
	}
	return n
}

// bag numbers words.
func (l *lexicon) bag(words []string) bag {
	out := make(bag, 0, len(words))
	for _, w := range words {
		out = append(out, l.of(w))
	}
	slices.Sort(out)
	return slices.Clip(slices.Compact(out))
}

// known are the numbers of those words that were seen.
func (l *lexicon) known(words []string) bag {
	var out bag
	for _, w := range words {
		if n, ok := l.number[w]; ok {
			out = append(out, n)
		}
	}
	return union(out)
}

// count notes that words stand in a turn.
func (l *lexicon) count(turn int, bags ...bag) {
	for _, b := range bags {
		for _, w := range b {
			if l.last[w] != int32(turn)+1 {
				l.last[w] = int32(turn) + 1
				l.turns[w]++
			}
		}
	}
}

// weight is how much a word says: rare here, and rare elsewhere.
func (l *lexicon) weight(w int32) float64 {
	if l.weigh == nil {
		l.weigh = make([]float64, len(l.name))
	}
	if l.weigh[w] == 0 {
		l.weigh[w] = l.measure(w)
	}
	return l.weigh[w]
}

func (l *lexicon) measure(w int32) float64 {
	here := math.Log(float64(l.all+1) / float64(l.turns[w]+1))
	return max(0.05, here) * (0.3 + meaning.Builtin().Rarity(l.name[w]))
}

// shared are the words of both.
func shared(a, b bag) bag {
	var out bag
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			out = append(out, a[i])
			i, j = i+1, j+1
		}
	}
	return out
}

// without are the words of a that b lacks.
func without(a, b bag) bag {
	var out bag
	for i, j := 0, 0; i < len(a); {
		switch {
		case j == len(b) || a[i] < b[j]:
			out = append(out, a[i])
			i++
		case a[i] > b[j]:
			j++
		default:
			i, j = i+1, j+1
		}
	}
	return out
}

func union(bags ...bag) bag {
	out := slices.Concat(bags...)
	slices.Sort(out)
	return slices.Compact(out)
}

// alike is the cosine of two bags by what their words say, and the weight of the
// word that says most among the shared.
func (l *lexicon) alike(a, b bag) (cosine, best float64) {
	if len(a) == 0 || len(b) == 0 {
		return 0, 0
	}
	both := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			x := l.weight(a[i])
			both += x * x
			best = max(best, x)
			i, j = i+1, j+1
		}
	}
	if both == 0 {
		return 0, 0
	}
	return both / math.Sqrt(l.square(a)*l.square(b)), best
}

// most is what the word says that says most.
func (l *lexicon) most(b bag) (most float64) {
	for _, x := range b {
		most = max(most, l.weight(x))
	}
	return most
}

// share is how much of what a says b says, too.
func (l *lexicon) share(a, b bag) float64 {
	if both := shared(a, b); len(both) > 0 {
		return l.square(both) / l.square(a)
	}
	return 0
}

func (l *lexicon) square(a bag) float64 {
	sum := 0.0
	for _, w := range a {
		x := l.weight(w)
		sum += x * x
	}
	return sum
}

// spoken are the words of something that was said.
func spoken(text string) []string { return terms.Query(text) }

// code are the words of code and command lines: names, parts of names, and signs
// that stand together.
func code(text string) []string {
	var out []string
	runes := []rune(text)
	for i := 0; i < len(runes); {
		j := i
		switch r := runes[i]; {
		case unicode.IsSpace(r):
			i++
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			for j < len(runes) && (unicode.IsLetter(runes[j]) || unicode.IsDigit(runes[j]) || runes[j] == '_') {
				j++
			}
			out = append(out, terms.Fold(string(runes[i:j])))
		default:
			for j < len(runes) && j < i+3 && !unicode.IsSpace(runes[j]) && !unicode.IsLetter(runes[j]) && !unicode.IsDigit(runes[j]) && runes[j] != '_' {
				j++
			}
			out = append(out, string(runes[i:j]))
		}
		i = j
	}
	return out
}

func bit(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// words are what a message is compared by.
func (t *turn) words() bag { return t.all }
