package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

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

// result is print for what a call has returned with an error.
func (a *app) result(v any, err error, human func(w io.Writer)) error {
	if err != nil {
		return err
	}
	return a.print(v, human)
}

func (a *app) warn(texts ...string) {
	for _, text := range texts {
		fmt.Fprintln(a.errs, "orihon: warning:", oneLine(text))
	}
}

// warnRedacted says which rules took a secret out of what was given.
func (a *app) warnRedacted(rules []string) {
	for _, rule := range rules {
		a.warn(fmt.Sprintf("a secret was taken out (%s)", rule))
	}
}

// table aligns columns that tabs part; its lines come out when it is flushed.
func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 4, 2, ' ', 0) }

// rightTable is a table of figures.
func rightTable(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
}

// first are the first n of a list, all of it when n is 0.
func first[T any](list []T, n int) []T {
	if n <= 0 {
		return list
	}
	return list[:min(n, len(list))]
}

// last are the last n of a list, all of it when n is 0.
func last[T any](list []T, n int) []T {
	if n <= 0 {
		return list
	}
	return list[max(0, len(list)-n):]
}

// ofAll says that a list is not whole.
func (a *app) ofAll(w io.Writer, printed, total int) {
	if printed < total {
		fmt.Fprintln(w, a.dim(fmt.Sprintf("%d of %d; --limit 0 shows all", printed, total)))
	}
}

// orEmpty is a list that JSON does not print as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

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
