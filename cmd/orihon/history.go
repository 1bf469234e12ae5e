package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/items"
	"orihon/memory"
)

func (a *app) historyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history ID",
		Short: "Show every version of an item, and what was decided about it",
		Long: "Show every version of an item, when it was forgotten and restored, when it ended\n" +
			"and what replaced it, and what the audit trail says about it. Of Markdown, whose\n" +
			"history is git's, there is only the present version. ID may be shortened to its\n" +
			"beginning or its end.",
		Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, ids []string) error {
			h, err := m.Items().History(cmd.Context(), ids[0])
			if err != nil {
				return err
			}
			by, of := relatives(cmd.Context(), m, &h)
			return a.print(historyJSON(&h, by, of), func(w io.Writer) { a.history(w, &h, by, of) })
		}),
	}
}

type versionJSON struct {
	Op   memory.VersionOp `json:"op"`
	At   time.Time        `json:"at,omitzero"`
	Path string           `json:"path"`
	Line int              `json:"line,omitempty"`
	Why  string           `json:"why,omitempty"`
	Item memory.Item      `json:"item"`
}

// relatives are the item that replaced another and the one that it replaced
// itself, nil where there is none.
func relatives(ctx context.Context, m *orihon.Memory, h *items.History) (by, of *memory.Item) {
	get := func(id string) *memory.Item {
		if id == "" || id == h.ID {
			return nil
		}
		s, err := m.Items().Get(ctx, id)
		if err != nil || s.Retired {
			return nil // forgotten, or not to be seen
		}
		return &s.Item
	}
	if n := len(h.Versions); n > 0 {
		of = get(h.Versions[n-1].Item.Relations.Supersedes)
	}
	for _, r := range h.Decisions {
		for _, id := range [...]string{r.ID, r.Other} {
			if it := get(id); it != nil && it.Relations.Supersedes == h.ID {
				by = it
			}
		}
	}
	return by, of
}

func historyJSON(h *items.History, by, of *memory.Item) map[string]any {
	versions := make([]versionJSON, len(h.Versions))
	for i, v := range h.Versions {
		versions[i] = versionJSON{v.Op, v.At, v.Path, v.Line, v.Why, v.Item}
	}
	out := map[string]any{"id": h.ID, "versions": versions, "decisions": h.Decisions}
	if by != nil {
		out["replaced_by"] = by.ID
	}
	if of != nil {
		out["replaces"] = of.ID
	}
	return out
}

func (a *app) history(w io.Writer, h *items.History, by, of *memory.Item) {
	date := func(t time.Time) string { return when(t.Local(), time.DateTime, "unknown") }
	fmt.Fprintln(w, a.bold(h.ID))
	t := table(w)
	line := func(at time.Time, what string, v *memory.Version) {
		fmt.Fprintf(t, "%s\t%s\t%s\n", date(at), what, a.dim(fmt.Sprintf("%s:%d", v.Path, v.Line)))
	}
	var before *memory.Item
	for i := range h.Versions {
		v := &h.Versions[i]
		switch v.Op {
		case memory.VersionRetired:
			line(v.At, strings.TrimSuffix("forgotten: "+v.Why, ": "), v)
		case memory.VersionArchived:
			line(v.At, strings.TrimSuffix("archived: "+v.Why, ": "), v)
		case memory.VersionRestored:
			line(v.At, "restored", v)
		default:
			a.version(line, v, before, by)
			before = &v.Item
		}
	}
	if of != nil {
		fmt.Fprintf(t, "\treplaces: %s\t%s\n", headline(of), a.dim(shortID(of.ID)))
	}
	t.Flush()
	if len(h.Versions) == 0 {
		fmt.Fprintln(w, "its text is gone; the audit trail says:")
	} else if len(h.Decisions) > 0 {
		fmt.Fprintln(w, "\ndecided:")
	}
	for _, r := range h.Decisions {
		why := r.Why
		if r.ID != h.ID {
			why += " (of " + shortID(r.ID) + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", date(r.TS), r.Op, r.By, why)
	}
	t.Flush()
}

// version prints what a version says that the one before it did not: a text,
// how far it is believed, an end.
func (a *app) version(line func(time.Time, string, *memory.Version), v *memory.Version, before, by *memory.Item) {
	it := &v.Item
	text := fmt.Sprintf("%s (%s)", headline(it), believed(it))
	ends := !it.ValidTo.IsZero() && (before == nil || !before.ValidTo.Equal(it.ValidTo))
	switch same := before != nil && before.Content == it.Content && before.Title == it.Title && believed(before) == believed(it); {
	case !same:
		line(v.At, text, v)
	case it.Metadata.Confirmations > before.Metadata.Confirmations:
		line(v.At, fmt.Sprintf("confirmed, %d in all (%s)", it.Metadata.Confirmations, believed(it)), v)
	case it.ValidTo.IsZero() && !before.ValidTo.IsZero():
		line(v.At, "holds again", v)
	case !ends:
		line(v.At, "the same text, with other details", v)
	}
	switch {
	case ends && by != nil:
		line(it.ValidTo, "ended, replaced by: "+headline(by)+" "+a.dim(shortID(by.ID)), v)
	case ends:
		line(it.ValidTo, "ended", v)
	}
}

// believed is how far an item is.
func believed(it *memory.Item) string {
	text := fmt.Sprintf("%.2f", it.Metadata.Confidence)
	if it.Tier != "" {
		text += " " + string(it.Tier)
	}
	return text
}
