package redact

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTheListsCanBeRead(t *testing.T) {
	for _, sh := range shapes() {
		sh.once.Do(sh.read)
		f := strings.Fields(sh.line)
		if len(sh.parts) == 0 || names[sh.rule] != f[0] || len(f) > 3 || len(f) == 3 && needNames[sh.need] != f[2] {
			t.Errorf("shapes.txt: %q makes no sense", sh.line)
		}
		if sh.beside == "" && len(sh.key) < 2 {
			t.Errorf("shapes.txt: %q has no text to look for", sh.line)
		}
	}
	for _, c := range commands() {
		if c.once.Do(c.read); len(c.slots) == 0 {
			t.Errorf("commands.txt: %v takes no password", c.names)
		}
	}
	if got := len(listNames); list(1)<<(got-1) != fileShower {
		t.Errorf("words.go names %d lists, the last of which is not the last bit", got)
	}
	for n, name := range listNames {
		found := false
		for _, in := range wordLists() {
			found = found || in&(1<<n) != 0
		}
		if !found {
			t.Errorf("words.txt has no list %s", name)
		}
	}
}

// The automaton's tables are sized for what the lists hold today.
func TestTheAutomatonHasRoom(t *testing.T) {
	m := machine()
	most := uint8(0)
	for _, c := range m.class {
		most = max(most, c)
	}
	if most >= 1<<classBits || len(m.states) > math.MaxUint16 {
		t.Errorf("%d classes and %d states: more than there is room for", most+1, len(m.states))
	}
}

// A text that is taken for wordless is not looked at any closer.
func TestAWordlessTextHoldsNoSecret(t *testing.T) {
	var parts []string
	for _, sh := range shapes() {
		parts = append(parts, sh.key, strings.ToUpper(sh.beside), sh.key[:len(sh.key)/2], sh.key[len(sh.key)/2:])
	}
	for _, c := range cues {
		parts = append(parts, c.words...)
	}
	parts = append(parts, "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6", "0123456789abcdef", "=", ": ", "/srv/", "/", "\xff", "İ")
	random, passed := rand.New(rand.NewPCG(1, 2)), 0
	for range 20_000 {
		var s string
		for range 1 + random.IntN(5) {
			s += parts[random.IntN(len(parts))]
		}
		sc := scan{s: s, words: machine().words, off: new([ruleCount]bool)}
		machine().each(s, sc.hit)
		if wordless(s) {
			passed++
			if len(sc.spans) > 0 {
				t.Fatalf("%q holds a secret and is taken for wordless", s)
			}
		}
	}
	if passed == 0 {
		t.Error("no text was taken for wordless")
	}
}

func BenchmarkWordless(b *testing.B) {
	for b.Loop() {
		wordless("dir:/home/ann/src/github.com/ann/a-shop/services/orders")
	}
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		build()
	}
}
