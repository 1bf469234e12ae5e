package runs

import (
	"cmp"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/window"
)

// Handoff is what somebody needs who takes the run over: see [window.Handoff]. It
// costs at most budget tokens, 0 is [window.DefaultHandoffTokens]. Secrets are
// taken out and marks of prompts escaped; whoever shows it says that it is data.
func (r *Run) Handoff(budget int) string {
	budget = cmp.Or(max(budget, 0), window.DefaultHandoffTokens)
	extra := r.besides(2 * budget)
	for room := budget; room > 0; room = room * 9 / 10 {
		text := inert.Text(r.clean(window.Handoff(r.View(), window.HandoffOptions{Budget: room, Language: r.o.Language, Instructions: extra.instructions, Open: extra.open})))
		if text == "" || tokens.Estimate(text) <= budget {
			return text
		}
	}
	return ""
}
