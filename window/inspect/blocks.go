package inspect

import (
	"slices"

	"orihon/journal"
	"orihon/window"
)

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
			out = append(out, FoldedBlock{Block: b, Epoch: f.Epoch, Reason: f.Reason})
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
	Top    bool   `json:"top"`    // shown as a stub: it lies in no other
	Open   bool   `json:"open"`   // unfolded again
}
