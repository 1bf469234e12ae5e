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
	Zones      []Share `json:"zones"`      // of the strategy, by where they stand; room is what a zone may take
	Folds      int     `json:"folds"`      // stubs in the context
	// Computed are the names of those that no journal keeps, see [Run.Shown].
	Computed []string `json:"computed_folds,omitempty"`
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
	for _, b := range r.computed(v) {
		out.Computed = append(out.Computed, b.Ref())
	}
	z := newZones(&Run{view: v})
	parts, zones := map[string]int{}, map[string]int{}
	for i := range messages {
		n := window.Cost(messages[i].Message, nil)
		out.Tokens += n
		part, zone := z.place(&messages[i])
		if messages[i].Kind == window.KindFolds && zone == string(window.ZoneLongTerm) {
			out.Folds++
		}
		breakDown(&messages[i].Message, part, n, parts)
		zones[zone] += n
	}
	for _, name := range [...]string{"system", "task", "user", "assistant", "reasoning", "calls", "results", "folds", "summary", "recalled", "status"} {
		if parts[name] > 0 {
			out.Parts = append(out.Parts, Share{Name: name, Tokens: parts[name]})
		}
	}
	for _, zone := range r.rooms(o) {
		if n := zones[zone.Name]; n > 0 || zone.has {
			out.Zones = append(out.Zones, Share{zone.Name, n, zone.Room})
		}
	}
	return out, nil
}

// room is a zone and what it may take; one that the strategy does not have stands
// in a context only when what builds in its place has put something there.
type room struct {
	Share
	has bool
}

// rooms are all zones, what a model reads word for word first.
func (r *Run) rooms(o BuildOptions) []room {
	opt := window.Options{}
	if given := r.options(o); given != nil {
		opt = *given
	}
	strategy, limit, fold := r.strategy(o), o.limit(), opt.Folding
	folds := strategy == window.Folding
	// The shares are those of window.FoldingOptions; without folds no zone but the
	// summary has a bound of its own.
	share := func(of float64) int {
		if !folds {
			return 0
		}
		return int(of * float64(limit))
	}
	summary, tells := 0, true
	switch strategy {
	case window.TwoLayer:
		summary = min(cmp.Or(max(opt.SummaryMaxTokens, 0), 5000), limit/4)
	case window.SlidingWindowCheckpoints:
		summary = limit / 10
	case window.Milestone:
		summary = limit / 4
	default:
		tells = false
	}
	return []room{
		{Share{Name: string(window.ZoneStatic), Room: share(0.1)}, true},
		{Share{Name: string(window.ZoneWorking), Room: share(cmp.Or(fold.Working, 0.3))}, true},
		{Share{Name: string(window.ZoneShortTerm), Room: share(cmp.Or(fold.ShortTerm, 0.2))}, folds},
		{Share{Name: string(window.ZoneLongTerm), Room: share(cmp.Or(fold.LongTerm, 0.2))}, folds},
		{Share{Name: string(window.ZoneSummary), Room: summary}, tells},
		{Share{Name: string(window.ZoneRetrieved), Room: share(cmp.Or(fold.Retrieved, 0.1))}, folds},
		{Share{Name: string(window.ZoneDynamic), Room: share(cmp.Or(fold.Dynamic, 0.1))}, folds},
	}
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
