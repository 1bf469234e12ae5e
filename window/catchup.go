package window

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"orihon/internal/activity"
	"orihon/journal"
)

// A run that was long before it was folded for the first time is not read word
// for word: its far part becomes a few coarse blocks, made of what was asked and
// which files were changed. They open like any other.
const (
	catchUpFrom   = 600 // iterations without a fold
	catchUpKeep   = 150 // newest of them that are folded with care
	catchUpBlocks = 8
)

// catchUp folds the far part of a long run that was never folded.
func (f *Folder) catchUp(ctx context.Context, in Input) error {
	from := in.View.FirstIteration()
	if top := f.state.tops; len(top) > 0 {
		from = top[len(top)-1].Iterations[1] + 1
	}
	if in.Iteration-from < catchUpFrom {
		return nil
	}
	to := in.Iteration - catchUpKeep
	size := (to-from)/catchUpBlocks + 1
	plan := foldEvent{Epoch: len(f.state.epochs) + 1, Reason: "catch_up"}
	number := f.state.last
	for a := from; a <= to; a += size {
		number++
		plan.Blocks = append(plan.Blocks, coarseBlock(in.View, number, a, min(a+size-1, to)))
	}
	p := f.planner(in)
	for i := range plan.Blocks {
		p.blocks = append(p.blocks, &plan.Blocks[i])
	}
	plan.LongTerm = p.longTerm(f.state.trimmed)
	e, err := journal.New(journal.Fold, "", plan)
	if err != nil {
		return err
	}
	if _, err := in.View.Append(ctx, e); err != nil {
		if ctx.Err() != nil {
			return err
		}
		// Only looked at: the folds hold for this builder.
		e.Seq, e.Iter = f.state.next, in.Iteration
		f.state.take(in.View, e)
		return nil
	}
	f.state.read(in.View)
	f.stats.Epochs++
	return nil
}

// coarseBlock folds a long range without reading what tools answered.
func coarseBlock(v *journal.View, number, from, to int) Block {
	events := v.Range(from, to)
	b := Block{Number: number, Level: Sentence, Iterations: [2]int{from, to}}
	b.stands(events)
	edits := map[string]int{}
	var order []string
	bytes := 0
	for _, e := range events {
		bytes += len(e.Payload)
		switch e.Type {
		case journal.UserMessage:
			if text := Typed(v, e); text != "" {
				b.Instructions = append(b.Instructions, clip(oneLine(text), 400))
			}
		case journal.ActionRequest:
			var a journal.Action
			if v.Decode(e, &a) != nil {
				continue
			}
			act := actOf(e, a)
			if act.Effect() != activity.Editing {
				continue
			}
			if edits[act.Files[0]] == 0 {
				order = append(order, act.Files[0])
			}
			edits[act.Files[0]]++
		}
	}
	b.Tokens = bytes / 4
	for _, file := range newest(order, 2*maxFactLines) {
		b.StateChanges = append(b.StateChanges, fmt.Sprintf("changed %s (%d times)", file, edits[file]))
		b.Entities = append(b.Entities, activity.Base(file))
	}
	asked := len(b.Instructions)
	b.Instructions = standing(b.Instructions, 2*maxFactLines)
	b.Summary.Title = cmp.Or(changedTitle(b.StateChanges), "The run up to iteration "+strconv.Itoa(to))
	b.Summary.Outcome = fmt.Sprintf("%d requests, %d files changed", asked, len(order))
	b.Keywords = keywords(b.Summary, facts{Files: b.Entities})
	return b
}
