package mining

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/reader"
)

// facts are what tells whether a turn takes back what was done before it: what the
// person said, and what the agent did then.
type facts [factCount]float64

// The facts, in the order of the model.
const (
	factOne = iota // always 1
	factDid        // something was done before
	factChanged
	factSameFile // a file is changed that was changed just before
	factUndone   // how much of what goes had come just before
	factUndoneAny
	factRewritten // nothing but what was changed before is changed
	factSameCommand
	factTakesBack // a command that takes back: amend, reset, uninstall
	factNothing   // nothing is done for it
	factFirst
	factLength
	factAsks
	factExclaims
	factNames    // it names something that had come just before
	factNamesNew // it names something that comes now
	factNot      // what it names goes
	factTone     // and beyond: the reader's states

	factOver  = factTone + reader.States // and beyond: it says that something is over, see [sayings]
	factCount = factOver + len(overKinds)
)

func (c *Corpus) factsOf(n, first int, said string, tone []uint8, over says) (f facts) {
	t := &c.turns[n]
	f[factOne] = 1
	copy(f[factOver:], over[:])
	for i, p := range tone[:min(len(tone), reader.States)] {
		f[factTone+i] = float64(p) / 100
	}
	f[factLength] = math.Log(float64(1+utf8.RuneCountInString(said))) - 4
	if strings.ContainsAny(said, "?？") {
		f[factAsks] = 1
	}
	if strings.ContainsAny(said, "!！") {
		f[factExclaims] = 1
	}
	if t.from == t.to {
		f[factNothing] = 1
	}
	if n == first {
		f[factFirst] = 1
		return f
	}
	last := &c.turns[n-1]
	if last.to > last.from {
		f[factDid] = 1
	}
	came := union(last.added, last.ran)
	if n-1 > first {
		came = union(came, c.turns[n-2].added)
	}
	if len(came) > 0 {
		f[factChanged] = 1
	}
	changed, again, others := c.changedFiles(last), false, false
	var programs bag
	for k := last.from; k < last.to; k++ {
		if x := &c.calls[k]; !x.edits && x.file < 0 && !x.looks {
			programs = append(programs, x.closest)
		}
	}
	for k := t.from; k < t.to; k++ {
		x := &c.calls[k]
		switch {
		case x.edits && slices.Contains(changed, x.file):
			again = true
		case x.edits:
			others = true
		case slices.Contains(programs, x.closest) && !x.looks:
			f[factSameCommand] = 1
		}
		for _, s := range x.steps {
			if takesBack(c.kinds.name[s]) {
				f[factTakesBack] = 1
			}
		}
	}
	if again {
		f[factSameFile] = 1
		if !others {
			f[factRewritten] = 1
		}
	}
	if len(t.gone) > 0 {
		undone := shared(t.gone, last.added)
		f[factUndone] = float64(len(undone)) / float64(len(t.gone))
		if len(undone) > 0 {
			f[factUndoneAny] = 1
		}
	}
	if len(shared(t.said, came)) > 0 {
		f[factNames] = 1
	}
	if len(shared(t.said, without(union(t.added, t.ran), came))) > 0 {
		f[factNamesNew] = 1
	}
	if len(shared(t.said, t.gone)) > 0 {
		f[factNot] = 1
	}
	return f
}

func (c *Corpus) changedFiles(t *turn) bag {
	var out bag
	for k := t.from; k < t.to; k++ {
		if x := &c.calls[k]; x.edits {
			out = append(out, x.file)
		}
	}
	return union(out)
}

// takesBack reports a step that takes something back.
func takesBack(step string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(step, func(r rune) bool { return r == ' ' || r == ':' }), takesBackWord)
}

func takesBackWord(w string) bool {
	switch w {
	case "--amend", "reset", "revert", "restore", "uninstall", "remove", "rm", "kill", "pkill", "--abort", "down", "rollback", "unstage", "--soft", "mv":
		return true
	}
	return false
}
