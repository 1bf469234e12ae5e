package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

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
	return workAndSync(ctx, m)
}

// workAndSync does what sessions left, and brings the index up to date with it.
func workAndSync(ctx context.Context, m *orihon.Memory) error {
	if err := m.Sessions().Work(ctx); err != nil {
		return err
	}
	_, err := m.Sync(ctx)
	return err
}

// detach starts the work in a process that outlives the hook. Its log is the
// hook's.
func (a *app) detach(ctx context.Context, o *orihon.Options, dir, session, transcript string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"work", "--project", dir}
	if o.Home != "" {
		args = append(args, "--home", o.Home)
	}
	if o.User != "" {
		args = append(args, "--user", o.User)
	}
	for _, set := range a.settings {
		args = append(args, "--set", set)
	}
	if transcript != "" {
		args = append(args, "--session", session, "--transcript", transcript)
	}
	logPath := hookLogPath(o.Home)
	if info, err := os.Stat(logPath); err == nil && !info.Mode().IsRegular() {
		logPath = os.DevNull // a pipe could wait for ever
	}
	log, err := os.OpenFile(logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if a.inline {
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Stdout, cmd.Stderr = log, log
		return cmd.Run()
	}
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = log, log
	detached(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", self, err)
	}
	return cmd.Process.Release()
}
