package main

import (
	"context"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/follow"
	"orihon/internal/claudecode"
)

// workCommand does what hooks leave for later, in a process of its own.
func (a *app) workCommand() *cobra.Command {
	var session, transcript string
	cmd := &cobra.Command{
		Use: "work", Short: "Do what sessions have left for later", Hidden: true, Args: args(cobra.NoArgs),
		RunE: a.withOpened(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			return a.work(cmd.Context(), m, session, transcript)
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "session that the transcript belongs to")
	cmd.Flags().StringVar(&transcript, "transcript", "", "transcript to catch up with")
	return cmd
}

func (a *app) work(ctx context.Context, m *orihon.Memory, session, transcript string) error {
	if session != "" && transcript != "" {
		s, err := m.Session(ctx, session, follow.Client{Name: "claude-code"})
		if err != nil {
			return err
		}
		if err := claudecode.CatchUp(ctx, s, transcript); err != nil {
			a.warn(err.Error())
		}
	}
	if err := workAndSync(ctx, m); err != nil {
		return err
	}
	return a.readRested(ctx, m)
}

// workAndSync does what sessions left, and brings the index up to date with it.
func workAndSync(ctx context.Context, m *orihon.Memory) error {
	if err := m.Sessions().Work(ctx); err != nil {
		return err
	}
	_, err := m.Sync(ctx)
	return err
}
