package follow

import (
	"context"
	"path/filepath"
	"strings"

	"orihon/internal/extract"
	"orihon/internal/jsonl"
	"orihon/internal/learn"
	"orihon/internal/session"
	"orihon/internal/space"
	"orihon/internal/tokens"
	"orihon/internal/verbs"
	"orihon/memory"
)

// What becomes of a statement, by how sure a model is.
const (
	modelSure   = 0.92 // kept
	modelLikely = 0.70 // waits for a person; below it is dropped
)

// consultation asks models within the budget of a session.
type consultation struct {
	v       *verbs.Verbs
	x       *extract.Extractor
	session *Session // nil when it is nobody's
	used    int      // tokens of the user's words that models have read
}

// consultation is that of a session, or of nobody when it is nil.
func (f *Sessions) consultation(s *Session) *consultation {
	c := &consultation{v: f.v, session: s}
	o := extract.Options{Model: f.model, Now: f.v.Now}
	if s != nil {
		c.used, o.Note = s.state.Extracted.Tokens, s.called
	}
	c.x = extract.New(o)
	return c
}

// called notes a call, beside the journal.
func (s *Session) called(c extract.Call) {
	line, err := jsonl.Encode(c)
	if err == nil {
		_, err = jsonl.Append(context.Background(), filepath.Join(s.dir, session.CallsName), nil, line)
	}
	if err != nil {
		s.v.Log.Warn("session: a call is not noted", "session", s.start.ID, "err", err)
	}
}

// settle asks about the statements that the reader is not sure of: the small model
// whether they are worth keeping, the larger one for their words. Where it gets no
// answer, or the budget is spent, they stay as they are.
func (c *consultation) settle(ctx context.Context, said []statement) {
	budget := c.v.Config.Extract.SessionTokens
	for i := range said {
		s := &said[i]
		n := tokens.Estimate(s.Text)
		if !s.doubtful() || !c.may(ctx, n, budget) {
			continue
		}
		worth, err := c.x.Worth(ctx, s.Text)
		if err != nil {
			return // nobody answers, or the day's budget is spent
		}
		if !worth {
			s.models = &opinion{refused: "not worth keeping, a model says"}
			continue
		}
		if !c.may(ctx, n, budget-budget/onlyWorth) {
			continue
		}
		words, usable, err := c.x.Statement(ctx, s.Text)
		switch {
		case err != nil:
			return
		case !usable:
		case words.Confidence < modelLikely:
			s.models = &opinion{refused: "a model is not sure enough of it"}
		default:
			s.models = &opinion{Statement: words}
		}
	}
}

// onlyWorth is which part of the budget, its last, is for yes or no alone.
const onlyWorth = 12

// everywhere asks whether a statement that is kept is about the user, whatever they
// work on. Of the answer nothing else counts.
func (c *consultation) everywhere(ctx context.Context, text string) bool {
	budget := c.v.Config.Extract.SessionTokens
	if !c.session.sessions().consults() || !c.may(ctx, tokens.Estimate(text), budget-budget/onlyWorth) {
		return false
	}
	words, _, err := c.x.Statement(ctx, text)
	return err == nil && words.Everywhere && words.Confidence >= modelLikely
}

// may reports whether models may read so many tokens more of the user's words, and
// counts them, before they are sent.
func (c *consultation) may(ctx context.Context, n, most int) bool {
	if c.used+n > most {
		return false
	}
	c.used += n
	if c.session == nil {
		return true
	}
	err := c.session.quietly(ctx, func(st *session.State) { st.Extracted.Tokens += n })
	return err == nil
}

// relations is what models say of pairs of statements, by the older one's ID and the
// newer one's words.
type relations map[[2]string]learn.Relation

func (r relations) of(older *memory.Item, newer string) learn.Relation {
	return r[[2]string{older.ID, strings.TrimSpace(newer)}]
}

// relate asks how statements stand to what is known where the rules cannot tell.
func (c *consultation) relate(ctx context.Context, sp *space.Space, said []learn.Statement) relations {
	const most = 5 // pairs
	out := make(relations)
	if !c.v.Config.Extract.Conflicts || len(said) == 0 {
		return out
	}
	find, err := verbs.LookupNow(ctx, sp, said[0].Scope)
	if err != nil {
		return out
	}
	l := learn.New(c.v.Learning(sp, find))
	for _, s := range said {
		doubts, err := l.Doubts(ctx, s)
		if err != nil {
			continue
		}
		for i := range doubts {
			if len(out) == most {
				return out
			}
			relation, err := c.x.Relation(ctx, doubts[i].Content, s.Text)
			if err != nil {
				return out
			}
			out[[2]string{doubts[i].ID, strings.TrimSpace(s.Text)}] = learn.Relation(relation)
		}
	}
	return out
}
