package follow

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"orihon/internal/extract"
	"orihon/internal/opening"
	"orihon/internal/reader"
	"orihon/internal/session"
	"orihon/internal/wording"
	"orihon/items"
	"orihon/journal"
	"orihon/memory"
	"orihon/review"
)

// mostDoubted is how many statements of one prompt the agent is asked about.
const mostDoubted = 2

// doubted asks the agent about what a prompt says by the way, where the reader cannot tell
// whether it is to be kept: the agent understands it, and is there anyway. Nothing where
// the agent has no tool to keep it, where models are asked, or where a person decides on
// everything. seq is the prompt's place in the journal.
func (s *Session) doubted(ctx context.Context, prompt string, seq int64, noticed []Noticed) Injection {
	if !s.asksAgent() {
		return Injection{}
	}
	here := (&UserMessage{Session: s.start.ID, Seq: seq}).evidence()
	doubts := slices.DeleteFunc(slices.Clone(noticed), func(n Noticed) bool {
		return n.Evidence != here || n.Kind == reader.Forget.String() || n.Against != "" || n.Verdict != Ask && n.Verdict != maybe
	})
	slices.SortStableFunc(doubts, func(a, b Noticed) int { return cmp.Compare(b.Score, a.Score) })
	if len(doubts) == 0 {
		return Injection{}
	}
	var said []string
	for _, n := range doubts[:min(len(doubts), mostDoubted)] {
		said = append(said, n.Text)
	}
	return s.tell(ctx, wording.DoubtsText(s.language(ctx, prompt), s.toolNamed("memory_add"), said), seq)
}

// asksAgent reports whether the agent is asked about what the reader cannot tell.
func (s *Session) asksAgent() bool {
	c := &s.v.Config.Capture
	return s.tool != "" && c.Doubts && c.AgentSaves > 0 && c.Notice != NoticeAsk && !s.sessions().consults()
}

// heard is what was said by the way and waits for a person, the latest first; nothing where
// a person decides on everything.
func (s *Session) heard(ctx context.Context) (opening.Heard, error) {
	out := opening.Heard{Judged: s.asksAgent(), MaxTokens: s.v.Config.Recall.HeardTokens}
	if out.MaxTokens == 0 || s.v.Config.Capture.Notice == NoticeAsk {
		return out, nil
	}
	waiting, _, err := review.New(s.v.Home).List(ctx)
	for i := range waiting {
		w := &waiting[i]
		if asked := w.Kind == memory.QuestionKeep || w.Kind == memory.QuestionConflict; asked && slices.Contains(w.Item.Metadata.Tags, memory.NoticedTag) {
			out.Items = append(out.Items, w.Item)
		}
	}
	slices.SortStableFunc(out.Items, func(a, b memory.Item) int { return b.Metadata.CreatedAt.Compare(a.Metadata.CreatedAt) })
	return out, err
}

// SaidIn finds the prompt that says what an agent keeps, among the latest ones:
// "<session>/<event>".
func (f *Sessions) SaidIn(ctx context.Context, content string) (prompt string, ok bool) {
	for _, p := range session.LatestPrompts(f.v.Project.Sessions(), f.v.Now()) {
		if text, ok := messageAt(ctx, p.Dir, p.Seq); ok && extract.Stands(content, text) {
			return promptAt(p.Dir, p.Seq), true
		}
	}
	return "", false
}

// Kept takes out of what waits for a person what an agent has kept of a prompt,
// "<session>/<event>", in its own words.
func (f *Sessions) Kept(ctx context.Context, prompt, content string) error {
	return review.New(f.v.Home).Overtaken(ctx, "kept in other words", func(w *review.Pending) bool {
		return w.Kind == memory.QuestionKeep && saysOf(prompt, content, w)
	})
}

// Changed takes out of what waits for a person what an agent has settled by changing or
// taking out an item: what was held against the item as it was, and what waits of the
// prompt that it follows, where the item says it. It returns the statements that the new
// words may end, none when the item is gone.
func (f *Sessions) Changed(ctx context.Context, it *memory.Item, gone bool) (ends []memory.Item, err error) {
	prompt := f.changedIn(it.ID)
	err = review.New(f.v.Home).Overtaken(ctx, "settled by a change of what it was held against", func(w *review.Pending) bool {
		about := w.Other != nil && w.Other.ID == it.ID
		switch {
		case w.Kind == memory.QuestionConflict, w.Kind == memory.QuestionFrozen, w.Kind == memory.QuestionUpdate:
			return about && prompt != "" || saysOf(prompt, it.Content, w)
		case w.Kind == memory.QuestionKeep:
			return saysOf(prompt, it.Content, w) || gives(it, w)
		}
		return false
	})
	if err != nil || gone || prompt == "" {
		return nil, err
	}
	if err := f.retireTwins(ctx, it, prompt); err != nil {
		return nil, err
	}
	return f.outdated(ctx, it, prompt, changes)
}

// retireTwins takes out what was kept of a prompt by the way, where an item that was
// changed at that prompt says the same now.
func (f *Sessions) retireTwins(ctx context.Context, it *memory.Item, prompt string) error {
	all := items.New(f.v.Home)
	noticed, err := all.List(ctx, memory.Filter{Scopes: []memory.Scope{memory.Personal(f.v.User)}, Tags: []string{memory.NoticedTag}})
	if err != nil {
		return err
	}
	for i := range noticed {
		twin := &review.Pending{Item: noticed[i].Item}
		if twin.Item.ID == it.ID || !slices.Contains(twin.Item.Metadata.Evidence, prompt) || !saysOf(prompt, it.Content, twin) && !gives(it, twin) {
			continue
		}
		if _, err := all.Forget(ctx, twin.Item.ID, "another statement was put right instead"); err != nil {
			return err
		}
	}
	return nil
}

// changedIn is the prompt that seemed to change an item lately, "<session>/<event>";
// empty for none.
func (f *Sessions) changedIn(item string) string {
	dir, seq, ok := session.Changed(f.v.Project.Sessions(), item, f.v.Now())
	if !ok {
		return ""
	}
	return promptAt(dir, seq)
}

// promptAt names a prompt by the folder of its session and its place in the journal there:
// "<session>/<event>".
func promptAt(dir string, seq int64) string { return fmt.Sprintf("%s/%d", filepath.Base(dir), seq) }

// messageAt is what the user said at a place in a session's journal.
func messageAt(ctx context.Context, dir string, seq int64) (string, bool) {
	log, err := journal.Open(dir, nil)
	if err != nil {
		return "", false
	}
	for e, err := range log.Events(ctx, seq) {
		var m journal.Message
		if err != nil || e.Seq != seq || e.Type != journal.UserMessage || log.Decode(e, &m) != nil {
			return "", false
		}
		return m.Text, true
	}
	return "", false
}
