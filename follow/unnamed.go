package follow

import (
	"context"
	"strings"

	"orihon/journal"
)

// unnamed is the identity of a prompt or an answer that only its words name. Told
// again before the conversation went on, it is the same; a transcript, which tells
// of all turns at once, counts them, see [Session.Tell].
func (s *Session) unnamed(ctx context.Context, t journal.Type, id string) (string, error) {
	n, wentOn := 0, true
	for e, err := range s.log.Events(ctx, 1) {
		if err != nil {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			continue // told by doctor, and no matter here
		}
		words, _, _ := strings.Cut(e.ID, "#")
		switch {
		case e.Type == t && words == id:
			n, wentOn = n+1, false
		case e.Type == journal.UserMessage, e.Type == journal.AssistantMessage && t == journal.UserMessage:
			wentOn = true
		}
	}
	if wentOn {
		n++
	}
	return journal.NthID(id, n), nil
}
