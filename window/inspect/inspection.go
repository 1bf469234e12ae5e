package inspect

import (
	"cmp"
	"context"

	"orihon/internal/tokens"
	"orihon/llm"
	"orihon/window"
)

// Inspection says what the context of a run is made of.
type Inspection struct {
	Strategy   string  `json:"strategy"`   // its name
	Limit      int     `json:"limit"`      // tokens
	Tokens     int     `json:"tokens"`     // of the context
	Messages   int     `json:"messages"`   // of the context
	Iterations int     `json:"iterations"` // of the run
	Whole      int     `json:"whole"`      // tokens of the run, everything shown
	Parts      []Share `json:"parts"`      // by what the messages are
	Zones      []Share `json:"zones"`      // by where they stand; room is what a zone may take
	Folds      int     `json:"folds"`      // stubs in the context
}

// Share is a part of a context.
type Share struct {
	Name   string `json:"name"`           // of a role, of a [window.Kind] or of a [window.Zone]
	Tokens int    `json:"tokens"`         // that it takes
	Room   int    `json:"room,omitempty"` // that it may take
}

// Inspect breaks the context that a strategy builds down, in tokens.
func (r *Run) Inspect(ctx context.Context, o BuildOptions) (*Inspection, error) {
	v, messages, err := r.shown(ctx, o)
	if err != nil {
		return nil, err
	}
	out := &Inspection{Strategy: r.strategy(o), Limit: o.limit(), Messages: len(messages), Iterations: len(v.Iterations(0, 0))}
	cost, err := r.costs(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range cost {
		out.Whole += n
	}
	z := newZones(&Run{view: v})
	parts, zones := map[string]int{}, map[string]int{}
	for i := range messages {
		n := window.Cost(messages[i].Message, nil)
		out.Tokens += n
		part, zone := z.place(&messages[i])
		if messages[i].Kind == window.KindFolds {
			out.Folds++
		}
		breakDown(&messages[i].Message, part, n, parts)
		zones[zone] += n
	}
	for _, name := range [...]string{"system", "task", "user", "assistant", "reasoning", "calls", "results", "folds", "recalled", "status"} {
		if parts[name] > 0 {
			out.Parts = append(out.Parts, Share{Name: name, Tokens: parts[name]})
		}
	}
	// The shares are those of window.FoldingOptions.
	fold := window.FoldingOptions{}
	if opt := r.options(o); opt != nil {
		fold = opt.Folding
	}
	for _, z := range [...]struct {
		zone  window.Zone
		share float64
	}{
		{window.ZoneStatic, 0.1}, {window.ZoneWorking, cmp.Or(fold.Working, 0.3)}, {window.ZoneShortTerm, cmp.Or(fold.ShortTerm, 0.2)},
		{window.ZoneLongTerm, cmp.Or(fold.LongTerm, 0.2)}, {window.ZoneRetrieved, cmp.Or(fold.Retrieved, 0.1)}, {window.ZoneDynamic, cmp.Or(fold.Dynamic, 0.1)},
	} {
		out.Zones = append(out.Zones, Share{string(z.zone), zones[string(z.zone)], int(z.share * float64(out.Limit))})
	}
	return out, nil
}

// breakDown counts a message to its parts.
func breakDown(m *window.Message, part string, n int, parts map[string]int) {
	if part != "assistant" {
		parts[part] += n
		return
	}
	for _, r := range m.Reasoning {
		t := tokens.Estimate(r.Text) + tokens.Estimate(r.Signature)
		parts["reasoning"] += t
		n -= t
	}
	for _, c := range m.Calls {
		t := tokens.Estimate(c.Tool) + tokens.Estimate(string(c.Input)) + 4
		parts["calls"] += t
		n -= t
	}
	parts[part] += max(0, n)
}

// zones tell where a message of a built context stands.
type zones struct {
	trimmed map[int]bool
	now     int // iteration of the messages before; 0 for what the user said
}

func newZones(r *Run) *zones {
	z := &zones{trimmed: map[int]bool{}}
	for _, b := range r.Blocks() {
		if b.Level != window.Trimmed || b.Open {
			continue
		}
		for n := b.Iterations[0]; n <= b.Iterations[1]; n++ {
			z.trimmed[n] = true
		}
		for _, n := range b.Except {
			delete(z.trimmed, n)
		}
	}
	return z
}

// place names the part and the zone of the next message. What its builder does
// not say of it is told by its role. What the user said stays whole where an
// iteration is trimmed; what is said without a call goes with what is before it.
func (z *zones) place(m *window.Placed) (part, zone string) {
	part = cmp.Or(string(m.Kind), string(m.Role))
	switch {
	case m.Role == llm.System:
		return part, string(window.ZoneStatic)
	case m.Zone != "":
		return part, string(m.Zone)
	case m.Role == llm.User:
		z.now = 0
	case m.Role == llm.Tool:
		part = "results"
		z.now = m.Iteration
	case len(m.Calls) > 0:
		z.now = m.Iteration
	}
	if z.trimmed[z.now] {
		return part, string(window.ZoneShortTerm)
	}
	return part, string(window.ZoneWorking)
}
