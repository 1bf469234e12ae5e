package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orihon/memory"
)

func (a *app) listCommand() *cobra.Command {
	var kinds, topics, scopes, tags []string
	var forgotten, archived bool
	var limit int
	var more listFilter
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is remembered, newest first",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return fmt.Errorf("%w: --limit %d: want 0 or more", errUsage, limit)
			}
			f := memory.Filter{Tags: tags, Retired: forgotten}
			for _, k := range kinds {
				kind, err := memory.ParseKind(k)
				if err != nil {
					return err
				}
				f.Kinds = append(f.Kinds, kind)
			}
			for _, t := range topics {
				topic, err := memory.ParseTopic(t)
				if err != nil {
					return err
				}
				f.Topics = append(f.Topics, topic)
			}
			for _, s := range scopes {
				scope, err := memory.ParseScope(s)
				if err != nil {
					return err
				}
				f.Scopes = append(f.Scopes, scope)
			}
			filtered := len(kinds)+len(topics)+len(scopes)+len(tags) > 0 || more.given()
			if err := more.put(&f); err != nil {
				return err
			}
			m, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close()
			if archived {
				return a.listArchived(cmd.Context(), m, f, &more, limit)
			}
			items, err := m.Items().List(cmd.Context(), f)
			if err != nil {
				return err
			}
			if forgotten {
				items = onlyRetired(items)
			}
			items = more.apply(items)
			total := len(items)
			if limit > 0 && total > limit {
				items = items[:limit]
			}
			return a.print(storedJSON(items), func(w io.Writer) {
				switch {
				case total > 0:
				case forgotten:
					fmt.Fprintln(w, "nothing was forgotten")
				case filtered:
					fmt.Fprintln(w, "nothing like that is remembered")
				default:
					fmt.Fprintln(w, "nothing is remembered here yet: try orihon remember \"…\"")
				}
				for i := range items {
					it := &items[i].Item
					fmt.Fprintf(w, "%s  %-19s  %s  %s\n", a.dim(shortID(it.ID)), describe(it), it.Metadata.CreatedAt.Local().Format(time.DateOnly), short60(it)+a.dim(until(it, time.Now())))
				}
				if len(items) < total {
					fmt.Fprintf(w, "%s\n", a.dim(fmt.Sprintf("%d of %d; --limit 0 shows all", len(items), total)))
				}
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&kinds, "kind", nil, "only these kinds")
	f.StringSliceVar(&topics, "topic", nil, "only these topics")
	f.StringSliceVar(&scopes, "scope", nil, "only these scopes")
	f.StringSliceVar(&tags, "tag", nil, "only items with one of these tags")
	more.add(f)
	f.BoolVar(&archived, "archived", false, "what lies in the archive and can be restored")
	f.BoolVar(&forgotten, "forgotten", false, "what was forgotten and can be restored")
	f.IntVar(&limit, "limit", 50, "most items; 0 for all")
	return cmd
}

// until marks what held once and holds no longer.
func until(it *memory.Item, now time.Time) string {
	if it.ValidTo.IsZero() || it.ValidTo.After(now) {
		return ""
	}
	return " (until " + it.ValidTo.Local().Format(time.DateOnly) + ")"
}

func onlyRetired(items []memory.Stored) []memory.Stored {
	out := items[:0]
	for _, s := range items {
		if s.Retired && !s.Archived {
			out = append(out, s)
		}
	}
	return out
}
