package guard_test

import (
	"slices"
	"testing"

	"orihon/guard"
)

// What the project's commands say is passed on whole: each that speaks, once for
// what it says, and one block with the reasons of all that block.
func TestEveryCommandIsHeard(t *testing.T) {
	say := func(text string) guard.Verdict { return guard.Verdict{Do: guard.Say, Text: text, Why: "by " + text} }
	block := func(text string) guard.Verdict {
		return guard.Verdict{Do: guard.Block, Text: text, Why: "by " + text}
	}
	g := guard.New(nil)
	var st guard.State
	for _, c := range []struct {
		name   string
		others []guard.Verdict
		says   []string
		blocks string
	}{
		{"none", nil, nil, ""},
		{"two that speak", []guard.Verdict{say("the port is taken"), say("the branch is old")}, []string{"the port is taken", "the branch is old"}, ""},
		{"one of them again, beside a new one", []guard.Verdict{say("the branch is old"), say("the disk is full")}, []string{"the disk is full"}, ""},
		{"two that block", []guard.Verdict{block("no tests"), say("by the way"), block("no notes")}, nil, "no tests; no notes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := g.Judge(t.Context(), &guard.Event{Kind: guard.Acting, Others: c.others}, &st)
			var says []string
			for _, v := range d.Say {
				if v.Rule != guard.OthersRule {
					t.Errorf("%q is said by %q", v.Text, v.Rule)
				}
				says = append(says, v.Text)
			}
			if !slices.Equal(says, c.says) {
				t.Errorf("said %q, want %q", says, c.says)
			}
			switch {
			case d.Block == nil && c.blocks != "":
				t.Errorf("nothing blocks, want %q", c.blocks)
			case d.Block != nil && d.Block.Text != c.blocks:
				t.Errorf("blocked by %q, want %q", d.Block.Text, c.blocks)
			}
		})
	}
}
