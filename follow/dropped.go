package follow

import (
	"context"
	"slices"
	"strings"

	"orihon/internal/capture"
	"orihon/internal/reader"
	"orihon/internal/session"
	"orihon/internal/tokens"
	"orihon/internal/wording"
	"orihon/memory"
)

// dropped tells the agent what memory has dropped at the user's word, or of which
// statements a prompt may ask that, and notes these, so that the agent may follow the
// user's words. here is the prompt, seq its place in the journal.
func (s *Session) dropped(ctx context.Context, prompt string, seq int64, noticed []Noticed) (in Injection, asks bool) {
	here := (&UserMessage{Session: s.start.ID, Seq: seq}).evidence()
	for i := range noticed {
		n := &noticed[i]
		if n.Kind != reader.Forget.String() || n.Evidence != here || n.Verdict == Drop {
			continue
		}
		asks = asks || n.Score >= capture.ForgetLikely
		text := ""
		if n.Action == "forget" {
			text = wording.DroppedText(s.language(prompt), n.Item.Content)
		} else if s.tool != "" {
			var err error
			if n.Verdict == maybe {
				if n.meant, err = meant(ctx, s.v, n.Text); err != nil {
					s.v.Log.Warn("session: what may be meant is not found", "session", s.start.ID, "err", err)
				}
			}
			own := slices.DeleteFunc(slices.Clone(n.meant), func(it memory.Item) bool { return it.Scope != memory.Personal(s.v.User) })
			own = own[:min(len(own), mostMeant)]
			if len(own) == 0 {
				continue
			}
			text = wording.DropsText(s.language(prompt), strings.Replace(s.tool, searchTool, "memory_delete", 1), own)
			if err := s.update(ctx, func(st *session.State) {
				for i := range own {
					st.Change(session.Change{Item: own[i].ID, Seq: seq, At: s.v.Now().UTC()})
				}
			}); err != nil {
				s.v.Log.Warn("session: a request to forget is not told", "session", s.start.ID, "err", err)
				continue
			}
		}
		if text != "" {
			in = in.with(Injection{Text: text, Tokens: tokens.Estimate(text)})
		}
	}
	if in.Tokens > 0 {
		if err := s.update(ctx, func(st *session.State) { st.InjectedTokens += in.Tokens }); err != nil {
			s.v.Log.Warn("session: tokens not counted", "session", s.start.ID, "err", err)
		}
	}
	return in, asks
}
