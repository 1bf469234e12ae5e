package extract

import (
	"context"
	"math"
	"time"
)

// Statement is what a user said by the way, in a model's words.
type Statement struct {
	Text       string
	Confidence float64 // that it is worth keeping and meant to last, 0..1
	// Everywhere says that it holds in all projects of the user, not in this one
	// alone.
	Everywhere bool
	Triggers   []string // words of the text that should call it up
}

// Bounds of questions about one statement.
const (
	worthAnswer     = 30  // tokens
	statementAnswer = 200 // tokens
	worthTime       = 10 * time.Second
	statementTime   = 20 * time.Second
)

// Worth asks the small model whether a statement is worth keeping: what only sounds
// like one, mixes several things or promises out of a feeling is not.
func (x *Extractor) Worth(ctx context.Context, text string) (bool, error) {
	var answer struct{ Keep bool }
	c, err := x.ask(ctx, question{
		Purpose: Purpose{Feature: Statements, Patience: worthTime},
		name:    "worth", data: []document{{"said by the user", text}}, max: worthAnswer,
	}, &answer)
	c.Found = found(answer.Keep)
	x.o.Note(c)
	return answer.Keep, err
}

// Statement asks the larger model for a statement in words that can be understood
// by themselves; false when what it gives cannot be used.
func (x *Extractor) Statement(ctx context.Context, text string) (Statement, bool, error) {
	var answer struct {
		Confidence float64
		Scope      string
		Triggers   []string
		Statement  string
	}
	c, err := x.ask(ctx, question{
		Purpose: Purpose{Feature: Statements, Large: true, Patience: statementTime},
		name:    "statement", data: []document{{"said by the user", text}}, max: statementAnswer,
	}, &answer)
	s := Statement{
		Text: line(answer.Statement), Confidence: answer.Confidence, Everywhere: answer.Scope == "everywhere",
		Triggers: triggers(answer.Triggers, text),
	}
	usable := err == nil && sound(s.Text, text) && !math.IsNaN(s.Confidence) && s.Confidence >= 0 && s.Confidence <= 1
	c.Found, c.Refused = found(usable), found(err == nil && !usable)
	x.o.Note(c)
	return s, usable, err
}

func found(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
