package main

import (
	"context"
	"runtime/debug"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/follow"
	"orihon/internal/claudecode"
)

// workCommand does what hooks leave for later, in a process of its own.
func (a *app) workCommand() *cobra.Command {
	var left claudecode.Left
	cmd := &cobra.Command{
		Use: "work", Short: "Do what sessions have left for later", Hidden: true, Args: args(cobra.NoArgs),
		RunE: a.withOpened(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			// Who calls it by hand wants it done, and not by a process that rests.
			return a.work(cmd.Context(), m, &left, cmd.Flags().Changed("rest"))
		}),
	}
	cmd.Flags().StringVar(&left.Session, "session", "", "session that the transcript belongs to")
	cmd.Flags().StringVar(&left.Transcript, "transcript", "", "transcript to catch up with")
	cmd.Flags().DurationVar(&left.Rest, "rest", 0, "how long to wait for more work first")
	return cmd
}

func (a *app) work(ctx context.Context, m *orihon.Memory, left *claudecode.Left, detached bool) error {
	if left.Session != "" && left.Transcript != "" {
		s, err := m.Session(ctx, left.Session, follow.Client{Name: "claude-code"})
		if err != nil {
			return err
		}
		if err := claudecode.CatchUp(ctx, s, left.Transcript); err != nil {
			a.warn(err.Error())
		}
	}
	debug.SetGCPercent(rarely)
	do := m.Sessions().WorkAndSync
	if detached {
		do = func(ctx context.Context) error { return m.Sessions().Attend(ctx, left.Rest) }
	}
	if err := do(ctx); err != nil {
		return err
	}
	return a.readRested(ctx, m)
}
