package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) syncCommand() *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Bring the index up to date with the text now; --watch keeps it so",
		Long: "Bring the index up to date with the text now. Recall does what it needs of it by\n" +
			"itself. With --watch it stays in the foreground and syncs again 5 s after files\n" +
			"have changed and settled, and in the interval that sync.interval says.",
		Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			if watch {
				return a.watch(cmd.Context(), m)
			}
			start := time.Now()
			done, err := a.syncInTurn(cmd.Context(), m)
			if err != nil {
				return err
			}
			a.warn(done.Problems...)
			return a.print(done, func(w io.Writer) {
				fmt.Fprintf(w, "%d passages · %.1f ms\n", done.Passages, ms(time.Since(start)))
			})
		}),
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "stay and sync whenever files change, until interrupted")
	return cmd
}

// syncTurn is how long `orihon sync` waits for another process that syncs.
const syncTurn = 30 * time.Second

// syncInTurn syncs, after whichever process is at it: detached work after a hook
// often is. It fails with [memory.ErrBusy] after syncTurn.
func (a *app) syncInTurn(ctx context.Context, m *orihon.Memory) (orihon.Synced, error) {
	for start := time.Now(); ; {
		done, err := a.syncNow(ctx, m)
		if err != nil || !done.Busy {
			return done, err
		}
		if time.Since(start) > syncTurn {
			return done, fmt.Errorf("%w: another process has been syncing for %s: try again later", memory.ErrBusy, syncTurn)
		}
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// syncNow syncs and shows that it takes its time.
func (a *app) syncNow(ctx context.Context, m *orihon.Memory) (orihon.Synced, error) {
	_, end := a.progress("reading changed files")
	defer end()
	return m.Sync(ctx)
}

// watch prints a line for each sync until ctx ends.
func (a *app) watch(ctx context.Context, m *orihon.Memory) error {
	return m.Watch(ctx, func(done orihon.Synced, err error) {
		now := time.Now()
		if a.json {
			line := map[string]any{"ts": now.UTC(), "passages": done.Passages, "busy": done.Busy, "problems": done.Problems}
			if err != nil {
				line["error"] = err.Error()
			}
			// Whoever reads it may have gone; the sync is what matters.
			_ = json.NewEncoder(a.out).Encode(line)
			return
		}
		a.warn(done.Problems...)
		switch {
		case err != nil:
			a.warn("sync: " + err.Error())
		case !done.Busy:
			fmt.Fprintf(a.out, "%s  %d passages\n", a.dim(now.Format(time.TimeOnly)), done.Passages)
		}
	})
}
