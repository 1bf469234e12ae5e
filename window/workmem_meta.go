package window

import (
	"encoding/json"
	"fmt"
	"slices"

	"orihon/llm"
	"orihon/workmem"
)

// fallbackFill is the share of the limit above which the strategy working_memory
// compacts by itself.
const fallbackFill = 0.75

// guidance is what the system prompt says about the memory at a fill level.
func guidance(fill float64) string {
	const begin = "Your working memory stands below; only you keep it. "
	switch {
	case fill < 0.2:
		return ""
	case fill < 0.4:
		return begin + "Summarise finished tasks in it."
	case fill < 0.6:
		return begin + "Move details to detail/ and keep pointers to them in overview.md."
	case fill <= fallbackFill:
		return begin + "Keep only decisions and the task; call " + CompactHistory + " for the rest."
	}
	return begin + "The context is nearly full: write down now what you need, the oldest messages leave."
}

// reminder grows firmer as the context fills.
func reminder(fill float64) string {
	switch {
	case fill <= 0.5:
		return "Keep overview.md up to date."
	case fill <= 0.6:
		return "More than half of the context is used: update overview.md."
	case fill <= fallbackFill:
		return "Update overview.md now, before anything else: what is not there will be compacted soon."
	}
	return "STOP and update overview.md: older messages are being compacted."
}

type contextMeta struct {
	Used     int    `json:"tokens_used"`
	Max      int    `json:"tokens_max"`
	Percent  int    `json:"tokens_percent"`
	Messages int    `json:"messages_in_history"`
	Size     int    `json:"working_memory_size"`
	Notice   string `json:"notice,omitempty"`
	Reminder string `json:"reminder"`
}

// finish puts the guidance into the system prompt and the figures at the very
// end, where a change costs no cache.
func (meta contextMeta) finish(in Input, messages []Placed, fill float64) []Placed {
	out := slices.Clone(messages)
	if text := guidance(fill); text != "" {
		if len(out) > 0 && out[0].Role == llm.System && out[0].Text == in.System {
			out[0].Text += "\n\n" + text
		} else {
			out = slices.Insert(out, 0, asSystem(text))
		}
	}
	meta.Used, meta.Max, meta.Reminder = in.cost(out), in.Limit, reminder(fill)
	meta.Percent = 100 * meta.Used / in.Limit
	for _, m := range out {
		if m.Role != llm.System {
			meta.Messages++
		}
	}
	if meta.Size > workmem.OverviewGuide {
		meta.Reminder += fmt.Sprintf(" overview.md has %d bytes; keep it below %d.", meta.Size, workmem.OverviewGuide)
	}
	raw, _ := json.Marshal(meta) // numbers and texts always encode
	return append(out, asUser("<context_meta>"+string(raw)+"</context_meta>", "", ""))
}
