package window

import (
	"cmp"
	"context"
	"fmt"

	"orihon/journal"
	"orihon/memory"
)

// FoldingOptions tune folding. Zero is the default named.
type FoldingOptions struct {
	Trigger       float64 // share of the limit at which folding begins at once, 0.8
	TriggerTokens int     // the same in tokens; 0 takes Trigger
	KeepTurns     int     // newest iterations that are never folded, 5
	// Zones are shares of the limit. An epoch leaves working, short-term and
	// long-term half full, so that the next one is far.
	Working   float64 // iterations in full, 0.3
	ShortTerm float64 // iterations trimmed, 0.2
	LongTerm  float64 // stubs, 0.2
	Retrieved float64 // recalled pieces, 0.1
	Dynamic   float64 // where things stand, 0.1
	Period    int     // iterations between periodic triggers; 0 adapts: 50, 20 above half, 5 above 80 %
	Cooldown  int     // iterations without folding after a fold that was worth nothing, 5
	// An epoch that is not urgent begins only when what it saves in the turns
	// to come outweighs writing the cache anew.
	ExpectedTurns  int     // turns to come, 10
	CacheReadPrice float64 // of a token read from the cache, 0.1 of one that is not cached
	CacheWrite     float64 // of a token written to it, 1.25
	NoRecall       bool    // recall only what is asked for
	RecallFrom     float64 // importance from which a fold opens that the present names, 0.3
}

func (o FoldingOptions) withDefaults() (FoldingOptions, error) {
	set := func(v *float64, d float64) {
		if *v == 0 {
			*v = d
		}
	}
	set(&o.Trigger, 0.8)
	set(&o.Working, 0.3)
	set(&o.ShortTerm, 0.2)
	set(&o.LongTerm, 0.2)
	set(&o.Retrieved, 0.1)
	set(&o.Dynamic, 0.1)
	set(&o.CacheReadPrice, 0.1)
	set(&o.RecallFrom, 0.3)
	set(&o.CacheWrite, 1.25)
	o.KeepTurns = cmp.Or(o.KeepTurns, 5)
	o.Cooldown = cmp.Or(o.Cooldown, 5)
	o.ExpectedTurns = cmp.Or(o.ExpectedTurns, 10)
	const rounding = 1e-6 // 0.05 + 0.1 + 0.45 + 0.3 + 0.1 is a little more than 1
	if o.Trigger < 0 || o.Trigger > 1 || o.Working+o.ShortTerm+o.LongTerm+o.Retrieved+o.Dynamic > 1+rounding {
		return o, fmt.Errorf("%w folding options: trigger and the sum of the zones must lie between 0 and 1", memory.ErrInvalid)
	}
	return o, nil
}

// Stats are health figures of a folding.
type Stats struct {
	Epochs  int    // committed
	Refused int    // epochs that were not worth it, or could not be committed
	Refusal string // why the last of these was refused
	Recalls int
	// Reads of what lies in folds alone: those of which a recall had opened lines
	// before, at least half of them, and none.
	ForeseenExpands, HalfShown, MissedExpands int
	Folds                                     int // blocks that stand now, those in others apart
}

// Folder is the strategy [Folding]. Between two epochs what it builds only grows
// at its end.
type Folder struct {
	o     FoldingOptions
	opt   Options
	state *foldState
	write summarizer

	facts   map[int]*iterationFacts
	files   map[string]knownFile           // by base name
	shown   map[shownKey]shownIteration    // rendered iterations, of one version of the state
	stubs   map[*Block]string              // what blocks say, which never changes
	gaps    map[[2]int][]journal.Iteration // between folds
	version int
	marked  string // why an epoch is due; empty for not
	since   int    // iteration of the last periodic look
	rest    int    // iteration until which nothing is folded after a useless fold
	looked  int    // newest iteration that was looked at for recall
	asked   struct {
		event journal.Event
		text  string
	} // what the run is for; empty until it is known
	acted int // iteration of the first success that was folded; 0 until one is known
	stats Stats
}

// NewFolder returns the folding itself, for whoever folds and unfolds by hand.
// [New] gives it as a [Builder].
func NewFolder(o *Options) (*Folder, error) {
	var opt Options
	if o != nil {
		opt = *o
	}
	fo, err := opt.Folding.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Folder{
		o: fo, opt: opt, state: newFoldState(), write: summarizer{model: opt.Model},
		facts: map[int]*iterationFacts{}, files: map[string]knownFile{}, shown: map[shownKey]shownIteration{}, stubs: map[*Block]string{},
		gaps: map[[2]int][]journal.Iteration{},
	}, nil
}

// Stats returns the figures of this folder.
func (f *Folder) Stats() Stats {
	s := f.stats
	s.Folds = len(f.state.tops)
	return s
}

// Build makes the context of the folds that are committed. When it would be
// above the trigger, an epoch begins first.
func (f *Folder) Build(ctx context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	f.state.read(in.View)
	if err := f.catchUp(ctx, in); err != nil {
		return nil, err
	}
	l := f.layout(in, capsFor(in.Limit, f.opt.OffloadTokens))
	trigger := f.trigger(in)
	hard := 0
	for ; l.cost > trigger && hard < 4 && (f.rest < in.Iteration || l.cost > in.Limit); hard++ {
		if err := f.epoch(ctx, in, l, "pressure", hard); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			f.refused(err)
			if l.cost <= in.Limit {
				f.rest = in.Iteration + f.o.Cooldown
				break
			}
			continue
		}
		l = f.layout(in, l.caps)
	}
	if l.cost <= in.Limit {
		return in.opened(l.messages())
	}
	return f.desperate(in, l)
}

// trigger is the size from which folding is urgent, in tokens.
func (f *Folder) trigger(in Input) int {
	if f.o.TriggerTokens > 0 {
		return min(f.o.TriggerTokens, in.Limit)
	}
	return int(f.o.Trigger * float64(in.Limit))
}

// OnIterationComplete looks whether folding is due, begins an epoch when it
// pays, and recalls what the iteration asks for.
func (f *Folder) OnIterationComplete(ctx context.Context, in Input) error {
	in = in.withDefaults()
	f.state.read(in.View)
	if err := f.catchUp(ctx, in); err != nil {
		return err
	}
	l := f.layout(in, capsFor(in.Limit, f.opt.OffloadTokens))
	fill := float64(l.cost) / float64(in.Limit)
	if it := f.iteration(in, in.Iteration); it != nil {
		f.readAgain(in, it)
		if it.done && f.marked == "" {
			f.marked = "semantic"
		}
	}
	if f.marked == "" && in.Iteration-f.since >= f.period(fill) {
		f.marked = "periodic"
	}
	if f.marked != "" && f.rest < in.Iteration && l.cost <= f.trigger(in) {
		f.since = in.Iteration
		if fill >= halfFull || f.o.Period > 0 {
			if err := f.epoch(ctx, in, l, f.marked, 0); err != nil {
				if ctx.Err() != nil {
					return err
				}
				f.refused(err)
			}
		}
	}
	if !f.o.NoRecall && f.looked < in.Iteration {
		f.looked = in.Iteration
		f.recall(ctx, in)
	}
	return nil
}

// refused notes that an epoch did not happen: the context stays as it was.
func (f *Folder) refused(err error) {
	f.stats.Refused++
	f.stats.Refusal = err.Error()
}

// period is after how many iterations folding is looked at by itself.
func (f *Folder) period(fill float64) int {
	switch {
	case f.o.Period > 0:
		return f.o.Period
	case fill < halfFull:
		return periodEmpty
	case fill <= nearlyFull:
		return periodHalf
	}
	return periodFull
}

// OnPhaseComplete marks what is before it for folding.
func (f *Folder) OnPhaseComplete(_ context.Context, _ Input, _ string) error {
	f.marked = "semantic"
	return nil
}

// desperate makes a context when folding alone cannot: texts are cut shorter and
// shorter, then the oldest parts stay out. The last iteration goes last.
func (f *Folder) desperate(in Input, l layout) ([]Placed, error) {
	for c := l.caps; !c.tightest(); {
		c = c.tighter()
		if l = f.layout(in, c); l.cost <= in.Limit {
			return in.opened(l.messages())
		}
	}
	for len(l.parts) > 1 && l.cost > in.Limit {
		l.cost -= l.parts[0].cost
		l.parts = l.parts[1:]
	}
	if l.cost > in.Limit && len(l.parts) == 1 {
		its := in.View.Iterations(in.Iteration, in.Iteration)
		room := in.Limit - in.cost(l.head)
		if len(its) > 0 && room > 0 {
			m, err := in.squeeze(its[0].Events, l.caps, room)
			if err != nil {
				return nil, err
			}
			l.parts[0] = part{iteration: in.Iteration, messages: m, cost: in.cost(m)}
		} else {
			l.parts = nil
		}
	}
	return in.opened(l.messages())
}
