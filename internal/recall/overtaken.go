package recall

import (
	"slices"
	"time"

	"orihon/internal/meaning"
	"orihon/internal/terms"
	"orihon/memory"
)

// overtaken leaves out what was said or done of a matter of which memory knows otherwise
// by now, and brings the statement that says so, where the window does not hold it: a
// turn or an episode says what held then, and looks as if it held still.
func (e *Engine) overtaken(q *memory.Query, hits []memory.Hit) {
	if !q.AsOf.IsZero() {
		return
	}
	var now []*claim
	for i := range hits {
		if h := &hits[i]; current(h) {
			now = append(now, claimed(h, h.Passage.Item.Content))
		}
	}
	for i := range hits {
		h := &hits[i]
		if !h.Kept || !h.Passage.Conversation() && h.Passage.Item.Kind != memory.Episodic {
			continue
		}
		for s := range terms.Sentences(h.Passage.Item.Content) {
			said := claimed(h, s)
			at := slices.IndexFunc(now, func(c *claim) bool { return c.since(said) && c.rivals(said) })
			if at < 0 {
				continue
			}
			h.Kept, h.Why = false, "told otherwise since by "+now[at].hit.Passage.ID
			if !now[at].hit.Kept {
				admitted(q, now[at].hit)
			}
			break
		}
	}
}

// current reports whether a hit is a statement of somebody here that holds now.
func current(h *memory.Hit) bool {
	return statement(h) && h.Passage.SupersededBy == "" && h.Passage.Item.Metadata.Source != memory.FromRepository && h.Passage.Item.Metadata.Source != memory.Imported
}

// claim is what a text says of which matter.
type claim struct {
	hit    *memory.Hit
	text   string
	words  []string
	vector meaning.Vector
	says   specifics
}

func claimed(h *memory.Hit, text string) *claim {
	c := &claim{hit: h, text: text, words: terms.Query(text)}
	c.vector = meaning.Builtin().Encode(c.words, nil)
	c.says = specificsOf(text)
	return c
}

// since reports whether a claim was made, or put in these words, after another.
func (c *claim) since(other *claim) bool {
	return worded(&c.hit.Passage.Item).After(other.hit.Passage.Item.Metadata.CreatedAt)
}

// rivals reports whether two claims are about one matter, and each gives a value or a
// name for it that the other does not.
func (c *claim) rivals(other *claim) bool {
	least := likeMatter
	if c.from(other.hit) {
		least /= 2
	}
	return c.says.rival(other.says) && !anotherThing(c.text, other.text) && sameMatter(c.words, other.words, c.vector, other.vector) >= least
}

// from reports whether a claim was taken from what a hit tells: a turn, or the request of
// an episode.
func (c *claim) from(h *memory.Hit) bool {
	turns := append(slices.Clone(h.Passage.Item.Metadata.Evidence), h.Passage.ID)
	return slices.ContainsFunc(c.hit.Passage.Item.Metadata.Evidence, func(turn string) bool { return slices.Contains(turns, turn) })
}

// worded is when a statement was put in its present words.
func worded(it *memory.Item) time.Time {
	if m := &it.Metadata; m.RewordedAt.After(m.CreatedAt) {
		return m.RewordedAt
	}
	return it.Metadata.CreatedAt
}
