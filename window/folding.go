package window

import (
	"context"
	"fmt"
	"slices"

	"orihon/internal/inert"
	"orihon/internal/tokens"
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
	set(&o.CacheWrite, 1.25)
	if o.KeepTurns == 0 {
		o.KeepTurns = 5
	}
	if o.Cooldown == 0 {
		o.Cooldown = 5
	}
	if o.ExpectedTurns == 0 {
		o.ExpectedTurns = 10
	}
	if o.Trigger < 0 || o.Trigger > 1 || o.Working+o.ShortTerm+o.LongTerm+o.Retrieved+o.Dynamic > 1 {
		return o, fmt.Errorf("%w folding options: trigger and the sum of the zones must lie between 0 and 1", memory.ErrInvalid)
	}
	return o, nil
}

// Stats are health figures of a folding.
type Stats struct {
	Epochs        int    // committed
	Refused       int    // epochs that were not worth it, or could not be committed
	Refusal       string // why the last of these was refused
	Recalls       int
	MissedExpands int // files read again that lie in a fold
}

// Folder is the strategy [Folding]. Between two epochs what it builds only grows
// at its end.
type Folder struct {
	o     FoldingOptions
	opt   Options
	state *foldState
	write summarizer

	facts   map[int]*iterationFacts
	shown   map[shownKey]shownIteration // rendered iterations, of one version of the state
	version int
	marked  string // why an epoch is due; empty for not
	since   int    // iteration of the last periodic look
	rest    int    // iteration until which nothing is folded after a useless fold
	looked  int    // newest iteration that was looked at for recall
	stats   Stats
}

type shownKey struct {
	n       int
	trimmed bool
	caps    caps
	from    int64 // reasoning kept from
}

type shownIteration struct {
	messages []Placed
	cost     int
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
		facts: map[int]*iterationFacts{}, shown: map[shownKey]shownIteration{},
	}, nil
}

func newFolding(o Options) (Builder, error) {
	f, err := NewFolder(&o)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Stats returns the figures of this folder.
func (f *Folder) Stats() Stats { return f.stats }

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
		f.missedExpands(it)
		if it.done && f.marked == "" {
			f.marked = "semantic"
		}
	}
	if f.marked == "" && in.Iteration-f.since >= f.period(fill) {
		f.marked = "periodic"
	}
	if f.marked != "" && f.rest < in.Iteration && l.cost <= f.trigger(in) {
		f.since = in.Iteration
		if fill >= 0.5 || f.o.Period > 0 {
			if err := f.epoch(ctx, in, l, f.marked, 0); err != nil {
				if ctx.Err() != nil {
					return err
				}
				f.refused(err)
			}
		}
	}
	if f.o.NoRecall || f.looked >= in.Iteration {
		return nil
	}
	f.looked = in.Iteration
	return f.recall(ctx, in)
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
	case fill < 0.5:
		return 50
	case fill <= 0.8:
		return 20
	}
	return 5
}

// OnPhaseComplete marks what is before it for folding.
func (f *Folder) OnPhaseComplete(_ context.Context, _ Input, _ string) error {
	f.marked = "semantic"
	return nil
}

// layout is a context in parts.
type layout struct {
	caps  caps
	head  []Placed
	parts []part // oldest first
	cost  int
}

// part is an iteration or a folded block as it is shown.
type part struct {
	iteration int    // 0 for a block
	block     *Block // nil for an iteration
	messages  []Placed
	cost      int
}

func (l *layout) messages() []Placed {
	out := slices.Clone(l.head)
	for _, p := range l.parts {
		out = append(out, p.messages...)
	}
	return out
}

// layout shows what the journal and its folds come to: a function of these and
// of the caps alone.
func (f *Folder) layout(in Input, c caps) layout {
	if f.version != f.state.version || len(f.shown) > 4096 {
		f.version = f.state.version
		clear(f.shown)
	}
	l := layout{caps: c, head: in.foldingHead(f.state)}
	l.cost = in.cost(l.head)
	from := in.View.FirstIteration()
	add := func(p part) {
		l.parts = append(l.parts, p)
		l.cost += p.cost
	}
	iterations := func(to int) {
		if to < from {
			return
		}
		for _, it := range in.View.Iterations(from, to) {
			add(f.show(in, it, c))
		}
	}
	for _, b := range f.state.top() {
		if b.Iterations[1] > in.Iteration {
			continue
		}
		iterations(b.Iterations[0] - 1)
		m := []Placed{asUser(b.stub(), KindFolds, ZoneLongTerm)}
		add(part{block: b, messages: m, cost: in.cost(m)})
		from = max(from, b.Iterations[1]+1)
	}
	iterations(in.Iteration)
	return l
}

// foldingHead is what stands before everything else and never changes, but that
// folds are explained once there are any.
func (in Input) foldingHead(s *foldState) []Placed {
	var out []Placed
	if in.System != "" {
		out = append(out, asSystem(in.System))
	}
	if in.Task != "" {
		out = append(out, asUser("Task: "+tokens.Fit(in.Task, max(16, in.Limit/10)), KindTask, ZoneStatic))
	}
	if len(s.top()) > 0 {
		out = append(out, asUser(foldedBefore, KindFolds, ZoneStatic))
	}
	if ep := s.current(); ep != nil && len(ep.LongTerm) > 0 {
		out = append(out, asUser(longTermMessage(ep.LongTerm), "", ""))
	}
	return out
}

// show renders an iteration at its level. What is complete is rendered once.
func (f *Folder) show(in Input, it journal.Iteration, c caps) part {
	var from int64
	if ep := f.state.current(); ep != nil {
		from = ep.seq
	}
	key := shownKey{it.N, f.state.trimmed(it.N), c, from}
	s, ok := f.shown[key]
	if !ok {
		r := renderer{
			view: in.View, caps: c, upto: in.Iteration, brief: key.trimmed, reasoningFrom: from,
			note: func(e journal.Event) []Placed { return f.note(in, e) },
		}
		r.events(it.Events)
		s = shownIteration{r.out, in.cost(r.out)}
		if it.N < in.Iteration {
			f.shown[key] = s
		}
	}
	return part{iteration: it.N, messages: s.messages, cost: s.cost}
}

// note renders what folding itself wrote into the stream: where things stood
// when the present epoch began, and recalled pieces that are open.
func (f *Folder) note(in Input, e journal.Event) []Placed {
	switch e.Type {
	case journal.Fold:
		if ep := f.state.current(); ep != nil && ep.seq == e.Seq && ep.Digest != "" {
			return []Placed{asUser(inert.Text(ep.Digest), KindStatus, ZoneDynamic)}
		}
	case journal.Recalled:
		for _, r := range f.state.recalls {
			if r.seq == e.Seq && f.state.open(r) {
				if text := f.recalled(in.View, r); text != "" {
					return []Placed{asUser(text, KindRecalled, ZoneRetrieved)}
				}
			}
		}
	}
	return nil
}

// iteration returns the facts of an iteration, read once when it is complete.
func (f *Folder) iteration(in Input, n int) *iterationFacts {
	if got := f.facts[n]; got != nil {
		return got
	}
	its := in.View.Iterations(n, n)
	if len(its) == 0 {
		return nil
	}
	it := readFacts(in.View, its[0])
	c := capsFor(in.Limit, f.opt.OffloadTokens)
	full := render(in.View, its[0].Events, c, in.Iteration)
	it.full = in.cost(full)
	for _, m := range full {
		for _, r := range m.Reasoning {
			it.reasoning += in.Tokens(r.Text) + in.Tokens(r.Signature)
		}
	}
	r := renderer{view: in.View, caps: c, upto: in.Iteration, brief: true, reasoningFrom: noReasoning}
	r.events(its[0].Events)
	it.trimmed = in.cost(r.out)
	if n < in.Iteration {
		f.facts[n] = it
	}
	return it
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
