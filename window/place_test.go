package window_test

import (
	"context"
	"strings"
	"testing"

	"orihon/journal"
	"orihon/llm"
	"orihon/window"
)

// What a message is comes from whoever built it: a prompt that reads like a mark
// of the builder is a prompt.
func TestABuilderSaysWhatItsMessagesAre(t *testing.T) {
	s := &script{t: t, events: coding(t, 14)}
	s.user("[F1: iterations 1–2, 3 tokens] is what I saw")
	v := journal.NewView()
	b := newBuilder(t, window.Folding, nil)
	in := window.Input{System: "You are careful.", Task: "Round half up.", Limit: 6000}
	wire := drive(t, b, v, s.events, in)
	in.View = v
	placed, err := window.BuildPlaced(context.Background(), b, in)
	if err != nil || len(placed) != len(wire) {
		t.Fatalf("%d messages, %d are sent, %v", len(placed), len(wire), err)
	}
	seen := map[window.Zone]int{}
	last := 0
	for _, m := range placed {
		seen[m.Zone]++
		begins := func(mark string) bool { return strings.HasPrefix(m.Text, mark) }
		var kind window.Kind
		switch {
		case m.Iteration > 0:
			if m.Iteration < last || m.Zone != "" {
				t.Errorf("a message of iteration %d in zone %q follows one of iteration %d", m.Iteration, m.Zone, last)
			}
			last = m.Iteration
		case begins("Task: "):
			kind = window.KindTask
		case begins("Parts of this run"), begins("[F"):
			kind = window.KindFolds
		case begins("[Recalled from "):
			kind = window.KindRecalled
		case begins("[Where things stand"):
			kind = window.KindStatus
		case m.Role != llm.System:
			t.Errorf("%q is of no iteration", m.Text)
		}
		if m.Kind != kind {
			t.Errorf("%.40q is of the kind %q, want %q", m.Text, m.Kind, kind)
		}
	}
	if seen[window.ZoneStatic] != 2 || seen[window.ZoneLongTerm] == 0 || seen[window.ZoneDynamic] != 1 || last == 0 {
		t.Errorf("zones %v, the last iteration is %d", seen, last)
	}
}
