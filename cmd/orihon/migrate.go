package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/health"
)

func (a *app) migrateCommand() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Show the versions of all formats in the home, and bring old ones up to date",
		Long: "Show the version of every format in the home. Lines of a ledger that do not say\n" +
			"theirs get it written in; the file as it was is kept beside it. What is newer\n" +
			"than this program is refused before anything is written.",
		Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			_, end := a.progress("reading every file")
			done, failed := m.Health().Migrate(cmd.Context(), dry)
			end()
			if failed != nil && done.Formats == nil {
				return failed
			}
			if err := a.print(done, func(w io.Writer) { a.migrated(w, &done, dry) }); err != nil {
				return err
			}
			return failed
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show the versions")
	return cmd
}

func (a *app) migrated(w io.Writer, done *health.Migrated, dry bool) {
	t := table(w)
	unmarked := 0
	for _, f := range done.Formats {
		found := "none"
		switch {
		case f.Newest > f.Oldest:
			found = fmt.Sprintf("%d to %d", f.Oldest, f.Newest)
		case f.Newest > 0:
			found = fmt.Sprint(f.Newest)
		}
		note := f.Note
		if f.Unmarked > 0 {
			note = fmt.Sprintf("%d lines do not say it", f.Unmarked)
		}
		fmt.Fprintf(t, "%s\t%d files\tversion %s\tknown %d\t%s\n", f.Name, f.Files, found, f.Known, note)
		if f.Name == "ledger" {
			unmarked = f.Unmarked
		}
	}
	t.Flush()
	for i, file := range done.Rewritten {
		fmt.Fprintf(w, "%s %s\n%s\n", a.bold("rewritten"), file, a.dim("as it was: "+done.Kept[i]))
	}
	if dry && unmarked > 0 {
		fmt.Fprintln(w, "orihon migrate writes the version in")
	}
}
