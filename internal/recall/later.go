package recall

import (
	"math"
	"slices"

	"orihon/internal/asks"
	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/terms"
	"orihon/memory"
)

// later brings with everything told by the way that is to be shown what was told so
// later of the same matter, when the prompt found it too: it may be what holds now.
// Both are shown, the later one first. What is remembered on purpose is held against
// what comes later when that is read, and is left to [Engine.successors]: on the lives
// of ten developers with past sessions, its later words cost five points of precision.
func (e *Engine) later(q *memory.Query, p *parsed, hits []memory.Hit) {
	if !p.told || !q.AsOf.IsZero() {
		return
	}
	n := len(hits)
	vectors := make([]meaning.Vector, n)
	words := make([][]string, n)
	read := func(i int) {
		if words[i] == nil {
			words[i] = terms.Query(hits[i].Passage.Item.Content)
			vectors[i] = meaning.Builtin().Encode(words[i], nil)
		}
	}
	for i := range hits {
		if h := &hits[i]; !h.Kept || !byTheWay(h) {
			continue
		}
		read(i)
		best, at := likeMatter, -1
		for j := range hits {
			if i == j || !follows(&hits[i], &hits[j]) {
				continue
			}
			read(j)
			if like := sameMatter(words[i], words[j], vectors[i], vectors[j]); like >= best && tellsOf(&hits[j], &hits[i]) {
				best, at = like, j
			}
		}
		if at < 0 {
			continue
		}
		if !hits[at].Kept {
			admitted(q, &hits[at])
		}
		if hits[at].Kept {
			hits[i].Later = hits[at].Passage.ID
		}
	}
}

// follows reports whether b was told by the way in a later session than a.
func follows(a, b *memory.Hit) bool {
	m, n := &a.Passage.Item.Metadata, &b.Passage.Item.Metadata
	return byTheWay(b) && n.CreatedAt.After(m.CreatedAt) && (m.Session == "" || m.Session != n.Session)
}

// byTheWay reports whether the user told a hit by the way: a turn, or a statement that
// was taken from one and still holds.
func byTheWay(h *memory.Hit) bool {
	m := &h.Passage.Item.Metadata
	return h.Passage.Population == memory.UserTurns || slices.Contains(m.Tags, memory.NoticedTag) && h.Passage.SupersededBy == ""
}

// tellsOf reports whether a hit may say what holds of what an older one tells: a question
// does not, nor does a request to forget, or what says nothing and gives no other value or
// name, as an order does; nor what is said of another thing of the same kind.
func tellsOf(h, older *memory.Hit) bool {
	const somewhat = 0.25 // likely to hold something worth keeping
	text, other := h.Passage.Item.Content, older.Passage.Item.Content
	if anotherThing(text, other) {
		return false
	}
	return h.Passage.Population != memory.UserTurns ||
		!asks.Only(text) && !disowns(h) && (reader.Tells(text) >= somewhat || specificsOf(text).rival(specificsOf(other)))
}

// likeMatter is from which likeness on two texts are held to be about one matter. On
// 120 pairs by two writers, each among 38 other sayings of the same workplace, what
// is likest and reaches it changes the older one in 22 of 30, is about the same and
// changes nothing in 4, and is of another matter in 4.
const likeMatter = 0.64

// sameMatter is how like two texts are: how rare the words are that both hold, and
// the cosine of their vectors.
func sameMatter(a, b []string, u, v meaning.Vector) float64 {
	const shared, cosine = 0.3, 0.5
	held := make(map[string]bool, len(a))
	for _, w := range a {
		held[w] = true
	}
	both := 0.0
	for _, w := range b {
		if held[w] {
			both += meaning.Builtin().Rarity(w)
			held[w] = false
		}
	}
	return shared*both + cosine*math.Max(0, u.Cosine(v))
}
