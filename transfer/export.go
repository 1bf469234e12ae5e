package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"orihon/items"
	"orihon/memory"
)

// ExportOptions of [Transfer.Export]; nil means all defaults.
type ExportOptions struct {
	// Markdown writes a document for people; else it is ledger lines, which
	// [Transfer.Import] takes back.
	Markdown bool
	// Scopes choose; empty means all that the user may see.
	Scopes []memory.Scope
}

// Export writes what the user may see, oldest first, and returns how many items
// that were. What was forgotten, and what is only in notes and journals, stays
// out.
func (t *Transfer) Export(ctx context.Context, w io.Writer, o *ExportOptions) (int, error) {
	if o == nil {
		o = &ExportOptions{}
	}
	visible := t.h.Viewer().Scopes()
	for _, s := range o.Scopes {
		if !slices.Contains(visible, s) {
			return 0, fmt.Errorf("scope %s: %w: %s may see only %v", s, memory.ErrRefused, t.h.User, visible)
		}
	}
	stored, err := items.New(t.h.Home).List(ctx, memory.Filter{Scopes: o.Scopes, Superseded: true})
	if err != nil {
		return 0, err
	}
	slices.Reverse(stored)
	b := bufio.NewWriter(w)
	if o.Markdown {
		t.exportMarkdown(b, stored)
		return len(stored), b.Flush()
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for i := range stored {
		if err := enc.Encode(struct {
			V int `json:"v"`
			memory.Item
		}{1, stored[i].Item}); err != nil {
			return i, err
		}
	}
	return len(stored), b.Flush()
}

// exportMarkdown writes the items by scope and topic. The writer keeps its
// first error for Flush.
func (t *Transfer) exportMarkdown(w *bufio.Writer, stored []memory.Stored) {
	fmt.Fprintf(w, "# Memory of %s\n", t.h.Project.Name)
	for _, scope := range t.h.Viewer().Scopes() {
		var topics []string
		by := make(map[string][]*memory.Item)
		for i := range stored {
			it := &stored[i].Item
			if it.Scope != scope {
				continue
			}
			name := string(it.Kind)
			if it.Topic != "" {
				name += "/" + string(it.Topic)
			}
			if by[name] == nil {
				topics = append(topics, name)
			}
			by[name] = append(by[name], it)
		}
		slices.Sort(topics)
		if len(topics) > 0 {
			fmt.Fprintf(w, "\n## %s\n", scope)
		}
		for _, name := range topics {
			fmt.Fprintf(w, "\n### %s\n\n", name)
			for _, it := range by[name] {
				exportBullet(w, it)
			}
		}
	}
}

func exportBullet(w *bufio.Writer, it *memory.Item) {
	text := strings.ReplaceAll(strings.TrimSpace(it.Content), "\n", "\n  ")
	if it.Title != "" {
		text = "**" + strings.Join(strings.Fields(it.Title), " ") + "**: " + text
	}
	about := fmt.Sprintf("%s, %s", memory.Level(it.Metadata.Confidence), it.Metadata.CreatedAt.UTC().Format(time.DateOnly))
	if !it.ValidTo.IsZero() {
		about += ", held until " + it.ValidTo.UTC().Format(time.DateOnly)
	}
	fmt.Fprintf(w, "- %s (%s)\n", text, about)
}
