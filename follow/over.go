package follow

import (
	"context"
	"fmt"

	"orihon/internal/extract"
	"orihon/internal/meaning"
	"orihon/internal/terms"
	"orihon/items"
	"orihon/memory"
)

// over tells which instructions of a session's prompts hold no longer: memory kept them
// from that prompt, and has forgotten, ended or changed them since.
func (f *Sessions) over(ctx context.Context, session string) (func(seq int64, instruction string) bool, error) {
	all, err := items.New(f.v.Home).List(ctx, memory.Filter{Retired: true})
	if err != nil {
		return nil, err
	}
	said := make(map[string][]memory.Stored)
	for i := range all {
		for _, at := range all[i].Item.Metadata.Evidence {
			said[at] = append(said[at], all[i])
		}
	}
	return func(seq int64, instruction string) bool {
		over := false
		for _, s := range said[fmt.Sprintf("%s/%d", session, seq)] {
			switch holds := !s.Retired && s.Item.ValidTo.IsZero(); {
			case holds && extract.Stands(instruction, s.Item.Content):
				return false
			case about(instruction, s.Item.Content):
				over = true
			}
		}
		return over
	}, nil
}

// about reports whether an item speaks of what an instruction does, with other values
// perhaps.
func about(instruction, item string) bool {
	said := meaning.Builtin().Said(terms.Query(instruction))
	exact, near := said.In(meaning.Builtin().Said(terms.Index(item)))
	return 2*(exact+near) >= said.Total
}
