package verbs

import (
	"context"
	"fmt"
	"strings"

	"orihon/internal/space"
)

// Sync brings the indexes up to date with the text, and then their vectors with
// the embedder they should have: a model is trained when a space has grown, and
// all passages are embedded anew after that or after a change of the settings,
// while the old vectors serve. Another sync under way makes it return at once.
func (v *Verbs) Sync(ctx context.Context) (space.Synced, error) {
	var out space.Synced
	for _, sp := range v.Spaces() {
		s, err := sp.Sync(ctx)
		out.Problems = append(out.Problems, s.Problems...)
		out.Passages += s.Passages
		out.Busy = out.Busy || s.Busy
		if err != nil {
			return out, err
		}
		if s.Busy {
			continue
		}
		if healed, err := sp.Heal(ctx, v.Now()); err != nil {
			out.Problems = append(out.Problems, err.Error())
		} else if len(healed) > 0 {
			out.Problems = append(out.Problems, fmt.Sprintf("%d private statements hold again that shared text had ended: %s", len(healed), strings.Join(healed, ", ")))
			if err := sp.Follow(ctx); err != nil {
				return out, err
			}
		}
		if err := v.Reconcile(ctx, sp); err != nil {
			out.Problems = append(out.Problems, err.Error())
		}
		if err := sp.Refresh(ctx); err != nil {
			if ctx.Err() != nil {
				return out, err
			}
			v.Log.Warn("sync: the old vectors stay", "err", err)
			out.Problems = append(out.Problems, err.Error())
		}
	}
	if err := v.documents.Auto(ctx); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		out.Problems = append(out.Problems, err.Error())
	}
	return out, nil
}
