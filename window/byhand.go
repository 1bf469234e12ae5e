package window

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orihon/journal"
	"orihon/memory"
)

// Blocks returns what is folded in a view, oldest first, without the blocks that
// lie in others.
func Blocks(v *journal.View) []Block {
	s := newFoldState()
	s.read(v)
	var out []Block
	for _, b := range s.tops {
		out = append(out, *b)
	}
	return out
}

// FoldRange folds iterations by hand into one block and returns it. A range that
// cuts through a fold, holds what is never folded, or whose fold would save less
// than a tenth, is a [memory.ErrInvalid].
func (f *Folder) FoldRange(ctx context.Context, in Input, from, to int) (Block, error) {
	in = in.withDefaults()
	f.state.read(in.View)
	var children []*Block
	for _, b := range f.state.tops {
		if b.Iterations[1] < from || b.Iterations[0] > to {
			continue
		}
		if b.Iterations[0] < from || b.Iterations[1] > to {
			return Block{}, fmt.Errorf("%w range %d to %d: it cuts through %s (%d to %d); fold around it or unfold it first", memory.ErrInvalid, from, to, b.Ref(), b.Iterations[0], b.Iterations[1])
		}
		children = append(children, b)
	}
	if len(in.View.Range(from, to)) == 0 {
		return Block{}, fmt.Errorf("%w range %d to %d: the run has the iterations %d to %d", memory.ErrInvalid, from, to, in.View.FirstIteration(), in.View.LastIteration())
	}
	if err := f.mayFold(in, from, to); err != nil {
		return Block{}, err
	}
	p := f.planner(in)
	level := Digest
	if to-from >= chapterIterations {
		level = Chapter
	}
	if len(children) > 0 && !covers(children, from, to) {
		children = nil // iterations lie between them: the range is summed up anew
	}
	if !p.fold(ctx, level, from, to, children) {
		return Block{}, fmt.Errorf("%w range %d to %d: folding it would save less than a tenth", memory.ErrInvalid, from, to)
	}
	now := f.layout(in, capsFor(in.Limit, f.opt.OffloadTokens))
	plan := foldEvent{Epoch: len(f.state.epochs) + 1, Reason: "manual", Blocks: p.made, Before: now.cost, LongTerm: p.longTerm(f.state.trimmed)}
	plan.After, _ = f.preview(in, plan, now)
	if err := write(ctx, in.View, journal.Fold, plan); err != nil {
		return Block{}, err
	}
	f.state.read(in.View)
	if got := f.state.byNumber[p.made[0].Number]; got == nil || got.ID != p.made[0].ID {
		return Block{}, fmt.Errorf("%w range %d to %d: another process folded at the same time; look at its folds and try again", memory.ErrInvalid, from, to)
	}
	return p.made[0], nil
}

// mayFold refuses a range with iterations that are never folded, and names them
// and the ranges between them.
func (f *Folder) mayFold(in Input, from, to int) error {
	free := f.unfolded(in, f.layout(in, capsFor(in.Limit, f.opt.OffloadTokens)))
	newest := protection{why: fmt.Sprintf("one of the last %d", f.o.KeepTurns)}
	for _, it := range free[max(0, len(free)-f.o.KeepTurns):] {
		newest.iterations = append(newest.iterations, it.n)
	}
	var never []int
	var why []string
	for _, p := range append([]protection{newest}, protections(free, f.state.bookmarks, f.firstActed(free, in), in.Iteration)...) {
		of := slices.DeleteFunc(p.iterations, func(n int) bool { return n < from || n > to || slices.Contains(never, n) })
		if len(of) > 0 {
			slices.Sort(of)
			never, why = append(never, of...), append(why, ints(of)+" ("+p.why+")")
		}
	}
	if len(never) == 0 {
		return nil
	}
	slices.Sort(never)
	var ranges []string
	start := max(from, in.View.FirstIteration())
	for _, n := range append(slices.Clone(never), min(to, in.View.LastIteration())+1) {
		if n > start {
			ranges = append(ranges, fmt.Sprintf("%d-%d", start, n-1))
		}
		start = n + 1
	}
	instead := "nothing between them is left to fold"
	if len(ranges) > 0 {
		instead = "fold " + strings.Join(ranges, ", ") + " instead"
	}
	return fmt.Errorf("%w range %d to %d: never folded are %s; %s", memory.ErrInvalid, from, to, strings.Join(why, ", "), instead)
}

func covers(children []*Block, from, to int) bool {
	for _, c := range children {
		if c.Iterations[0] != from {
			return false
		}
		from = c.Iterations[1] + 1
	}
	return from > to
}

// Unfold opens a fold for good: the range is shown as it was before. ref is a
// short number ("F7") or an id. A fold that lies in another is a
// [memory.ErrInvalid]: the outer one is unfolded first.
func (f *Folder) Unfold(ctx context.Context, v *journal.View, ref string) (Block, error) {
	f.state.read(v)
	b := f.state.find(ref)
	if b == nil {
		return Block{}, fmt.Errorf("%w fold %q: there are %s", memory.ErrInvalid, ref, f.state.names())
	}
	in, lies := f.state.nested[b.Number]
	if !lies && !f.state.folded[b.Number] {
		return Block{}, fmt.Errorf("%w fold %s: it is not folded now, its iterations %d to %d are shown already or lie in another fold", memory.ErrInvalid, b.Ref(), b.Iterations[0], b.Iterations[1])
	}
	if lies {
		return Block{}, fmt.Errorf("%w fold %s: it lies in F%d; unfold that first", memory.ErrInvalid, b.Ref(), in.parent)
	}
	if err := write(ctx, v, journal.Unfold, unfoldEvent{ID: b.ID, Number: b.Number}); err != nil {
		return Block{}, err
	}
	f.state.read(v)
	return *b, nil
}
