package follow

import (
	"context"
	"strings"

	"orihon/internal/session"
	"orihon/internal/tokens"
	"orihon/memory"
)

// tell puts a text before the agent and counts it, with changes of the statements that it
// offers the agent to make. What cannot be noted is not told.
func (s *Session) tell(ctx context.Context, text string, seq int64, offered ...memory.Item) Injection {
	in := Injection{Text: text, Tokens: tokens.Estimate(text)}
	err := s.update(ctx, func(st *session.State) {
		st.InjectedTokens += in.Tokens
		st.Offer(offered, seq, s.v.Now())
	})
	if err != nil {
		s.v.Log.Warn("session: not told to the agent", "session", s.start.ID, "text", text, "err", err)
		return Injection{}
	}
	return in
}

// toolNamed is another tool of the server that [Client.Tool] is of.
func (s *Session) toolNamed(name string) string {
	return strings.Replace(s.tool, searchTool, name, 1)
}
