package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/erase"
	"orihon/memory"
)

func (a *app) forgetCommand() *cobra.Command {
	var purge, yes bool
	var why string
	cmd := &cobra.Command{
		Use:   "forget ID...",
		Short: "Take items out of recall; --purge erases them everywhere",
		Long: "Take items out of recall. orihon restore brings them back.\n\n" +
			"With --purge they are erased from every file under the home and the project's\n" +
			".orihon, journals, logs, backups and indexes included, cut and quoted copies, too;\n" +
			"only the IDs stay in the audit trail. That cannot be undone; when it was\n" +
			"interrupted, do it again. What says the same and is not ours to change is named, one\n" +
			"line each, and the exit code is 4: the project's own files, what git carries, exports\n" +
			"and backups outside of the home, the client's transcripts, other items.",
		Args: args(cobra.MinimumNArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, ids []string) error {
			ctx := cmd.Context()
			if !purge {
				return a.decideEach(ids, func(id string) (any, func(io.Writer), error) {
					s, err := m.Items().Forget(ctx, id, why)
					return oneStored(s), func(w io.Writer) {
						fmt.Fprintf(w, "%s  %s\n%s\n", a.bold("forgotten"), headline(&s.Item), a.dim("bring it back with: orihon restore "+shortID(s.Item.ID)))
					}, err
				})
			}
			whole, err := a.mayPurge(ctx, m, ids, yes)
			if err != nil {
				return err
			}
			return a.purge(ctx, m, whole)
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&purge, "purge", false, "erase it everywhere, for good")
	f.BoolVar(&yes, "yes", false, "do not ask before --purge")
	f.StringVar(&why, "why", "", "the reason, for the audit trail")
	return cmd
}

// mayPurge are the whole IDs of the items to erase, once it was agreed to. What an
// interrupted purge left was agreed to before.
func (a *app) mayPurge(ctx context.Context, m *orihon.Memory, ids []string, yes bool) ([]string, error) {
	var whole, asked []string
	for _, id := range ids {
		if m.Erase().Purging(id) {
			whole = append(whole, id)
			continue
		}
		s, err := m.Items().Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(whole, s.Item.ID) {
			whole, asked = append(whole, s.Item.ID), append(asked, strconv.Quote(headline(&s.Item)))
		}
	}
	if len(asked) > 0 && !yes && !a.confirm("erase "+strings.Join(asked, ", ")+" everywhere, for good?") {
		return nil, fmt.Errorf("%w: not erased: answer yes, or give --yes", memory.ErrRefused)
	}
	return whole, nil
}

// purge erases items and says what still holds their text.
func (a *app) purge(ctx context.Context, m *orihon.Memory, ids []string) error {
	var saying []erase.Survivor
	err := a.decideEach(ids, func(id string) (any, func(io.Writer), error) {
		left, err := m.Erase().Purge(ctx, id, a.transcripts())
		if err != nil {
			return nil, nil, fmt.Errorf("%w\nnot all of it is erased: orihon forget --purge %s goes on", err, id)
		}
		saying = append(saying, left...)
		return map[string]any{"id": id, "purged": true, "left": orEmpty(left)}, func(w io.Writer) {
			fmt.Fprintf(w, "%s  %s\n", a.bold("purged"), id)
		}, nil
	})
	a.unlist(ctx, m)
	return errors.Join(err, a.stillSaying(saying))
}

// unlist takes what was purged out of the files for clients without hooks.
func (a *app) unlist(ctx context.Context, m *orihon.Memory) {
	if err := m.RefreshMemoryIndex(ctx); err != nil {
		a.warn("words of what was purged may be left: " + err.Error())
	}
}

// transcripts is where Claude Code keeps what was said.
func (a *app) transcripts() string {
	if dir, ok := a.env("CLAUDE_CONFIG_DIR"); ok && dir != "" {
		return filepath.Join(dir, "projects")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".claude", "projects")
}

// stillSaying names what a purge may not write; an error that says so when there
// is any.
func (a *app) stillSaying(left []erase.Survivor) error {
	for _, s := range left {
		a.warn(s.String())
	}
	if len(left) == 0 {
		return nil
	}
	places := "a place that is"
	if len(left) > 1 {
		places = fmt.Sprintf("%d places that are", len(left))
	}
	return fmt.Errorf("%w: it is erased but for %s not ours to change, named above", memory.ErrRefused, places)
}

func (a *app) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID",
		Short: "Bring a forgotten or archived item back",
		Args:  args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, ids []string) error {
			s, err := m.Items().Restore(cmd.Context(), ids[0])
			return a.result(oneStored(s), err, func(w io.Writer) { fmt.Fprintf(w, "%s  %s\n", a.bold("restored"), headline(&s.Item)) })
		}),
	}
}
