package opening

import (
	"slices"
	"time"

	"orihon/internal/inert"
	"orihon/internal/wording"
	"orihon/memory"
)

// Heard is what the user said by the way and nobody has confirmed. It is told behind what
// is known, among what was kept of such things, with its day and the latest first, so that
// a later word is seen before the one that it ends.
type Heard struct {
	Items []memory.Item // the latest first
	// Judged says that an agent is asked about such things. From when on one has given
	// phrases to anything it is taken to answer, and what it did not keep is not told.
	Judged    bool
	MaxTokens int // of what is told of it
}

// told are items with the lines that tell them.
type told struct {
	items []memory.Item
	lines []string
}

// next takes the first line.
func (t *told) next() (line string) {
	line, t.items, t.lines = t.lines[0], t.items[1:], t.lines[1:]
	return line
}

// lines are what is told of what was heard. What the window holds is not told again.
func (v *view) lines(o *Options, known []worthy) (out told) {
	h := &o.Heard
	if o.KnownTokens < 0 || h.Judged && slices.ContainsFunc(known, func(w worthy) bool { return len(w.Item.NeededWhen) > 0 }) {
		return told{}
	}
	cost := wording.CostOf("\n" + v.Words.Heard + "\n")
	for i := range h.Items {
		it := &h.Items[i]
		if o.Seen != nil && slices.ContainsFunc(it.Metadata.Evidence, func(turn string) bool { return o.Seen(turn, "") }) {
			continue
		}
		line := "- " + wording.Inset(inert.Text(it.Content), "  ") + " (" + it.Metadata.CreatedAt.In(v.Today.Location()).Format(time.DateOnly) + ")"
		if cost = cost.Plus(wording.CostOf(line + "\n")); cost.Quarters > 4*h.MaxTokens {
			break
		}
		out.items, out.lines = append(out.items, *it), append(out.lines, line)
	}
	return out
}
