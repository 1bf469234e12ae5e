package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) archiveCommand() *cobra.Command {
	var sweep, dry bool
	var why string
	cmd := &cobra.Command{
		Use:   "archive [ID...] [--sweep]",
		Short: "Put items away; orihon restore brings them back",
		Long: "Put items into the archive: prompts find them no more, orihon recall --archive\n" +
			"does, orihon list --archived lists them, and orihon restore brings them back.\n" +
			"Of a Markdown file with several facts the whole file moves to archive/.\n\n" +
			"--sweep puts away what nobody uses, as happens by itself every week: items never\n" +
			"accessed for 30 days, accessed less than three times in 60, episodes of 90 days\n" +
			"ago. What is nearly certain, settled, often used, a procedure or shared stays.",
		Args: args(func(cmd *cobra.Command, ids []string) error {
			switch {
			case sweep && len(ids) > 0:
				return fmt.Errorf("give either IDs or --sweep")
			case !sweep && len(ids) == 0:
				return fmt.Errorf("give IDs, or --sweep")
			}
			return nil
		}),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, ids []string) error {
			if sweep {
				return a.sweep(cmd.Context(), m, dry)
			}
			return a.archive(cmd.Context(), m, ids, why, dry)
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&sweep, "sweep", false, "put away what nobody uses")
	f.BoolVar(&dry, "dry-run", false, "only show what would be put away")
	f.StringVar(&why, "why", "", "the reason, for the audit trail")
	return cmd
}

// putAway is an item that was archived, as --json prints it.
type putAway struct {
	memory.Item
	Why string `json:"archived_why,omitempty"`
}

func (a *app) archive(ctx context.Context, m *orihon.Memory, ids []string, why string, dry bool) error {
	var items []memory.Item
	var err error
	if dry {
		for _, id := range ids {
			s, err := m.Items().Get(ctx, id)
			if err != nil {
				return err
			}
			if !s.Retired {
				items = append(items, s.Item)
			}
		}
	} else if items, err = m.Items().Archive(ctx, why, ids...); err != nil {
		return err
	}
	out := make([]putAway, len(items))
	for i := range items {
		out[i] = putAway{items[i], why}
	}
	return a.printPutAway(out, dry)
}

func (a *app) sweep(ctx context.Context, m *orihon.Memory, dry bool) error {
	swept, err := m.Items().Sweep(ctx, dry)
	if err != nil {
		return err
	}
	out := make([]putAway, len(swept.Left))
	for i, s := range swept.Left {
		out[i] = putAway{s.Item, s.Why}
	}
	return a.printPutAway(out, dry)
}

func (a *app) printPutAway(items []putAway, dry bool) error {
	return a.print(map[string]any{"archived": items, "dry_run": dry}, func(w io.Writer) {
		word := "archived"
		if dry {
			word = "would be archived"
		}
		for i := range items {
			it := &items[i]
			fmt.Fprintf(w, "%s  %s  %s\n", a.bold(word), a.dim(shortID(it.ID)), headline(&it.Item))
			if it.Why != "" {
				fmt.Fprintf(w, "      %s\n", a.dim(it.Why))
			}
		}
		switch {
		case len(items) == 0:
			fmt.Fprintln(w, "nothing to put away")
		case !dry:
			fmt.Fprintln(w, a.dim("bring one back with: orihon restore "+shortID(items[0].ID)))
		}
	})
}

// archivedItem is an item in the archive, as --json prints it.
type archivedItem struct {
	memory.Item
	Path  string    `json:"path"`
	From  string    `json:"from"`
	At    time.Time `json:"archived_at,omitzero"`
	Why   string    `json:"archived_why,omitempty"`
	Score float64   `json:"score,omitempty"`
}

func archivedJSON(x *memory.Archived, score float64) archivedItem {
	return archivedItem{Item: x.Item, Path: x.Path, From: x.From, At: x.At, Why: x.Why, Score: score}
}

// listArchived lists what lies in the archive and passes the filters.
func (a *app) listArchived(ctx context.Context, m *orihon.Memory, f memory.Filter, more *listFilter, limit int) error {
	all, err := m.Items().Archived(ctx)
	if err != nil {
		return err
	}
	f.Superseded = true
	if len(f.Scopes) == 0 {
		f.Scopes = m.Viewer().Scopes()
	}
	byID := make(map[string]*memory.Archived, len(all))
	var items []memory.Stored
	for i := range all {
		if f.Match(&memory.Passage{Item: all[i].Item}) {
			byID[all[i].Item.ID] = &all[i]
			items = append(items, memory.Stored{Item: all[i].Item, Path: all[i].Path, Archived: true})
		}
	}
	items = more.apply(items)
	total := len(items)
	items = first(items, limit)
	out := make([]archivedItem, len(items))
	for i := range items {
		out[i] = archivedJSON(byID[items[i].Item.ID], 0)
	}
	return a.print(out, func(w io.Writer) {
		if total == 0 {
			fmt.Fprintln(w, "nothing like that is archived")
		}
		for i := range out {
			it := &out[i]
			fmt.Fprintf(w, "%s  %-19s  %s  %s\n", a.dim(shortID(it.ID)), describe(&it.Item), left(it), headline(&it.Item))
		}
		a.ofAll(w, len(out), total)
	})
}

// left says when and why an item left.
func left(it *archivedItem) string {
	text := "archived"
	if !it.At.IsZero() {
		text += " " + it.At.Local().Format(time.DateOnly)
	}
	if it.Why != "" {
		text += " (" + it.Why + ")"
	}
	return text
}

// searchArchive is recall --archive.
func (a *app) searchArchive(ctx context.Context, m *orihon.Memory, q *memory.Query) error {
	hits, err := m.Items().SearchArchive(ctx, q.Text, memory.Filter{Kinds: q.Kinds, Topics: q.Topics, Since: q.Since, Until: q.Until, AsOf: q.AsOf}, q.Limit)
	if err != nil {
		return err
	}
	out := make([]archivedItem, len(hits))
	for i := range hits {
		out[i] = archivedJSON(&hits[i].Archived, hits[i].Score)
	}
	return a.print(map[string]any{"hits": out}, func(w io.Writer) {
		if len(out) == 0 {
			fmt.Fprintln(w, "nothing in the archive bears on this")
		}
		for i := range out {
			it := &out[i]
			fmt.Fprintf(w, "%s  %s\n", a.bold(fmt.Sprintf("%.2f", it.Score)), headline(&it.Item))
			fmt.Fprintln(w, a.dim(fmt.Sprintf("      %s · %s · %s · id %s", describe(&it.Item), it.Scope, left(it), it.ID)))
		}
	})
}
