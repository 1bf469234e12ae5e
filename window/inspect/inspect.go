// Package inspect looks at a run and at the context that a strategy of package
// window makes of it: what it is made of, in which zones, what a strategy would
// save and lose, what happened in each iteration. It writes to no journal, knows
// no settings, and finds no runs: package runs does.
//
// Start with [New]; [Run.Inspect] breaks a context down, [Run.Simulate] runs a
// strategy over the whole run, [Run.Expand] and [Run.Retrieve] find what is
// folded.
package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"orihon/journal"
	"orihon/window"
)

// Run is a run of an agent to look at. It is not safe for concurrent use.
type Run struct {
	Name   string // stands on a [Picture]
	System string // the system prompt; empty for none
	// Strategy builds where [BuildOptions] name none; "" is
	// [window.SlidingWindow].
	Strategy string
	// Options tune it where [BuildOptions] have none; nil means its defaults.
	Options *window.Options

	view *journal.View
}

// New looks at the run that a view shows.
func New(v *journal.View) *Run { return &Run{view: v} }

// View is the run itself.
func (r *Run) View() *journal.View { return r.view }

// copied is a view of the same events that what looks at it may write to. The
// events keep their places.
func (r *Run) copied() (*journal.View, error) {
	events := slices.Clone(r.view.Events())
	if err := r.inline(events); err != nil {
		return nil, err
	}
	return journal.NewView(events...), nil
}

// inline puts the bodies of events into their payloads.
func (r *Run) inline(events []journal.Event) error {
	for i := range events {
		body, err := r.view.Body(events[i])
		if err != nil {
			return err
		}
		events[i].Payload = body
	}
	return nil
}

// Span names the iterations of the run, for messages: "1 to 40", or "none".
func (r *Run) Span() string {
	if r.view.LastIteration() == 0 {
		return "none"
	}
	return fmt.Sprintf("%d to %d", r.view.FirstIteration(), r.view.LastIteration())
}

// BuildOptions say what context is looked at. The zero value is the default
// strategy at the default limit.
type BuildOptions struct {
	// Strategy is one of [window.Strategies]; "" is that of the [Run].
	Strategy string
	Limit    int    // tokens; 0 is [window.DefaultLimit]
	Task     string // what the run is for; empty when its prompts say it
	// Options tune the strategy; nil means those of the [Run].
	Options *window.Options
}

func (o BuildOptions) limit() int {
	return cmp.Or(max(o.Limit, 0), window.DefaultLimit)
}

// strategy is the one that builds.
func (r *Run) strategy(o BuildOptions) string {
	return cmp.Or(o.Strategy, r.Strategy, window.SlidingWindow)
}

// options tune the strategy.
func (r *Run) options(o BuildOptions) *window.Options { return cmp.Or(o.Options, r.Options) }

// Messages are what a model would get of the run now. Folds that a strategy
// would make on the way stay out of the journal.
func (r *Run) Messages(ctx context.Context, o BuildOptions) ([]window.Message, error) {
	messages, _, err := r.Shown(ctx, o)
	if err != nil {
		return nil, err
	}
	return window.Messages(messages), nil
}

// Shown is [Run.Messages] with what the builder knows of each, and with the folds
// among them that no journal keeps, oldest first: the same options compute the
// same ones.
func (r *Run) Shown(ctx context.Context, o BuildOptions) (messages []window.Placed, computed []FoldedBlock, err error) {
	v, messages, err := r.shown(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return messages, r.computed(v), nil
}

// computed are the stubs in a copy of the run that the run has not.
func (r *Run) computed(v *journal.View) []FoldedBlock {
	kept := r.Blocks()
	return slices.DeleteFunc((&Run{view: v}).Blocks(), func(b FoldedBlock) bool {
		return b.Level == window.Trimmed || !b.Top || slices.ContainsFunc(kept, func(k FoldedBlock) bool { return k.Number == b.Number })
	})
}

// shown builds what a model would get, with the copy of the run it was built on.
func (r *Run) shown(ctx context.Context, o BuildOptions) (*journal.View, []window.Placed, error) {
	v, err := r.copied()
	if err != nil {
		return nil, nil, err
	}
	b, err := window.New(r.strategy(o), r.options(o))
	if err != nil {
		return nil, nil, err
	}
	if summed, err := window.SummedUp(ctx, b, v); err == nil {
		v = summed
	} else if log := r.options(o).Logger; log != nil { // a run goes on without, too
		log.Warn("auto_summarize failed, the context is shown without its summaries: " + err.Error())
	}
	messages, err := window.BuildPlaced(ctx, b, window.Input{System: r.System, Task: o.Task, View: v, Limit: o.limit()})
	return v, messages, err
}

// Blocks are the folds of the run, nested ones and those that were opened again
// included, oldest first.
func (r *Run) Blocks() []FoldedBlock {
	var out []FoldedBlock
	at := map[int]int{} // number → its place
	for _, e := range r.view.ByType(journal.Fold, journal.Unfold) {
		var f struct {
			Epoch  int            `json:"epoch"`
			Reason string         `json:"reason"`
			Blocks []window.Block `json:"blocks"`
			Number int            `json:"number"`
		}
		if r.view.Decode(e, &f) != nil {
			continue
		}
		if e.Type == journal.Unfold {
			if i, ok := at[f.Number]; ok {
				out[i].Open = true
			}
			continue
		}
		for _, b := range f.Blocks {
			at[b.Number] = len(out)
			out = append(out, FoldedBlock{Block: b, Epoch: f.Epoch, Reason: f.Reason, At: e.Iter})
		}
	}
	for _, top := range window.Blocks(r.view) {
		if i, ok := at[top.Number]; ok {
			out[i].Top = true
		}
	}
	slices.SortStableFunc(out, func(a, b FoldedBlock) int { return a.Iterations[0] - b.Iterations[0] })
	return out
}

// FoldedBlock is a fold of a run and how it stands.
type FoldedBlock struct {
	window.Block
	Epoch  int    `json:"epoch"`
	Reason string `json:"reason"` // why its epoch began: "pressure", "periodic", "semantic", "manual", "catch_up"
	At     int    `json:"at"`     // iteration in which that was
	Top    bool   `json:"top"`    // shown as a stub: it lies in no other
	Open   bool   `json:"open"`   // unfolded again
}
