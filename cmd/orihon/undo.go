package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/erase"
	"orihon/items"
	"orihon/memory"
)

func (a *app) undoCommand() *cobra.Command {
	var u items.Undo
	var purge, yes bool
	cmd := &cobra.Command{
		Use:   "undo [ID | --last | --session SESSION]",
		Short: "Take back what was remembered, changed, archived or forgotten",
		Long: "Take back the last decision about an item, the last in this project, or all of a\n" +
			"session: what was added is forgotten, what was changed, confirmed or replaced is as\n" +
			"it was, what was archived or forgotten lives again, what was approved or rejected\n" +
			"waits again, what was moved is where it was. Undoing again goes back further, and\n" +
			"--redo forward.\n\n" +
			"--reason says why and lowers the trust in whoever remembered it: wrong, noise and\n" +
			"private count whole, duplicate half, outdated not at all; see orihon stats. What is\n" +
			"private can be erased for good at once with --purge.",
		Args: args(func(cmd *cobra.Command, ids []string) error {
			given := len(ids)
			if u.Last {
				given++
			}
			if u.Session != "" {
				given++
			}
			switch {
			case given != 1:
				return fmt.Errorf("give an ID, --last or --session")
			case u.Redo && len(ids) == 0:
				return fmt.Errorf("--redo wants an ID")
			case purge && u.Reason != items.ReasonPrivate:
				return fmt.Errorf("--purge wants --reason private")
			}
			return nil
		}),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, ids []string) error {
			u.ID = strings.Join(ids, "")
			if purge && !yes && !a.confirm("erase what is taken back everywhere, for good?") {
				return fmt.Errorf("%w: nothing was taken back: answer yes, or give --yes", memory.ErrRefused)
			}
			return a.undo(cmd.Context(), m, &u, purge)
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&u.Last, "last", false, "the last decision of yours or an agent's in this project, whatever it was about")
	f.StringVar(&u.Session, "session", "", "all that this session decided, by its ID or the beginning of it, but for what was decided about since")
	f.StringVar(&u.Reason, "reason", "", "why: "+strings.Join(items.UndoReasons(), ", "))
	f.BoolVar(&u.Redo, "redo", false, "take the last undo of the item back instead")
	f.BoolVar(&purge, "purge", false, "with --reason private: erase what was added, everywhere and for good")
	f.BoolVar(&yes, "yes", false, "do not ask before --purge")
	return cmd
}

// undoneJSON is a decision that was taken back, as --json prints it.
type undoneJSON struct {
	Op   string      `json:"op"`
	ID   string      `json:"id"`
	Now  string      `json:"now"` // lives, archived, forgotten, purged or, of what was rejected, waits
	With []string    `json:"with,omitempty"`
	Asks bool        `json:"asks,omitempty"` // its question waits for an answer again
	Item memory.Item `json:"item"`
}

func (a *app) undo(ctx context.Context, m *orihon.Memory, u *items.Undo, purge bool) error {
	r, err := m.Items().Undo(ctx, *u)
	if err != nil {
		return err
	}
	out := make([]undoneJSON, len(r.Undone))
	var saying []erase.Survivor
	for i, d := range r.Undone {
		now := "forgotten"
		switch {
		case d.Lives:
			now = "lives"
		case d.Archived:
			now = "archived"
		case d.Decision.Op == memory.AuditReject:
			now = "waits"
		case purge:
			said, err := m.Erase().Purge(ctx, d.Item.ID, a.transcripts())
			if err != nil {
				return err
			}
			saying = append(saying, said...)
			now = "purged"
		}
		out[i] = undoneJSON{string(d.Decision.Op), d.Item.ID, now, d.With, d.Waits, d.Item}
		if now == "purged" {
			out[i].Item = memory.Item{ID: d.Item.ID}
		}
	}
	if purge {
		a.unlist(ctx, m)
	}
	left := make([]string, len(r.Left))
	for i := range r.Left {
		left[i] = r.Left[i].ID
	}
	err = a.print(map[string]any{"undone": out, "left": left, "saying": saying}, func(w io.Writer) {
		for i := range out {
			d := &out[i]
			fmt.Fprintf(w, "%s %s  %s  %s\n", a.bold("took back"), d.Op, a.dim(shortID(d.ID)), cmp.Or(headline(&d.Item), "(erased)"))
			fmt.Fprintln(w, a.dim("      "+after(d)))
		}
		for _, id := range left {
			a.warn(shortID(id) + " was decided about since and stays: orihon undo " + shortID(id) + " takes that back first")
		}
		if u.Reason == items.ReasonPrivate && !purge {
			a.warn("the words are still in the files: orihon forget --purge erases them")
		}
	})
	if err != nil {
		return err
	}
	return a.stillSaying(saying)
}

// after says how an item stands after an undo.
func after(d *undoneJSON) string {
	where := ""
	if d.Item.Scope == memory.Global {
		where = " in all your projects"
	}
	text := map[string]string{
		"lives":     "it stands as it did before" + where,
		"archived":  "it is archived again",
		"forgotten": "it is forgotten" + where + "; orihon undo --redo " + shortID(d.ID) + " brings it back",
		"purged":    "it is erased for good",
		"waits":     "it is asked about again: orihon review",
	}[d.Now]
	if len(d.With) > 0 {
		text += "; what it replaced holds again"
	}
	if d.Asks && d.Now != "waits" {
		text += "; its question waits again: orihon review"
	}
	return text
}
