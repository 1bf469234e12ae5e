package main

import (
	"encoding/json"
	"fmt"
	"io"

	"orihon/memory"
)

// print writes v as JSON with --json, else what human writes.
func (a *app) print(v any, human func(w io.Writer)) error {
	if !a.json {
		human(a.out)
		return nil
	}
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func (a *app) warn(text string) { fmt.Fprintln(a.errs, "orihon: warning:", oneLine(text)) }

// style is a terminal's text attribute; empty off a terminal.
func (a *app) style(code, s string) string {
	if _, no := a.env("NO_COLOR"); !a.terminal || no {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (a *app) bold(s string) string { return a.style("1", s) }

func (a *app) dim(s string) string { return a.style("2", s) }

// stored is an item as --json prints it.
type stored struct {
	memory.Item
	Path      string `json:"path"`
	Line      int    `json:"line,omitempty"`
	Forgotten bool   `json:"forgotten,omitempty"`
	Archived  bool   `json:"archived,omitempty"`
	Why       string `json:"forgotten_why,omitempty"`
}

func storedJSON(items []memory.Stored) []stored {
	out := make([]stored, len(items))
	for i := range items {
		out[i] = oneStored(items[i])
	}
	return out
}

func oneStored(s memory.Stored) stored {
	return stored{Item: s.Item, Path: s.Path, Line: s.Line, Forgotten: s.Retired && !s.Archived, Archived: s.Archived, Why: s.Reason}
}
