package score

import (
	"context"
	"fmt"
	"strings"

	"orihon/internal/terms"
	"orihon/memory"
)

// Entry is a passage with what it is found by.
type Entry struct {
	Passage memory.Passage // without its neighbours
	Own     []string       // terms of its own text and of the phrases it is looked for by
	Near    [2][]string    // terms of the neighbours at distance 1 and 2
	Words   string         // see [memory.Candidate]; empty for turns of conversations
	Vector  *Vector        // nil when there is none
}

// Prepare cuts a passage and its neighbours into terms.
func Prepare(p *memory.Passage) Entry {
	e := Entry{Passage: *p, Own: terms.Index(Meaning(p))}
	for _, n := range p.Near {
		d := min(max(n.Distance, 1), 2) - 1
		e.Near[d] = append(e.Near[d], terms.Index(n.Text)...)
	}
	e.Passage.Near = nil
	if !p.Conversation() {
		e.Words = Words(&p.Item)
	}
	return e
}

// Words are those of an item, see [memory.Candidate].
func Words(it *memory.Item) string {
	var b strings.Builder
	b.WriteString(strings.Join(terms.Query(it.Content), " "))
	for _, phrase := range it.Phrases() {
		b.WriteString("\n" + strings.Join(terms.Query(phrase), " "))
	}
	return b.String()
}

// Text is what a passage is found by: its text with the title and the headings
// it stands under.
func Text(p *memory.Passage) string {
	parts := make([]string, 0, 4)
	for _, s := range []string{p.Heading, p.Item.Title, p.Item.Content} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// Meaning is what the vector of a passage is made of: what it is found by, with the
// phrases that it is looked for by.
func Meaning(p *memory.Passage) string {
	return strings.Join(append(p.Item.Phrases(), Text(p)), "\n")
}

// Embed returns the vectors of texts.
func Embed(ctx context.Context, e memory.Embedder, texts []string) ([]*Vector, error) {
	embedded, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	if len(embedded) != len(texts) {
		return nil, fmt.Errorf("embed: %s gave %d vectors for %d texts", e.ID(), len(embedded), len(texts))
	}
	out := make([]*Vector, len(texts))
	var r *Rotation
	for i, v := range embedded {
		if r == nil {
			r = NewRotation(len(v))
		}
		if out[i] = r.Vector(v); out[i] == nil || len(v) == 0 {
			return nil, fmt.Errorf("embed: %s gave a vector of %d dimensions beside one of %d", e.ID(), len(v), r.dim)
		}
	}
	return out, nil
}
