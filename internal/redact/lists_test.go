package redact

import (
	"math"
	"strings"
	"testing"
)

func TestTheListsCanBeRead(t *testing.T) {
	for _, sh := range readShapes() {
		sh.read()
		f := strings.Fields(sh.line)
		if len(sh.parts) == 0 || names[sh.rule] != f[0] || len(f) > 3 || len(f) == 3 && needNames[sh.need] != f[2] {
			t.Errorf("shapes.txt: %q makes no sense", sh.line)
		}
		if sh.beside == "" && len(sh.key) < 2 {
			t.Errorf("shapes.txt: %q has no text to look for", sh.line)
		}
	}
	for _, c := range readCommands() {
		if c.read(); len(c.slots) == 0 {
			t.Errorf("commands.txt: %v takes no password", c.names)
		}
	}
	if got := len(listNames); list(1)<<(got-1) != objectID {
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

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		build()
	}
}
