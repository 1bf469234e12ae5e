package items

import (
	"context"
	"fmt"
	"slices"

	"orihon/internal/learn"
	"orihon/internal/space"
	"orihon/internal/verbs"
	"orihon/memory"
)

// agent is an agent that looks after items by itself.
type agent struct {
	session string
	said    Said
}

// ErrSaysLittle is of an agent's change in words that nobody could use later, unless the
// user has just said them. It wraps [memory.ErrRefused].
var ErrSaysLittle = fmt.Errorf("%w: it says too little to help later", memory.ErrRefused)

// Said reports whether the user has just said that an item is to be as it is now; a nil
// one, that it is to go. Of words, prompt is the prompt that they were taken from,
// "<session>/<event>", where one is known.
type Said func(ctx context.Context, old, now *memory.Item) (prompt string, said bool)

// ForAgent is the same for an agent that decides by itself, in a session. What it
// decides stands in the audit trail as the agent's. It changes, forgets and brings
// back only what an agent remembered in the user's own memory of this project and
// no person has confirmed: all else is refused with [memory.ErrRefused], and a new
// wording of it, or one that is at odds with what is known, waits for a person. Phrases
// by which it may be looked for are added to whatever has none in that memory, and what
// the user has just said of an item is put into it; a nil said knows of nothing.
func (t *Items) ForAgent(session string, said Said) *Items {
	if said == nil {
		said = func(context.Context, *memory.Item, *memory.Item) (string, bool) { return "", false }
	}
	return &Items{h: t.h, agent: &agent{t.h.CleanID(session), said}}
}

// mayChange refuses what who asks may not change.
func (t *Items) mayChange(ctx context.Context, it *memory.Item) error {
	if err := t.h.MayChange(ctx, it); err != nil || t.agent == nil {
		return err
	}
	if it.Scope != memory.Personal(t.h.User) {
		return fmt.Errorf("item %s: %w: an agent changes only what is in the user's own memory of this project, and this is %s", it.ID, memory.ErrRefused, it.Scope)
	}
	if it.Metadata.Source != memory.FromAgent {
		return fmt.Errorf("item %s: %w: no agent said it (%s did): only the user takes it out", it.ID, memory.ErrRefused, it.Metadata.Source)
	}
	decisions, err := t.Audits(ctx, &memory.AuditFilter{ID: it.ID})
	if err != nil {
		return err
	}
	for _, d := range decisions {
		machine := d.By == "" || d.By == string(memory.FromAgent) || d.By == string(memory.FromSystem)
		if d.ID == it.ID && !machine && (decides(d.Op) || d.Op == memory.AuditUndo) {
			return fmt.Errorf("item %s: %w: a person has decided on it (%s): only the user changes it", it.ID, memory.ErrRefused, d.Op)
		}
	}
	return nil
}

// mayPropose reports whether an agent that may not change an item may ask for it.
func (t *Items) mayPropose(it *memory.Item) bool {
	return t.agent != nil && it.Scope == memory.Personal(t.h.User) && it.Metadata.Source != memory.FromRepository
}

// weigh puts an agent's change before a person where it is not the agent's to make:
// of what a person said or confirmed, and where it contradicts what is known. One
// that would not pass the gate is refused. What the user has just said of the item is
// put into it as it is: they judged its worth, and it competes with the item alone.
func (t *Items) weigh(ctx context.Context, sp *space.Space, old *memory.Item, out *Edited) (waits bool, err error) {
	now := &out.Item
	if now.Content != old.Content {
		if err := another(ctx, sp, now); err != nil {
			return false, err
		}
		prompt, said := t.agent.said(ctx, old, now)
		if m := &now.Metadata; prompt != "" && !slices.Contains(m.Evidence, prompt) {
			m.Evidence = append(slices.Clone(m.Evidence), prompt)
		}
		if said && t.mayPropose(old) {
			return false, nil
		}
		verdict := learn.Judge(learn.Statement{Text: now.Content, Topic: now.Topic, Source: memory.FromAgent})
		if verdict.Action == learn.Skipped {
			return false, fmt.Errorf("item %s: %w", old.ID, ErrSaysLittle)
		}
	}
	asked := memory.Question{Kind: memory.QuestionUpdate, Other: old.ID, Item: *now, At: t.h.Now().UTC(), Session: t.agent.session}
	if refused := t.mayChange(ctx, old); refused != nil {
		if len(old.NeededWhen) == 0 && slices.Equal(out.Changed, []string{"needed_when"}) {
			return false, nil // what is said stays as it is
		}
		if now.Content == old.Content {
			return false, refused
		}
		asked.Why = "an agent would word it so"
	} else {
		find, err := verbs.LookupNow(ctx, sp, now.Scope)
		if err != nil {
			return false, err
		}
		found, err := learn.New(verbs.New(t.h).Learning(sp, find)).Reconcile(ctx, []memory.Item{*now})
		if err != nil {
			return false, err
		}
		i := slices.IndexFunc(found, func(f learn.Finding) bool { return f.Kind == learn.InConflict })
		if i < 0 {
			return false, nil
		}
		asked.Why = found[i].Why
	}
	asked.Item.ID = t.h.NewID()
	asked.Item.Metadata.Source, asked.Item.Metadata.Session = memory.FromAgent, t.agent.session
	if _, err := sp.Text.Propose(ctx, asked); err != nil {
		return false, err
	}
	out.Waits = asked.Why
	return true, t.audited(ctx, sp, nil, memory.AuditRecord{Op: memory.AuditAsk, ID: old.ID, Other: asked.Other, Why: asked.Why})
}

// another refuses words in which a second item would say the same.
func another(ctx context.Context, sp *space.Space, now *memory.Item) error {
	for s, err := range sp.Text.Scan(ctx) {
		if err != nil {
			return err
		}
		it := &s.Item
		if it.ID != now.ID && it.Scope == now.Scope && !s.Retired && it.ValidTo.IsZero() && learn.SameWords(it.Content, now.Content) {
			return fmt.Errorf("item %s: %w: item %s says exactly that; if this one no longer holds, take it out", now.ID, memory.ErrRefused, it.ID)
		}
	}
	return nil
}

// mayUndo lets an agent take back what it decided in its session, as long as nobody
// decided on the item since. open are the decisions that stand, oldest first.
func (a *agent) mayUndo(open []decision, u *Undo) error {
	own := u.ID != "" && !u.Redo && len(open) > 0 && open[len(open)-1].By == string(memory.FromAgent) && open[len(open)-1].Session == a.session
	if own {
		return nil
	}
	return fmt.Errorf("undo: %w: an agent takes back only what it decided last on an item, in its own session: orihon undo is the user's", memory.ErrRefused)
}
