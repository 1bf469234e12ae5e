package extract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/tokens"
)

// Piece is something that a conversation teaches.
type Piece struct {
	Type    string // fact, procedure, architecture, pitfall or decision
	Content string
}

// Stream is how a conversation is read.
type Stream struct {
	Purpose
	Most   int // pieces to take
	Tokens int // of the conversation, its end
}

// The streams.
func streamOf(feature string, large bool, patience time.Duration, most, text int) Stream {
	return Stream{Purpose{Feature: feature, Large: large, Patience: patience}, most, text}
}

// QuickStream reads the last answer for what the same session will need.
func QuickStream() Stream { return streamOf(Quick, false, 15*time.Second, 3, 2000) }

// TurnStream reads what was said since the last time.
func TurnStream() Stream { return streamOf(Turns, false, 15*time.Second, 3, 3000) }

// DeepStream reads the same with the larger model.
func DeepStream() Stream { return streamOf(Deep, true, 30*time.Second, 3, 3000) }

// EndStream reads a whole session, of which 20,000 characters are sent at most.
func EndStream() Stream { return streamOf(Consolidation, true, 10*time.Second, 5, 5000) }

// Said is a part of a conversation.
type Said struct {
	User bool
	Text string
}

// maxKnown is how much of what is known already is told to a model, in tokens.
const maxKnown = 600

// Knowledge asks what a conversation teaches beyond what is known already. Pieces
// that say too much, or what the conversation does not say, are refused. They may be
// more than were asked for, and known: the caller, who can tell, takes s.Most of the rest.
func (x *Extractor) Knowledge(ctx context.Context, s Stream, talk []Said, known []string) ([]Piece, error) {
	parts := ending(talk, s.Tokens)
	q := question{Purpose: s.Purpose, name: "knowledge", most: s.Tokens + maxKnown, max: 120 * s.Most}
	if len(known) > 0 {
		q.data = append(q.data, document{"known already", tokens.Fit("- "+strings.Join(known, "\n- "), maxKnown)})
	}
	q.data = append(q.data, document{fmt.Sprintf("conversation, of which at most %d pieces are wanted", s.Most), strings.Join(parts, "\n")})
	var answer struct {
		Pieces []struct{ Type, Content string }
	}
	c, err := x.ask(ctx, q, &answer)
	passages := parts // each with what was said next: an answer needs its question
	for i := 1; i < len(parts); i++ {
		passages[i-1] += "\n" + parts[i]
	}
	var out []Piece
	for _, p := range answer.Pieces {
		piece := Piece{p.Type, line(p.Content)}
		if err != nil || !sound(piece.Content, passages...) || slices.Contains(out, piece) {
			c.Refused++
			continue
		}
		out = append(out, piece)
	}
	c.Found = len(out)
	x.o.Note(c)
	return out, err
}

// ending is the end of a conversation, what was said one by one, as far as it costs at
// most so many tokens. Of a part that is too long the beginning is taken.
func ending(talk []Said, most int) []string {
	var parts []string
	left := most
	for _, s := range slices.Backward(talk) {
		who := "agent: "
		if s.User {
			who = "user: "
		}
		part := tokens.Fit(who+strings.TrimSpace(s.Text), left)
		if left -= tokens.Estimate(part) + 1; part == "" || left < 0 {
			break
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return parts
}
