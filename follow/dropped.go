package follow

import (
	"context"
	"slices"

	"orihon/internal/capture"
	"orihon/internal/reader"
	"orihon/internal/wording"
	"orihon/memory"
)

// dropped tells the agent what memory has dropped at the user's word, or of which
// statements a prompt may ask that, and notes these, so that the agent may follow the
// user's words. seq is the prompt's place in the journal.
func (s *Session) dropped(ctx context.Context, prompt string, seq int64, noticed []Noticed) (in Injection, asks bool) {
	here := (&UserMessage{Session: s.start.ID, Seq: seq}).evidence()
	language := s.language(ctx, prompt)
	for i := range noticed {
		n := &noticed[i]
		if n.Kind != reader.Forget.String() || n.Evidence != here {
			continue
		}
		asks = asks || n.Score >= capture.ForgetLikely
		if n.Action == "forget" {
			in = in.with(s.tell(ctx, wording.DroppedText(language, n.Item.Content), seq))
			continue
		}
		if own := s.ownMeant(ctx, n); len(own) > 0 {
			in = in.with(s.tell(ctx, wording.DropsText(language, s.toolNamed("memory_delete"), own), seq, own...))
		}
	}
	return in, asks
}

// ownMeant are the user's own statements that a request to forget may mean, where it is
// not clear; none where the agent has no tool to take them out.
func (s *Session) ownMeant(ctx context.Context, n *Noticed) []memory.Item {
	if s.tool == "" {
		return nil
	}
	all, err := offered(ctx, s.v, n.Text)
	if err != nil {
		s.v.Log.Warn("session: what may be meant is not found", "session", s.start.ID, "err", err)
	}
	return slices.DeleteFunc(all, func(it memory.Item) bool { return it.Scope != memory.Personal(s.v.User) })
}
