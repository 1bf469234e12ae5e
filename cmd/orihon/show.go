package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one item whole",
		Long:  "Show one item whole. ID may be shortened to its beginning or its end.",
		Args:  args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, ids []string) error {
			s, err := m.Items().Read(cmd.Context(), ids[0])
			decay, _ := strconv.ParseFloat(setting(m, "decay.per_month"), 64)
			return a.result(oneStored(s), err, func(w io.Writer) { a.show(w, &s, time.Now(), decay) })
		}),
	}
}

func (a *app) show(w io.Writer, s *memory.Stored, now time.Time, decay float64) {
	it := &s.Item
	if it.Title != "" {
		fmt.Fprintln(w, a.bold(oneLine(it.Title)))
	}
	fmt.Fprintf(w, "%s\n\n", shown(it.Content))
	t := table(w)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, oneLine(value))
		}
	}
	day := func(at time.Time) string { return when(at.Local(), "2006-01-02 15:04", "") }
	row("id", it.ID)
	row("kind", describe(it))
	row("scope", string(it.Scope))
	row("tier", string(it.Tier))
	c := memory.Effective(it.Metadata, now, decay)
	row("confidence", fmt.Sprintf("%.2f (%s)", c, memory.Level(c)))
	row("source", source(it))
	row("created", day(it.Metadata.CreatedAt))
	if it.Metadata.UpdatedAt.After(it.Metadata.CreatedAt) {
		row("updated", day(it.Metadata.UpdatedAt))
	}
	if it.Metadata.Confirmations > 0 {
		row("confirmed", fmt.Sprintf("%d times", it.Metadata.Confirmations))
	}
	row("tags", strings.Join(it.Metadata.Tags, ", "))
	row("triggers", strings.Join(it.Triggers, ", "))
	row("needed when", strings.Join(it.NeededWhen, "; "))
	row("session", it.Metadata.Session)
	row("replaces", it.Relations.Supersedes)
	row("held until", day(it.ValidTo))
	row("stands in", fmt.Sprintf("%s:%d", s.Path, s.Line))
	switch {
	case s.Archived:
		row("archived", "yes: "+s.Reason)
	case s.Retired:
		row("forgotten", "yes: "+s.Reason)
	}
	t.Flush()
}

// source is who said an item. What the user said by the way counts as an agent's, since
// nobody asked to keep it; it is the user's word all the same.
func source(it *memory.Item) string {
	if it.Metadata.Source == memory.FromAgent && slices.Contains(it.Metadata.Tags, memory.NoticedTag) {
		return "user, said by the way"
	}
	return string(it.Metadata.Source)
}
