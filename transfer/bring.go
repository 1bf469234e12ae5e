package transfer

import (
	"context"
	"slices"
	"strings"

	"orihon/internal/learn"
	"orihon/memory"
)

// Bring takes over what was remembered in another project, each statement with
// where it comes from.
func (t *Transfer) Bring(ctx context.Context, from string, stored []memory.Stored) (int, error) {
	if len(stored) == 0 {
		return 0, nil
	}
	unlock, err := t.h.Personal.Turn(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	in, err := intake(ctx, t.h, t.h.Personal)
	if err != nil {
		return 0, err
	}
	n := 0
	for i := range stored {
		it := stored[i].Item
		if it.Kind == memory.Note || strings.Contains(it.ID, "#") {
			continue // of a file, which stays where it is
		}
		evidence := append(slices.Clone(it.Metadata.Evidence), "project:"+from)
		out, err := in.Take(learn.Foreign{Own: &it, Statement: learn.Statement{
			ID: it.ID, Text: it.Content, Title: it.Title, Kind: it.Kind, Topic: it.Topic, Scope: it.Scope,
			Tags: it.Metadata.Tags, Triggers: it.Triggers, Aliases: it.Aliases, NeededWhen: it.NeededWhen, Session: it.Metadata.Session, Evidence: evidence,
		}})
		if err != nil {
			return n, err
		}
		if out.Action == learn.Added || out.Action == learn.Confirmed {
			n++
		}
	}
	if err := in.Flush(ctx); err != nil {
		return n, err
	}
	return n, t.h.Personal.Follow(ctx)
}
