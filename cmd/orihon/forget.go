package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) forgetCommand() *cobra.Command {
	var purge, yes bool
	var why string
	cmd := &cobra.Command{
		Use:   "forget ID",
		Short: "Take an item out of recall; --purge erases it everywhere",
		Long: "Take an item out of recall. orihon restore brings it back.\n\n" +
			"With --purge it is erased from every file under the home and the project's\n" +
			".orihon, journals, logs, backups and indexes included; only its ID stays in the\n" +
			"audit trail. That cannot be undone; when it was interrupted, do it again. Lines of\n" +
			"the project's own files that say the same are named and stay as they are; copies\n" +
			"elsewhere, such as git history, are not reached.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, ids []string) error {
			ctx := cmd.Context()
			m, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer m.Close()
			if purge && m.Items().Purging(ids[0]) {
				return a.purge(ctx, m, ids[0]) // it was agreed to
			}
			s, err := m.Items().Get(ctx, ids[0])
			if err != nil {
				return err
			}
			if purge && !yes && !a.confirm(fmt.Sprintf("erase %q everywhere, for good?", short60(&s.Item))) {
				return fmt.Errorf("%w: not erased: answer yes, or give --yes", memory.ErrRefused)
			}
			if purge {
				return a.purge(ctx, m, s.Item.ID)
			}
			if s, err = m.Items().Forget(ctx, s.Item.ID, why); err != nil {
				return err
			}
			return a.print(oneStored(s), func(w io.Writer) {
				fmt.Fprintf(w, "%s  %s\n%s\n", a.bold("forgotten"), short60(&s.Item), a.dim("bring it back with: orihon restore "+shortID(s.Item.ID)))
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&purge, "purge", false, "erase it everywhere, for good")
	f.BoolVar(&yes, "yes", false, "do not ask before --purge")
	f.StringVar(&why, "why", "", "the reason, for the audit trail")
	return cmd
}

// purge erases an item and says what still holds its text.
func (a *app) purge(ctx context.Context, m *orihon.Memory, id string) error {
	left, err := m.Items().Purge(ctx, id)
	if err != nil {
		return fmt.Errorf("%w\nnot all of it is erased: orihon forget --purge %s goes on", err, id)
	}
	a.stillSaying(left)
	return a.print(map[string]any{"id": id, "purged": true, "left": left}, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s\n", a.bold("purged"), id)
	})
}

// stillSaying warns of what a purge may not write.
func (a *app) stillSaying(left []string) {
	for _, where := range left {
		if id, ok := strings.CutPrefix(where, "item "); ok {
			a.warn(where + " says it, too: orihon forget --purge " + id + " erases that")
			continue
		}
		a.warn(where + " still says it: the file is yours and stays as it is")
	}
}

// confirm asks on the terminal; anything but yes, and no answer, is no.
func (a *app) confirm(question string) bool {
	fmt.Fprintf(a.errs, "orihon: %s [yes/no] ", question)
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(line), "yes")
}

func (a *app) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID",
		Short: "Bring a forgotten or archived item back",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, ids []string) error {
			m, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close()
			s, err := m.Items().Restore(cmd.Context(), ids[0])
			if err != nil {
				return err
			}
			return a.print(oneStored(s), func(w io.Writer) { fmt.Fprintf(w, "%s  %s\n", a.bold("restored"), short60(&s.Item)) })
		},
	}
}
