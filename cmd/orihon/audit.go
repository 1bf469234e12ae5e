package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) auditCommand() *cobra.Command {
	var f memory.AuditFilter
	var since string
	var limit int
	cmd := &cobra.Command{
		Use:     "audit",
		Short:   "Show what was decided about memory, and why",
		Args:    args(cobra.NoArgs),
		PreRunE: func(*cobra.Command, []string) error { return readDay(since, &f.Since) },
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			records, err := m.Items().Audits(cmd.Context(), &f)
			if err != nil {
				return err
			}
			records = last(records, limit)
			return a.print(records, func(w io.Writer) {
				t := table(w)
				for _, r := range records {
					fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.TS.Local().Format(time.DateTime), r.Op, shortID(r.ID), r.By, r.Why)
				}
				t.Flush()
			})
		}),
	}
	cmd.Flags().StringVar(&f.ID, "id", "", "only decisions about this item")
	cmd.Flags().StringVar((*string)(&f.Op), "op", "", "only this kind of decision")
	cmd.Flags().StringVar(&f.Session, "session", "", "only decisions of this session")
	cmd.Flags().StringVar(&since, "since", "", "only since this day")
	cmd.Flags().IntVar(&limit, "limit", 50, "most records, the latest ones; 0 for all")
	return cmd
}
