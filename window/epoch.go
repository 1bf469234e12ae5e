package window

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/journal"
)

// epoch plans a rewrite of the context, checks it, and commits it with one FOLD
// event. Whatever fails before leaves everything as it was. hard, from 0 to 3,
// is how much of what is kept by rule gives way.
func (f *Folder) epoch(ctx context.Context, in Input, now layout, reason string, hard int) error {
	plan, finish := f.plan(ctx, in, now, hard)
	if len(plan.Blocks) == 0 {
		return fmt.Errorf("%w: nothing can be folded", errFold)
	}
	plan.Epoch, plan.Reason, plan.Before = len(f.state.epochs)+1, reason, now.cost
	// What is added to a plan only makes it larger: one that is not worth it
	// without is not worth it with it.
	for _, add := range []func(*foldEvent){func(*foldEvent) {}, finish} {
		add(&plan)
		after, common := f.preview(in, plan, now)
		plan.After = after
		if 10*after > foldTenths*now.cost {
			return fmt.Errorf("%w: %d tokens would become %d", errFold, now.cost, after)
		}
		if reason != "pressure" && reason != "manual" && !f.pays(now, after, common) {
			return fmt.Errorf("%w: the cache is worth more", errFold)
		}
	}
	if err := write(ctx, in.View, journal.Fold, plan); err != nil {
		return fmt.Errorf("commit the epoch: %w", err)
	}
	f.state.read(in.View)
	f.marked, f.since = "", in.Iteration
	f.stats.Epochs++
	return nil
}

// pays reports whether what an epoch saves in the turns to come outweighs
// writing anew to the cache what changes. Reasoning that is lost counts as if
// it had to be written again.
func (f *Folder) pays(now layout, after, common int) bool {
	saved := float64(now.cost-after) * f.o.CacheReadPrice * float64(f.o.ExpectedTurns)
	lost := 0
	for _, p := range now.parts {
		for _, m := range p.messages {
			for _, r := range m.Reasoning {
				lost += tokens.Estimate(r.Text)
			}
		}
	}
	cost := float64(max(0, after-common))*(f.o.CacheWrite-f.o.CacheReadPrice) + float64(lost)*f.o.CacheReadPrice
	return saved > cost
}

// preview is the size of the context after a plan, and how much of its
// beginning stays as it is. It tries the plan on a copy of the state.
func (f *Folder) preview(in Input, plan foldEvent, now layout) (after, common int) {
	e, err := journal.New(journal.Fold, "", plan)
	if err != nil {
		return now.cost, 0
	}
	e.Seq, e.Iter = f.state.next, in.Iteration
	trial := *f
	trial.state, trial.version = f.state.clone(), -1
	trial.shown, trial.stubs = map[shownKey]shownIteration{}, maps.Clone(f.stubs)
	trial.state.take(in.View, e)
	l := trial.layout(in, now.caps)
	after = l.cost + tokens.Estimate(plan.Digest)
	before, then := now.messages(), l.messages()
	for i := range min(len(before), len(then)) {
		if !same(before[i].Message, then[i].Message) {
			break
		}
		common += Cost(then[i].Message, in.Tokens)
	}
	return after, common
}

// plan decides what is folded: the newest iterations stay in full while half of
// the working zone lasts, those before are trimmed while half of the short-term
// zone lasts, the rest becomes stubs, and the oldest stubs chapters and phases.
// finish adds what is worth its cost once the plan is worth its own.
func (f *Folder) plan(ctx context.Context, in Input, now layout, hard int) (plan foldEvent, finish func(*foldEvent)) {
	free := f.unfolded(in, now)
	p := f.planner(in)
	p.yields = hard > 0
	var back []*iterationFacts // open again
	if hard == 0 {
		for _, b := range p.reopens(int(f.o.ShortTerm*float64(in.Limit)) / 3) {
			plan.Reopened = append(plan.Reopened, b.Number)
			back = append(back, p.reopen(b)...)
		}
	}
	keep := f.keep(in, free, hard)
	var run []*iterationFacts
	for _, it := range free {
		if len(run) > 0 && (keep[it.n] != foldIt || it.n != run[len(run)-1].n+1) {
			p.digest(ctx, run)
			run = nil
		}
		if keep[it.n] == foldIt {
			run = append(run, it)
		}
	}
	p.digest(ctx, run)
	shrink := 1 << hard
	p.chapters(ctx, int(f.o.LongTerm*float64(in.Limit))/2/shrink)
	plan.Blocks = p.made
	for _, it := range back {
		keep[it.n] = trimIt
	}
	for _, part := range [...][]*iterationFacts{free, back} {
		if trim, ok := p.trim(part, keep); ok {
			plan.Blocks = append(plan.Blocks, trim)
		}
	}
	return plan, func(plan *foldEvent) {
		plan.LongTerm = p.longTerm(func(n int) bool { return keep[n] == trimIt || f.state.trimmed(n) })
		plan.Digest = f.status(in, p.blocks, int(f.o.Dynamic*float64(in.Limit))/2)
	}
}

// unfolded are the facts of the iterations that lie in no block, oldest first.
func (f *Folder) unfolded(in Input, now layout) []*iterationFacts {
	var out []*iterationFacts
	for _, p := range now.parts {
		if p.block != nil {
			continue
		}
		if it := f.iteration(in, p.iteration); it != nil {
			out = append(out, it)
		}
	}
	return out
}

// fate is what an epoch does with an iteration.
type fate int

const (
	foldIt fate = iota
	trimIt
	keepIt
)

// keep decides what happens to each iteration. Under pressure the rules give
// way: half as much room with each step of hard.
func (f *Folder) keep(in Input, free []*iterationFacts, hard int) map[int]fate {
	out := map[int]fate{}
	shrink := 1 << hard
	working := int(f.o.Working*float64(in.Limit)) / 2 / shrink
	short := int(f.o.ShortTerm*float64(in.Limit)) / 2 / shrink
	least := max(1, f.o.KeepTurns/shrink)
	i := len(free) - 1
newest:
	for kept := 0; i >= 0 && kept < fullAtMost; i-- {
		it := free[i]
		size := it.full - it.reasoning
		switch {
		case kept == 0 || working >= size:
			working -= size
			out[it.n] = keepIt
		case kept < least:
			out[it.n] = trimIt // never folded, but there is no room for all of it
		default:
			break newest
		}
		kept++
	}
	older := free[:i+1]

	// What rules keep goes first into the room there is for it.
	guard := in.Limit / 10 / shrink
	byNumber := map[int]*iterationFacts{}
	for _, it := range older {
		byNumber[it.n] = it
	}
	for _, n := range protectedIterations(older, f.state.bookmarks, f.firstActed(older, in), in.Iteration) {
		if it := byNumber[n]; it != nil && guard >= it.full && hard < 3 {
			guard -= it.full
			out[n] = keepIt
		}
	}
	// So does what was asked for again and again.
	for _, it := range older {
		if out[it.n] == foldIt && hard == 0 && f.state.warm[it.n] >= in.Iteration && short >= it.trimmed {
			short -= it.trimmed
			out[it.n] = trimIt
		}
	}
	// The nearest of the others are trimmed.
	near := slices.Clone(older)
	at := f.distances(in, free)
	slices.SortStableFunc(near, func(a, b *iterationFacts) int {
		return cmp.Or(cmp.Compare(at[a.n], at[b.n]), b.n-a.n)
	})
	for _, it := range near {
		if out[it.n] != foldIt || in.Iteration-it.n > trimmedAtMost {
			continue
		}
		if short -= it.trimmed; short < 0 {
			break
		}
		out[it.n] = trimIt
	}
	return out
}

// firstActed reports whether the first success of the run lies folded before these
// iterations. Of what cannot be read any more it is taken for granted.
func (f *Folder) firstActed(older []*iterationFacts, in Input) bool {
	before := in.Iteration + 1
	if len(older) > 0 {
		before = older[0].n
	}
	if f.acted == 0 {
		for _, top := range f.state.tops {
			for n := top.Iterations[0]; n <= top.Iterations[1] && f.acted == 0; n++ {
				if it := f.iteration(in, n); it == nil || it.acted {
					f.acted = n
				}
			}
		}
	}
	return f.acted > 0 && f.acted < before
}

// distances of iterations, less for important ones.
func (f *Folder) distances(in Input, free []*iterationFacts) map[int]float64 {
	touched := map[string]int{}
	present := map[string]bool{}
	for i, it := range free {
		for _, file := range slices.Concat(it.edited, it.read) {
			touched[file] = it.n
		}
		if i >= len(free)-3 {
			for n := range it.names {
				present[n] = true
			}
		}
	}
	out := map[int]float64{}
	for _, it := range free {
		d := it.distance(in.Iteration, touched, present)
		out[it.n] = d * (1.2 - importance(int(d), 0, len(it.failed) > 0, it.changed)/2)
	}
	return out
}

// status is where things stand when an epoch begins: it takes the place of what
// the model would have to gather from the folds.
func (f *Folder) status(in Input, folded []*Block, limit int) string {
	from := in.View.FirstIteration()
	if n := in.Iteration - statusBack; n > from {
		from = n // further back the stubs tell
	}
	r := readRecord(in.View, in.View.Range(from, in.Iteration))
	w, l := indexWriter{budget: limit - 12}, english()
	lines := []string{"[Where things stand at iteration " + strconv.Itoa(in.Iteration) + "]"}
	items, _ := activity.Items(r.acts)
	lines = append(lines, w.reserve(labelled("The user's instructions that still hold, in their words:", stillHold(folded), limit/2, false))...)
	lines = append(lines, w.reserve(r.requestLine(limit/3))...)
	lines = append(lines, w.reserve(labelled("Open items:", itemLines(items, &l), limit/3, true))...)
	lines = append(lines, w.reserve(labelled("Errors not settled:", openFailures(r.failures(whole)), limit/4, false))...)
	lines = append(lines, w.reserve(fileLine("Files changed (times): ", r.touched(activity.Editing), limit/4, &l))...)
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// stillHold are the instructions in folds that go on to hold, each where it was
// last given.
func stillHold(folded []*Block) []string {
	var out []string
	seen := map[string]bool{}
	for _, b := range slices.Backward(folded) {
		for _, text := range slices.Backward(b.Instructions) {
			if key := terms.Fold(text); lasts(text) && !seen[key] {
				seen[key] = true
				out = append(out, held(text, 300))
			}
		}
	}
	slices.Reverse(out)
	return out
}

// held is an instruction in at most so many characters: of a longer one the sentences
// that go on to hold.
func held(instruction string, most int) string {
	if len(instruction) > most {
		kept := slices.DeleteFunc(sentences(instruction), func(s string) bool { return !lasts(s) })
		if len(kept) > 0 {
			instruction = strings.Join(kept, " ")
		}
	}
	return clip(instruction, most)
}

// requestLine is the newest request, verbatim while it fits.
func (r *record) requestLine(limit int) []string {
	if len(r.prompts) == 0 || limit < 12 {
		return nil
	}
	return []string{"Current request: " + tokens.Fit(oneLine(r.prompts[len(r.prompts)-1].text), limit-6)}
}

func openFailures(all []failure) []string {
	var out []string
	for i := range all {
		if f := &all[i]; f.settled == 0 && !f.Looks() {
			out = append(out, f.line(40, 110))
		}
	}
	return newest(out, 4)
}
