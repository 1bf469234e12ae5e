package inspect

import (
	"cmp"

	"orihon/llm"
	"orihon/window"
)

// zones tell where a message of a built context stands.
type zones struct {
	trimmed map[int]bool
	now     int // iteration of the messages before; 0 for what the user said
}

func newZones(r *Run) *zones {
	z := &zones{trimmed: map[int]bool{}}
	for _, b := range r.Blocks() {
		if b.Level != window.Trimmed || b.Open {
			continue
		}
		for n := b.Iterations[0]; n <= b.Iterations[1]; n++ {
			z.trimmed[n] = true
		}
		for _, n := range b.Except {
			delete(z.trimmed, n)
		}
	}
	return z
}

// place names the part and the zone of the next message. What its builder does
// not say of it is told by its role. What the user said stays whole where an
// iteration is trimmed; what is said without a call goes with what is before it.
func (z *zones) place(m *window.Placed) (part, zone string) {
	part = cmp.Or(string(m.Kind), string(m.Role))
	switch {
	case m.Role == llm.System:
		return part, string(window.ZoneStatic)
	case m.Zone != "":
		return part, string(m.Zone)
	case m.Role == llm.User:
		z.now = 0
	case m.Role == llm.Tool:
		part = "results"
		z.now = m.Iteration
	case len(m.Calls) > 0:
		z.now = m.Iteration
	}
	if z.trimmed[z.now] {
		return part, string(window.ZoneShortTerm)
	}
	return part, string(window.ZoneWorking)
}
