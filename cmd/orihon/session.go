package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orihon"
)

func (a *app) sessionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "List past sessions, and show what was done in one",
		Long: "List the sessions of this project, and show what was done in one: each request\n" +
			"with the files that were changed and read, what ran and how it went, what failed\n" +
			"and was mended, what was decided and answered.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.sessionList(), a.sessionShow())
	return cmd
}

func (a *app) sessionList() *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions in which something was asked for, the newest first",
		Args:  args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			all, err := m.Sessions().List(cmd.Context())
			if err != nil {
				return err
			}
			shown := first(all, limit)
			return a.print(shown, func(w io.Writer) {
				if len(all) == 0 {
					fmt.Fprintln(w, "no session has asked for anything yet")
				}
				t := table(w)
				for _, s := range shown {
					failing := ""
					if s.Failing > 0 {
						failing = fmt.Sprintf("%d failing", s.Failing)
					}
					fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", when(s.At.Local(), time.DateOnly, "unknown"), clipped(s.Session, 40), plural(s.Requests, "request"), plural(s.Changed, "file"), failing, clipped(s.Title, 60))
				}
				t.Flush()
				a.ofAll(w, len(shown), len(all))
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "most lines, 0 for all")
	return cmd
}

func (a *app) sessionShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [SESSION]",
		Short: "Show what was done in a session, request by request, as Markdown",
		Long: "Show what was done in a session, by its ID or the beginning of it; without one,\n" +
			"in the newest. The same text lies beside the session's journal, as session.md:\n" +
			"it is derived from it, and may be deleted.",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			name := ""
			if len(words) > 0 {
				name = words[0]
			}
			told, err := m.Sessions().Told(cmd.Context(), name)
			return a.result(told, err, func(w io.Writer) { fmt.Fprint(w, told.Page) })
		}),
	}
	// The page is Markdown already; the flag says so where people expect one.
	cmd.Flags().Bool("markdown", true, "as Markdown")
	return cmd
}
