package window

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"orihon/internal/inert"
	"orihon/internal/redact"
	"orihon/journal"
)

// Bounds of a summariser that is a program.
const (
	programTimeout = time.Minute
	programOutput  = 1 << 20 // bytes of its answer
)

// summaryAsker asks a program about some iterations.
type summaryAsker struct {
	request SummaryRequest
	of      [2]int
	program CustomOptions
}

// ask runs the program. Where the run has no journal on disk, it gets one in a
// temporary folder. What it says is foreign and becomes harmless text.
func (a summaryAsker) ask(ctx context.Context, v *journal.View) (SummaryResult, error) {
	r, p := a.request, a.program
	dir, err := os.MkdirTemp("", "orihon-summary-")
	if err != nil {
		return SummaryResult{}, err
	}
	defer os.RemoveAll(dir)
	if r.JournalPath, err = journalFor(ctx, v, filepath.Join(dir, "journal")); err != nil {
		return SummaryResult{}, err
	}
	request, err := json.Marshal(r)
	if err != nil {
		return SummaryResult{}, err
	}
	p.Timeout, p.MaxOutput = cmp.Or(max(p.Timeout, 0), programTimeout), cmp.Or(max(p.MaxOutput, 0), programOutput)
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return SummaryResult{}, err
	}
	answer, err := (&custom{o: p}).run(ctx, work, r.JournalPath, request)
	if err != nil {
		return SummaryResult{}, fmt.Errorf("summariser %w", err)
	}
	return readSummary(answer, p.Command[0], a.of)
}

// readSummary reads the answer of a program about some iterations.
func readSummary(answer []byte, program string, of [2]int) (SummaryResult, error) {
	var s SummaryResult
	if err := json.Unmarshal(answer, &s); err != nil {
		return s, fmt.Errorf("%w: the answer of the summariser %s: %w", ErrInvalid, program, err)
	}
	s.Unknown = unknownKeys(answer)
	said := len(s.Title) + len(s.Content) + len(s.Outcome) + len(s.Events) + len(s.Errors) + len(s.Changes) + len(s.Decisions)
	if said == 0 {
		return s, fmt.Errorf("%w: the answer of the summariser %s says nothing: want title, content, events or errors", ErrInvalid, program)
	}
	if s.Range == [2]int{} {
		s.Range = of
	}
	if s.Range[0] < 1 || s.Range[1] < s.Range[0] || s.Range[1] > of[1] {
		return s, fmt.Errorf("%w: the answer of the summariser %s is about iterations %d to %d, asked were %d to %d", ErrInvalid, program, s.Range[0], s.Range[1], of[0], of[1])
	}
	s.Agent, s.Form = filepath.Base(program), cmp.Or(s.Form, "chapter")
	for _, text := range []*string{&s.Title, &s.Content, &s.Outcome} {
		clean, _ := redact.Text(*text)
		*text = inert.Text(clean)
	}
	return s, nil
}

// UnknownKey is a key of a JSON object that means nothing there.
type UnknownKey struct {
	Name  string
	Known []string // the keys that mean something there
}

// unknownKeys are those of the answer of a program, and of its events and errors.
func unknownKeys(answer []byte) []UnknownKey {
	var out []UnknownKey
	look := func(o map[string]json.RawMessage, of any) {
		known := jsonKeys(of)
		for _, name := range slices.Sorted(maps.Keys(o)) {
			if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) &&
				!slices.ContainsFunc(out, func(u UnknownKey) bool { return u.Name == name }) {
				out = append(out, UnknownKey{name, known})
			}
		}
	}
	var all map[string]json.RawMessage
	var parts struct{ Events, Errors []map[string]json.RawMessage }
	if json.Unmarshal(answer, &all) != nil || json.Unmarshal(answer, &parts) != nil {
		return nil
	}
	look(all, SummaryResult{})
	for _, o := range parts.Events {
		look(o, SummaryEvent{})
	}
	for _, o := range parts.Errors {
		look(o, SummaryError{})
	}
	return out
}

// jsonKeys are the keys of a struct in JSON.
func jsonKeys(of any) []string {
	var out []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(of)) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			out = append(out, name)
		}
	}
	return out
}
