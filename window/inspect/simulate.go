package inspect

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"orihon/journal"
	"orihon/memory"
	"orihon/window"
)

// Simulation is what a strategy would have done over a run.
type Simulation struct {
	Strategy   string  `json:"strategy"`   // its name
	Limit      int     `json:"limit"`      // tokens
	Iterations [2]int  `json:"iterations"` // the first and the last
	Before     int     `json:"before"`     // tokens of all requests, were everything shown each time
	After      int     `json:"after"`      // tokens of all requests as the strategy builds them
	Saved      float64 `json:"saved"`      // share of Before
	Cached     float64 `json:"cached"`     // share of After served from an unchanged prefix
	Largest    int     `json:"largest"`    // tokens of the largest request
	Whole      int     `json:"whole"`      // tokens of the last one, were everything shown
	Last       int     `json:"last"`       // tokens of the last one as built

	Epochs []Epoch `json:"epochs"` // oldest first
	// Lost is what stood in the run and stands nowhere in the last request. It
	// can be opened from the journal; it is not in view.
	Lost  []Loss       `json:"lost"`
	Stats window.Stats `json:"stats"` // of folding
}

// Epoch is a request whose beginning was rewritten.
type Epoch struct {
	Iteration int `json:"iteration"` // before which it was built
	Before    int `json:"before"`    // tokens of the request before
	After     int `json:"after"`     // of this one
	Rewritten int `json:"rewritten"` // tokens that the cache did not have
	Blocks    int `json:"blocks"`    // stubs in it
}

// Loss is what of one kind is no longer in view.
type Loss struct {
	Kind  string   `json:"kind"`            // "file", "identifier", "commit", "url", "prompt"
	Kept  int      `json:"kept"`            // still in view
	All   int      `json:"all"`             // in the run
	Names []string `json:"names,omitempty"` // the last of those that are out of view
}

// Simulate runs a strategy over a part of the run, 0 and 0 for all of it, as if
// it happened now: before each iteration a request is built of what was known,
// and measured. Nothing is written.
func (r *Run) Simulate(ctx context.Context, o BuildOptions, from, to int) (*Simulation, error) {
	its := r.view.Iterations(from, to)
	if len(its) == 0 {
		return nil, fmt.Errorf("iterations %d to %d: %w: the run has %s", from, to, memory.ErrNotFound, r.Span())
	}
	b, err := window.New(r.strategy(o), r.options(o))
	if err != nil {
		return nil, err
	}
	cost, err := r.costs(ctx)
	if err != nil {
		return nil, err
	}
	out := &Simulation{Strategy: r.strategy(o), Limit: o.limit(), Iterations: [2]int{its[0].N, its[len(its)-1].N}}
	v := journal.NewView()
	var last []window.Placed
	cached := 0
	for _, it := range its {
		events, err := r.told(it)
		if err != nil {
			return nil, err
		}
		if _, err := v.Append(ctx, events...); err != nil {
			return nil, err
		}
		in := window.Input{System: r.System, Task: o.Task, View: v, Limit: o.limit()}
		if err := b.OnIterationComplete(ctx, in); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", it.N, err)
		}
		messages, err := window.BuildPlaced(ctx, b, in)
		if err != nil {
			return nil, fmt.Errorf("iteration %d: %w", it.N, err)
		}
		if err := window.Failure(b); err != nil { // the figures would be those of another strategy
			return nil, fmt.Errorf("iteration %d: %w", it.N, err)
		}
		out.Whole += cost[it.N]
		out.Before += out.Whole
		cached += out.step(it.N, messages, last)
		last = messages
	}
	if out.Before > 0 {
		out.Saved = 1 - float64(out.After)/float64(out.Before)
	}
	if out.After > 0 {
		out.Cached = float64(cached) / float64(out.After)
	}
	out.Lost = lost(v, last)
	out.Stats, _ = window.Health(b)
	return out, nil
}

// told are the events of an iteration with their bodies; what a strategy wrote
// the last time stays out.
func (r *Run) told(it journal.Iteration) ([]journal.Event, error) {
	var out []journal.Event
	for _, e := range it.Events {
		switch e.Type {
		case journal.Fold, journal.Unfold, journal.ContextBuilt, journal.Recalled:
			continue
		}
		out = append(out, e)
	}
	return out, r.inline(out)
}

// step measures a request against the one before and returns how many of its
// tokens a prompt cache has.
func (s *Simulation) step(iteration int, now, before []window.Placed) (cached int) {
	sum, unchanged, rewritten := 0, true, false
	stubs, was := 0, 0
	for _, m := range before {
		was += window.Cost(m.Message, nil)
	}
	for i := range now {
		n := window.Cost(now[i].Message, nil)
		sum += n
		if now[i].Kind == window.KindFolds && now[i].Zone == window.ZoneLongTerm {
			stubs++
		}
		if unchanged = unchanged && i < len(before) && reflect.DeepEqual(now[i].Message, before[i].Message); unchanged {
			cached += n
		} else if i < len(before) {
			rewritten = true
		}
	}
	s.After += sum
	s.Last = sum
	s.Largest = max(s.Largest, sum)
	if rewritten {
		s.Epochs = append(s.Epochs, Epoch{Iteration: iteration, Before: was, After: sum, Rewritten: sum - cached, Blocks: stubs})
	}
	return cached
}

// mostLost is how many names of a kind are told.
const mostLost = 8

// lost compares what a run names with what a request does.
func lost(v *journal.View, messages []window.Placed) []Loss {
	var b strings.Builder
	for i := range messages {
		m := &messages[i]
		b.WriteString(m.Text + "\n")
		for _, r := range m.Reasoning {
			b.WriteString(r.Text + "\n")
		}
		for _, c := range m.Calls {
			b.WriteString(c.Tool + "\n" + string(c.Input) + "\n")
		}
		if m.Result != nil {
			b.WriteString(m.Result.Tool + "\n" + m.Result.Text + "\n")
		}
	}
	shown := b.String()
	onOneLine := strings.Join(strings.Fields(shown), " ")
	kinds := []string{"prompt", string(journal.FileEntity), string(journal.Identifier), string(journal.CommitEntity), string(journal.URLEntity)}
	by := map[string]*Loss{}
	for _, k := range kinds {
		by[k] = &Loss{Kind: k}
	}
	seen := map[journal.Entity]bool{}
	count := func(e journal.Entity, kept bool) {
		if seen[e] {
			return
		}
		seen[e] = true
		l := by[string(e.Kind)]
		if l == nil {
			return
		}
		l.All++
		if kept {
			l.Kept++
		} else {
			l.Names = append(l.Names, e.Name)
		}
	}
	for _, e := range v.Events() {
		text := v.Text(e)
		if asked := window.Typed(v, e); asked != "" {
			line := strings.Join(strings.Fields(asked), " ")
			head := []rune(line)[:min(60, len([]rune(line)))]
			count(journal.Entity{Kind: "prompt", Name: string(head)}, strings.Contains(onOneLine, string(head)))
		}
		for _, n := range journal.Entities(text) {
			if !seen[n] {
				count(n, strings.Contains(shown, n.Name))
			}
		}
	}
	var out []Loss
	for _, k := range kinds {
		if l := by[k]; l.All > 0 {
			l.Names = slices.Clone(l.Names[max(0, len(l.Names)-mostLost):])
			out = append(out, *l)
		}
	}
	return out
}
