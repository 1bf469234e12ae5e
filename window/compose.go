package window

import (
	"fmt"
	"slices"

	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
)

// task is what the run is for: as the caller says, else the first request.
func (in Input) task() string {
	if in.Task != "" {
		return in.Task
	}
	_, first := FirstRequest(in.View)
	return first
}

// head is what every context begins with: the system prompt, and the task in
// the user's name, which stands for what is no longer shown.
func (in Input) head(whole bool) []Placed {
	var out []Placed
	if in.System != "" {
		out = append(out, asSystem(in.System))
	}
	task := in.Task
	if !whole {
		task = in.task()
	}
	if task == "" {
		if whole {
			return out
		}
		task = "(not stated)"
	}
	text := "Task: " + tokens.Fit(task, max(16, in.Limit/10))
	if !whole {
		text += "\n(The run is under way; earlier iterations are not shown. Do not begin anew.)"
	}
	return append(out, asUser(text, KindTask, ZoneStatic))
}

// recent composes a context of the last n iterations, behind the messages that
// notes puts between head and iterations. Where they do not fit, the oldest
// iterations stay out, and all reasoning with them; where not even the last one fits, its texts are cut, and
// then the oldest of its messages go.
func (in Input) recent(n, offload int, notes []Placed) ([]Placed, error) {
	first := max(in.View.FirstIteration(), in.Iteration-n+1)
	whole := first <= in.View.FirstIteration() && len(notes) == 0
	head := append(in.head(whole), notes...)
	limits := capsFor(in.Limit, offload)
	room := in.Limit - in.cost(head)
	var parts [][]Placed
	its := in.View.Iterations(first, in.Iteration)
	show := renderer{view: in.View, caps: limits, upto: in.Iteration}
	if !whole {
		show.reasoningFrom = noReasoning
	}
	for _, it := range slices.Backward(its) {
		part := show.render(it.Events)
		cost := in.cost(part)
		if cost > room {
			break
		}
		room -= cost
		parts = append(parts, part)
	}
	if whole && len(parts) < len(its) {
		// Something stays out after all: say so.
		return in.recent(in.Iteration-in.View.FirstIteration(), offload, notes)
	}
	if len(parts) == 0 && len(its) > 0 {
		last, err := in.squeeze(its[len(its)-1].Events, limits, room)
		if err != nil {
			return nil, err
		}
		parts = append(parts, last)
	}
	slices.Reverse(parts)
	out := slices.Concat(append([][]Placed{head}, parts...)...)
	return in.opened(out)
}

// opened puts a user's message before an assistant's that would be the first.
func (in Input) opened(out []Placed) ([]Placed, error) {
	for i, m := range out {
		if m.Role == llm.System {
			continue
		}
		if m.Role != llm.User {
			out = slices.Insert(out, i, asUser("(The run begins.)", "", ""))
		}
		break
	}
	if n := in.cost(out); n > in.Limit {
		return nil, fmt.Errorf("%w: %d tokens for the system prompt and the task alone, the limit is %d", ErrBudget, n, in.Limit)
	}
	return out, nil
}

// squeeze renders events into room tokens by cutting texts shorter and shorter,
// and then leaving out the oldest messages.
func (in Input) squeeze(events []journal.Event, c caps, room int) ([]Placed, error) {
	var out []Placed
	for {
		out = renderer{view: in.View, caps: c, upto: in.Iteration, reasoningFrom: noReasoning}.render(events)
		if in.cost(out) <= room {
			return out, nil
		}
		if c.tightest() {
			break
		}
		c = c.tighter()
	}
	for len(out) > 0 && in.cost(out) > room {
		out = out[firstGroup(Messages(out)):]
	}
	if len(out) == 0 && len(events) > 0 && room < 0 {
		return nil, fmt.Errorf("%w: the system prompt and the task leave no room in %d tokens", ErrBudget, in.Limit)
	}
	return out, nil
}

// firstGroup is how many messages belong together at the beginning: a call and
// its results are never parted.
func firstGroup(messages []Message) int {
	n := 1
	for n < len(messages) && messages[n].Role == llm.Tool {
		n++
	}
	return n
}
