package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"orihon/internal/config"
	"orihon/memory"
	"orihon/runs"
	"orihon/window"
)

// checkSummarizer holds a program to what a summariser must do, on a run of the
// user's: answer about the whole and about a part, go on from its own result, name
// only what the run names, say less than it was given.
func (a *app) checkSummarizer(ctx context.Context, r *runs.Run, program []string) error {
	type finding struct {
		Check string `json:"check"`
		OK    bool   `json:"ok"`
		Text  string `json:"text,omitempty"`
	}
	var found []finding
	note := func(check string, err error) bool {
		f := finding{Check: check, OK: err == nil}
		if err != nil {
			f.Text = err.Error()
		}
		found = append(found, f)
		return f.OK
	}
	first, last := r.View().FirstIteration(), r.View().LastIteration()
	if last < first+1 {
		return fmt.Errorf("%w run %s: want one of at least two iterations to try a summariser on", memory.ErrInvalid, r.Name)
	}
	half := (first + last) / 2
	ask := func(from, to int, parent json.RawMessage) (window.SummaryResult, error) {
		return r.Summarize(ctx, runs.SummaryOptions{Program: program, From: from, To: to, Parent: parent})
	}
	whole, err := ask(0, 0, nil)
	if note("answers about the whole run", err) {
		note("has only keys that mean something", misspelt(&whole))
		again, err := ask(0, 0, nil)
		if err == nil && !reflect.DeepEqual(again, whole) {
			err = errors.New("the same request got another answer; results are kept by what was read")
		}
		note("answers the same twice", err)
		note("says less than it was given", smaller(r, &whole))
		note("names only what the run names", invented(r, &whole))
	}
	part, err := ask(first, half, nil)
	if note("answers about a part", err) {
		note("names only what the part names", invented(r, &part))
		parent, err := json.Marshal(part)
		var both window.SummaryResult
		if err == nil {
			both, err = ask(first, last, parent)
		}
		if note("goes on from its own result", err) {
			note("names only what both parts name", invented(r, &both))
		}
	}
	bad := 0
	for _, f := range found {
		if !f.OK {
			bad++
		}
	}
	if err := a.print(found, func(w io.Writer) {
		for _, f := range found {
			if f.OK {
				fmt.Fprintf(w, "ok   %s\n", f.Check)
			} else {
				fmt.Fprintf(w, "%s  %s: %s\n", a.bold("BAD"), f.Check, printable(oneLine(f.Text)))
			}
		}
	}); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("summariser %s: %d of %d checks failed", program[0], bad, len(found))
	}
	return nil
}

func smaller(r *runs.Run, s *window.SummaryResult) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	given := 0
	for _, e := range r.View().Events() {
		given += len(r.View().Text(e))
	}
	if len(text) >= given {
		return fmt.Errorf("%d bytes for a run of %d", len(text), given)
	}
	return nil
}

// misspelt names the keys of an answer that nothing reads.
func misspelt(s *window.SummaryResult) error {
	var bad []string
	for _, k := range s.Unknown {
		meant := config.DidYouMean(k.Name, k.Known)
		if meant == "" {
			meant = ": known are " + strings.Join(k.Known, ", ")
		}
		bad = append(bad, fmt.Sprintf("unknown key %q%s", clipped(k.Name, 60), meant))
	}
	if len(bad) > 0 {
		return errors.New(strings.Join(first(bad, 5), "; "))
	}
	return nil
}

// invented says what of a summary its iterations do not.
func invented(r *runs.Run, s *window.SummaryResult) error {
	if bad := window.Invented(r.View(), s); len(bad) > 0 {
		return fmt.Errorf("not in the run: %s", strings.Join(bad, ", "))
	}
	return nil
}
