package follow

import (
	"context"

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
		own, others := s.mayMean(ctx, n)
		if len(own) > 0 {
			in = in.with(s.tell(ctx, wording.DropsText(language, s.toolNamed("memory_delete"), own), seq, own...))
		}
		if len(others) > 0 {
			in = in.with(s.tell(ctx, wording.OnlyUserDropsText(language, others), seq))
		}
	}
	return in, asks
}

// unkept are requests to forget in a prompt that is not kept: "the move is off, don't keep
// that" may mean the prompt, or what was told before. What only waits for a person is
// answered where it is surely meant; of what is kept only who is there can tell.
func (s *Session) unkept(ctx context.Context, prompt string, seq int64) (out []Noticed) {
	for _, st := range capture.State(capture.Typed(capture.Said{Text: prompt}), s.v.Now()) {
		if st.Kind != reader.Forget || st.P < capture.ForgetLikely {
			continue
		}
		n := Noticed{Text: st.Text, Kind: st.Kind.String(), Score: st.P, Evidence: (&UserMessage{Session: s.start.ID, Seq: seq}).evidence(), withheld: true}
		if err := forget(ctx, s.v, &n, false); err != nil {
			s.v.Log.Warn("session: what may be meant is not found", "session", s.start.ID, "err", err)
		} else if n.Verdict == Ask || n.question != "" {
			out = append(out, n)
		}
	}
	return out
}

// mayMean are the statements that a request to forget may mean, where it is not clear:
// the user's own, and others; none where the agent has no tool to take them out.
func (s *Session) mayMean(ctx context.Context, n *Noticed) (own, others []memory.Item) {
	if s.tool == "" {
		return nil, nil
	}
	own, others, err := offered(ctx, s.v, n)
	if err != nil {
		s.v.Log.Warn("session: what may be meant is not found", "session", s.start.ID, "err", err)
	}
	return own, others
}
