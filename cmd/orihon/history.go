package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) historyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history ID",
		Short: "Show every version of an item, and what was decided about it",
		Long: "Show every version of an item, when it was forgotten and restored, and what the\n" +
			"audit trail says about it. Of Markdown, whose history is git's, there is only the\n" +
			"present version. ID may be shortened to its beginning or its end.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, ids []string) error {
			m, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close()
			h, err := m.Items().History(cmd.Context(), ids[0])
			if err != nil {
				return err
			}
			return a.print(historyJSON(&h), func(w io.Writer) { a.history(w, &h) })
		},
	}
}

type versionJSON struct {
	Op   string      `json:"op"`
	At   time.Time   `json:"at,omitzero"`
	Path string      `json:"path"`
	Line int         `json:"line,omitempty"`
	Why  string      `json:"why,omitempty"`
	Item memory.Item `json:"item"`
}

func historyJSON(h *orihon.History) map[string]any {
	versions := make([]versionJSON, len(h.Versions))
	for i, v := range h.Versions {
		versions[i] = versionJSON{v.Op, v.At, v.Path, v.Line, v.Why, v.Item}
	}
	return map[string]any{"id": h.ID, "versions": versions, "decisions": h.Decisions}
}

func (a *app) history(w io.Writer, h *orihon.History) {
	date := func(t time.Time) string {
		if t.IsZero() {
			return "unknown"
		}
		return t.Local().Format(time.DateTime)
	}
	fmt.Fprintln(w, a.bold(h.ID))
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for i := range h.Versions {
		v := &h.Versions[i]
		what := fmt.Sprintf("%s (%s)", short60(&v.Item), believed(&v.Item))
		switch v.Op {
		case orihon.VersionRetired:
			what = strings.TrimSuffix("forgotten: "+v.Why, ": ")
		case orihon.VersionArchived:
			what = strings.TrimSuffix("archived: "+v.Why, ": ")
		case orihon.VersionRestored:
			what = "restored"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", date(v.At), what, a.dim(fmt.Sprintf("%s:%d", v.Path, v.Line)))
	}
	t.Flush()
	if len(h.Versions) == 0 {
		fmt.Fprintln(w, "its text is gone; the audit trail says:")
	} else if len(h.Decisions) > 0 {
		fmt.Fprintln(w, "\ndecided:")
	}
	for _, r := range h.Decisions {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", date(r.TS), r.Op, r.By, r.Why)
	}
	t.Flush()
}

// believed is how far an item is.
func believed(it *memory.Item) string {
	text := fmt.Sprintf("%.2f", it.Metadata.Confidence)
	if it.Tier != "" {
		text += " " + string(it.Tier)
	}
	return text
}
