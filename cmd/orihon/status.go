package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/health"
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what is kept, where, and whether it is in order",
		Args:  args(cobra.NoArgs),
		RunE: a.withOpened(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			if text := m.Moved(); text != "" {
				a.warn(text)
			}
			st, err := m.Health().Status(cmd.Context())
			return a.result(st, err, func(w io.Writer) { a.status(w, &st, time.Now()) })
		}),
	}
}

func (a *app) status(w io.Writer, st *health.Status, now time.Time) {
	t := table(w)
	fmt.Fprintf(t, "project\t%s (%s)\n", st.Project, st.ID)
	fmt.Fprintf(t, "folder\t%s\n", st.Root)
	if c := st.Claimed; c != nil {
		fmt.Fprintf(t, "\tkept apart from %s (%s), which it says to be; orihon project link ties it\n", oneLine(c.Name), c.ID)
	}
	fmt.Fprintf(t, "user\t%s\n", st.User)
	for _, sp := range st.Spaces {
		fmt.Fprintf(t, "%s memory\t%s\n", sp.Name, counts(sp.Items))
		fmt.Fprintf(t, "\t%s · text %s · index %s, %s\n", sp.Dir, humanBytes(sp.Bytes), humanBytes(sp.Index), plural(sp.Passages, "passage"))
		switch {
		case sp.Stale != "":
			fmt.Fprintf(t, "\tindex: %s; the next sync builds it\n", sp.Stale)
		default:
			fmt.Fprintf(t, "\tindex: synced %s\n", ago(now, sp.Synced))
		}
		if line := embedderLine(&sp.Embedder); line != "" {
			fmt.Fprintf(t, "\tembedder: %s\n", line)
		}
	}
	last := "never"
	if !st.LastEvent.IsZero() {
		last = ago(now, st.LastEvent)
	}
	fmt.Fprintf(t, "sessions\t%d, last event %s\n", st.Sessions, last)
	if st.Pending > 0 {
		fmt.Fprintf(t, "\t%d with work left; the next session does it\n", st.Pending)
	}
	for i := range st.Models {
		fmt.Fprintf(t, "%s\t%s: %s\n", once(i, "models"), st.Models[i].Name, oneLine(healthOf(&st.Models[i], now)))
	}
	if st.Budget != nil {
		fmt.Fprintf(t, "\t%s\n", budgetLine(st.Budget))
	}
	t.Flush()
	for _, p := range st.Problems {
		fmt.Fprintln(w, "problem:", oneLine(p))
	}
}

// embedderLine says whose vectors a space has.
func embedderLine(e *health.EmbedderStatus) string {
	if e.ID == "" {
		return ""
	}
	line := e.ID
	if e.Dimension > 0 {
		line += fmt.Sprintf(", %d dimensions", e.Dimension)
	}
	if e.Next != "" {
		line += "; changing to " + e.Next
	}
	if e.Problem != "" {
		line += "; " + oneLine(e.Problem)
	}
	return line
}

func counts(items map[string]int) string {
	kinds := slices.Sorted(maps.Keys(items))
	parts := make([]string, len(kinds))
	for i, k := range kinds {
		parts[i] = fmt.Sprintf("%d %s", items[k], k)
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing yet")
}
