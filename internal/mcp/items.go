package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/memory"
)

var errEmpty = fmt.Errorf("%w query: it is empty", memory.ErrInvalid)

type getArguments struct {
	IDs []string `json:"ids"`
}

type got struct {
	told
	Items   []described `json:"items"`
	Missing []string    `json:"missing,omitempty"`
}

// get is memory_get.
func (s *Server) get(ctx context.Context, _ call, in *getArguments) (got, error) {
	out := got{Items: []described{}}
	var lines []string
	seen := make(map[string]bool)
	each := mostTokens / max(1, len(in.IDs))
	for _, id := range in.IDs {
		stored, err := s.o.Memory.Items().Read(ctx, id)
		switch {
		case errors.Is(err, memory.ErrNotFound), errors.Is(err, memory.ErrInvalid):
			out.Missing = append(out.Missing, inert.Line(id))
			continue
		case err != nil:
			return out, err
		case seen[stored.Item.ID]:
			continue
		}
		seen[stored.Item.ID] = true
		d := describe(&stored.Item)
		var notes []string
		if stored.Retired {
			d.Forgotten = true
			notes = append(notes, "forgotten")
		}
		if of := stored.Item.Relations.Supersedes; of != "" {
			notes = append(notes, "replaced "+inert.Line(of))
		}
		out.Items = append(out.Items, d)
		lines = append(lines, cut(line(&stored.Item, notes...), each, "ask for it alone"))
	}
	if len(lines) > 0 {
		out.Text = s.framed(lines...)
	}
	if len(out.Missing) > 0 {
		out.Text = strings.TrimSpace(out.Text + "\nNo item, or more than one, has these ids: " + strings.Join(out.Missing, ", "))
	}
	return out, nil
}

type listArguments struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"items a page, 20"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
	Scope  string `json:"scope,omitempty"`
	Type   string `json:"type,omitempty"`
	Since  string `json:"since,omitempty"`
	Until  string `json:"until,omitempty"`
}

type page struct {
	told
	Items []described `json:"items"`
	All   int         `json:"all" jsonschema:"how many there are on all pages"`
	Next  string      `json:"next_cursor,omitempty"`
}

// list is memory_list.
func (s *Server) list(ctx context.Context, _ call, in *listArguments) (out page, err error) {
	out.Items = []described{}
	var f memory.Filter
	if f.Topics, f.Kinds, err = parseType(in.Type); err != nil {
		return out, err
	}
	if f.Scopes, err = parseScopes(in.Scope, s.o.Memory.Viewer()); err != nil {
		return out, err
	}
	if f.Since, f.Until, err = parseSpan(in.Since, in.Until); err != nil {
		return out, err
	}
	var after cursor
	if in.Cursor != "" {
		if after, err = parseCursor(in.Cursor); err != nil {
			return out, err
		}
	}
	all, err := s.o.Memory.Items().List(ctx, f)
	if err != nil {
		return out, err
	}
	out.All = len(all)
	slices.SortStableFunc(all, func(a, b memory.Stored) int {
		return cmp.Or(b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt), cmp.Compare(b.Item.ID, a.Item.ID))
	})
	if after.id != "" {
		begin := slices.IndexFunc(all, func(st memory.Stored) bool {
			return cmp.Or(after.at.Compare(st.Item.Metadata.CreatedAt), cmp.Compare(after.id, st.Item.ID)) > 0
		})
		if begin < 0 {
			begin = len(all)
		}
		all = all[begin:]
	}
	lines, spent := []string{}, 0
	const each = 300 // tokens of one item
	for i := range all {
		it := &all[i].Item
		text := cut(line(it), each, "memory_get has it whole")
		spent += tokens.Estimate(text)
		if len(lines) == cmp.Or(in.Limit, 20) || spent > mostTokens {
			out.Next = cursor{all[i-1].Item.Metadata.CreatedAt, all[i-1].Item.ID}.String()
			break
		}
		lines, out.Items = append(lines, text), append(out.Items, describe(it))
	}
	if len(lines) == 0 {
		out.Text = "There are no such items."
		return out, nil
	}
	out.Text = s.framed(lines...) + fmt.Sprintf("\n%d of %d items.", len(lines), out.All)
	if out.Next != "" {
		out.Text += " The next page: cursor " + out.Next
	}
	return out, nil
}
