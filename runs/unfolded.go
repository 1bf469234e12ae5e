package runs

import "orihon/window"

// Unfolded is about how many tokens stand behind an event and in no fold.
func (r *Run) Unfolded(after int64) int {
	bytes := 0
	blocks := window.Blocks(r.view)
	folded := 0
	if len(blocks) > 0 {
		folded = blocks[len(blocks)-1].Iterations[1]
	}
	for _, e := range r.view.From(after + 1) {
		if e.Iter > folded {
			bytes += len(e.Payload)
		}
	}
	return bytes / 4
}
