package terms

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

func TestTheTablesOfCharactersAreSortedAndFoldOnce(t *testing.T) {
	keys, values := []rune(hanKeys), []rune(hanValues)
	if len(keys) != len(values) || len(keys) < 2500 {
		t.Fatalf("%d characters fold to %d", len(keys), len(values))
	}
	for name, table := range map[string]string{"hanKeys": hanKeys, "hanValues": hanValues, "hanSimplified": hanSimplified} {
		if len(table) != 3*utf8.RuneCountInString(table) {
			t.Errorf("%s has characters that are not three bytes long", name)
		}
	}
	if !slices.IsSorted(keys) || !slices.IsSorted([]rune(hanSimplified)) {
		t.Error("a table is not sorted")
	}
	for i, k := range keys {
		if got := Simplified(k); got != values[i] {
			t.Fatalf("Simplified(%c) = %c, want %c", k, got, values[i])
		}
		if again := Simplified(values[i]); again != values[i] {
			t.Errorf("%c folds to %c, which folds to %c", k, values[i], again)
		}
	}
	for _, r := range []rune{0, 'a', hanFirst - 1, hanFirst, hanLast, hanLast + 1, '记', utf8.RuneError, utf8.MaxRune} {
		if got := Simplified(r); got != r {
			t.Errorf("Simplified(%U) = %U", r, got)
		}
	}
}

func TestListsAreSortedAndFolded(t *testing.T) {
	for name, text := range map[string]string{"common": commonText, "words": wordsText, "function": functionText} {
		l := newList(text)()
		var all []string
		for line := range strings.Lines(text) {
			if line, ok := strings.CutSuffix(line, "\n"); !ok || line == "" {
				t.Errorf("%s: %q is no line", name, line)
			} else if line[0] != '#' {
				all = append(all, line)
			}
		}
		if len(all) < 250 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("%s has %d words, or is not sorted without repeats", name, len(all))
		}
		for _, w := range all {
			if n := utf8.RuneCountInString(w); name != "common" && (n < 2 || n > longestWord) {
				t.Errorf("%q has %d characters", w, n)
			}
			if Fold(w) != w {
				t.Errorf("%q is not folded", w)
			}
			if !l.has(w) || l.has(w+"x") || l.has(w[:len(w)-1]+"\x00") {
				t.Errorf("%s does not find %q, or more", name, w)
			}
		}
		for _, w := range []string{"", "#", "\n", "\xff", "zzzz"} {
			if l.has(w) {
				t.Errorf("%s holds %q", name, w)
			}
		}
	}
}

func FuzzStemsAreThoseOfTheStemmer(f *testing.F) {
	for _, w := range []string{"running", "sessions", "nation", "skies", "early", "inning", "controll", "yyyy", "atlas", "ponies", "hopping"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, w string) {
		b := make([]byte, 0, len(w))
		for i := range min(len(w), maxRunes) {
			b = append(b, 'a'+w[i]%26)
		}
		word := string(b)
		if len(word) <= 3 {
			return
		}
		want := english.Stem(word, true)
		for range 2 { // the second is remembered
			if got := stem(word); got != want {
				t.Fatalf("stem(%q) = %q, want %q", word, got, want)
			}
		}
	})
}
