package opening

import (
	"slices"
	"time"

	"orihon/internal/inert"
	"orihon/internal/wording"
	"orihon/memory"
)

// Heard is what the user said by the way and nobody has confirmed. It is told behind what
// is known, with its day and the latest first, so that a later word is seen beside the one
// that it ends.
type Heard struct {
	Items []memory.Item // the latest first
	// Judged says that an agent is asked about such things. From when on one has given
	// phrases to anything it is taken to answer, and what it did not keep is not told.
	Judged    bool
	MaxTokens int // of what is told of it
}

// lines are what is told of what was heard. What the window holds is not told again.
func (v *view) lines(o *Options, known []worthy) (items []memory.Item, lines []string) {
	h := &o.Heard
	if o.KnownTokens < 0 || h.Judged && slices.ContainsFunc(known, func(w worthy) bool { return len(w.Item.NeededWhen) > 0 }) {
		return nil, nil
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
		items, lines = append(items, *it), append(lines, line)
	}
	return items, lines
}
