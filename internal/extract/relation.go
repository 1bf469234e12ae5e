package extract

import (
	"context"
	"time"
)

// Relation asks how a newer statement stands to an older one: contradicts, extends,
// duplicates, unrelated, or unknown.
func (x *Extractor) Relation(ctx context.Context, older, newer string) (string, error) {
	var answer struct{ Relation string }
	const most, patience = 400, 10 * time.Second
	c, err := x.ask(ctx, question{
		Purpose: Purpose{Feature: Conflicts, Patience: patience},
		name:    "relation", most: most, max: 30,
		data: []document{{"older", older}, {"newer", newer}},
	}, &answer)
	c.Found = found(err == nil && answer.Relation != "unknown")
	x.o.Note(c)
	return answer.Relation, err
}
