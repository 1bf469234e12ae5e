package items

import (
	"cmp"
	"context"
	"slices"

	"orihon/memory"
)

// ExtractorTrust is how far one who remembers things can be trusted: the share
// of what it added that nobody had to take back.
type ExtractorTrust struct {
	Name   string         `json:"name"` // as the audit trail names it: a source such as user or agent, or a detector
	Added  int            `json:"added"`
	Undone map[string]int `json:"undone,omitempty"` // by reason; "" is without one
	// Score is the mean of the Beta distribution of (Added − faults) successes
	// and as many failures as faults, after a prior of 4 successes and 1
	// failure: one who added nothing has 0.8.
	Score float64 `json:"score"`
}

// Prior successes and failures of [ExtractorTrust.Score].
const (
	priorGood = 4
	priorBad  = 1
)

// fault is how much an undo of a reason says against the extractor. What grew
// old was right once; a duplicate is half a fault, for another part should have
// known it; an undo without a reason says nothing.
func fault(reason string) float64 {
	switch reason {
	case ReasonWrong, ReasonNoise, ReasonPrivate:
		return 1
	case ReasonDuplicate:
		return 0.5
	}
	return 0
}

// Trust is the [ExtractorTrust.Score] of who added so many, of which some were taken
// back, by reason.
func Trust(added int, undone map[string]int) float64 {
	faults := 0.0
	for reason, n := range undone {
		faults += float64(n) * fault(reason)
	}
	return (priorGood + float64(added) - faults) / (priorGood + priorBad + float64(added))
}

// Extractors returns the trust in each that added something, by name. An undo
// that was redone does not count.
func (t *Items) Extractors(ctx context.Context) ([]ExtractorTrust, error) {
	by := make(map[string]*ExtractorTrust)
	for _, sp := range t.h.Spaces() {
		added := make(map[string]string)  // extractor by item
		undone := make(map[string]string) // reason by item
		for r, err := range sp.Text.Audits(ctx, nil) {
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
			case r.Op == memory.AuditAdd || r.Op == memory.AuditSupersede:
				if _, again := added[r.ID]; !again {
					added[r.ID] = r.By
				}
			case r.Op == memory.AuditUndo && r.Other == "":
				if r.To > 0 { // what was added is there
					delete(undone, r.ID)
				} else {
					undone[r.ID] = r.Reason
				}
			}
		}
		for id, name := range added {
			if by[name] == nil {
				by[name] = &ExtractorTrust{Name: name, Undone: map[string]int{}}
			}
			e := by[name]
			e.Added++
			if reason, gone := undone[id]; gone {
				e.Undone[reason]++
			}
		}
	}
	out := []ExtractorTrust{}
	for _, e := range by {
		e.Score = Trust(e.Added, e.Undone)
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b ExtractorTrust) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
