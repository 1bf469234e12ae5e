package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) listCommand() *cobra.Command {
	f := memory.Filter{}
	var topics, scopes []string
	var archived bool
	var limit int
	var more listFilter
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is remembered, newest first",
		Args:  args(cobra.NoArgs),
		PreRunE: func(*cobra.Command, []string) error {
			if limit < 0 {
				return fmt.Errorf("%w: --limit %d: want 0 or more", errUsage, limit)
			}
			return cmp.Or(
				readAll(topics, memory.ParseTopic, &f.Topics),
				readAll(scopes, memory.ParseScope, &f.Scopes), more.put(&f))
		},
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			if archived {
				return a.listArchived(cmd.Context(), m, f, &more, limit)
			}
			items, err := m.Items().List(cmd.Context(), f)
			if err != nil {
				return err
			}
			if f.Retired {
				items = slices.DeleteFunc(items, func(s memory.Stored) bool { return !s.Retired || s.Archived })
			}
			items = more.apply(items)
			total := len(items)
			items = first(items, limit)
			return a.print(storedJSON(items), func(w io.Writer) {
				switch {
				case total > 0:
				case f.Retired:
					fmt.Fprintln(w, "nothing was forgotten")
				case len(topics)+len(scopes)+len(f.Tags) > 0 || more.given():
					fmt.Fprintln(w, "nothing like that is remembered")
				default:
					fmt.Fprintln(w, "nothing is remembered here yet: try orihon remember \"…\"")
				}
				for i := range items {
					it := &items[i].Item
					fmt.Fprintf(w, "%s  %-19s  %s  %s\n", a.dim(shortID(it.ID)), sortOf(it), dayOf(it.Metadata.CreatedAt), headline(it)+a.dim(until(it, time.Now())+whose(&items[i])))
				}
				a.ofAll(w, len(items), total)
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&topics, "topic", nil, "only these topics")
	flags.StringSliceVar(&scopes, "scope", nil, "only these scopes")
	flags.StringSliceVar(&f.Tags, "tag", nil, "only items with one of these tags")
	more.add(flags)
	flags.BoolVar(&archived, "archived", false, "what lies in the archive and can be restored")
	flags.BoolVar(&f.Retired, "forgotten", false, "what was forgotten and can be restored")
	flags.IntVar(&limit, "limit", 50, "most items; 0 for all")
	return cmd
}

// sortOf is what an item is; of one that came with the repository, what it claims to be
// does not count.
func sortOf(it *memory.Item) string {
	if it.Metadata.Source == memory.FromRepository {
		return "not accepted"
	}
	return describe(it)
}

// whose marks what is not the user's word.
func whose(s *memory.Stored) string {
	switch why := unaccepted(&s.Item); {
	case why == "":
		return ""
	case s.Item.Metadata.Source == memory.FromRepository:
		return fmt.Sprintf(" (repository file %s:%d, %s)", oneLine(s.Path), s.Line, why)
	default:
		return " (" + why + ")"
	}
}

// until marks what held once and holds no longer.
func until(it *memory.Item, now time.Time) string {
	if it.ValidTo.IsZero() || it.ValidTo.After(now) {
		return ""
	}
	return " (until " + it.ValidTo.Local().Format(time.DateOnly) + ")"
}

// dayOf is a day as wide as any other where none is known.
func dayOf(t time.Time) string {
	if t.IsZero() {
		return "undated   "
	}
	return t.Local().Format(time.DateOnly)
}
