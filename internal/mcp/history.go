package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/memory"
	"orihon/runs"
	"orihon/window/inspect"
)

type historyArguments struct {
	Query   string `json:"query,omitempty" jsonschema:"words or a name"`
	Around  string `json:"around,omitempty" jsonschema:"a hit, <session>/<event>"`
	Span    int    `json:"span,omitempty" jsonschema:"events on either side, 5"`
	Session string `json:"session,omitempty" jsonschema:"only in this one"`
	Limit   int    `json:"limit,omitempty" jsonschema:"most hits, 10"`
	Since   string `json:"since,omitempty"`
	Until   string `json:"until,omitempty"`
}

type events struct {
	told
	Hits []event `json:"hits"`
}

// event is one that was found; what it says stands in the text.
type event struct {
	ID   string    `json:"id" jsonschema:"for around"`
	Type string    `json:"type"`
	At   time.Time `json:"at,omitzero"`
}

// history is history_query: by words over all sessions or in one, or what stands
// around a hit.
func (s *Server) history(ctx context.Context, c call, in *historyArguments) (out events, err error) {
	out.Hits = []event{}
	switch {
	case in.Around != "":
		return s.around(ctx, in)
	case strings.TrimSpace(in.Query) == "":
		return out, fmt.Errorf("%w arguments: want query or around", memory.ErrInvalid)
	case in.Session != "":
		return s.within(ctx, in)
	}
	q := memory.Query{Kinds: []memory.Kind{memory.Episodic, memory.Note}, Turns: true}
	found, err := s.recall(ctx, c, &searchArguments{Query: in.Query, Limit: in.Limit, MaxTokens: 4000, Since: in.Since, Until: in.Until}, q)
	if err != nil {
		return out, err
	}
	out.told = found.told
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, event{ID: h.ID, Type: h.Type})
	}
	return out, nil
}

// mostEvent is how much of an event is shown, in tokens.
const mostEvent = 400

// around shows the events before and after one.
func (s *Server) around(ctx context.Context, in *historyArguments) (out events, err error) {
	out.Hits = []event{}
	name, seq, err := parsePlace(in.Around)
	if err != nil {
		return out, err
	}
	run, err := s.o.Memory.Runs().Session(ctx, name)
	if err != nil {
		return out, err
	}
	all := run.Events(inspect.EventQuery{})
	at := -1
	for i := range all {
		if all[i].Seq == seq {
			at = i
		}
	}
	if at < 0 {
		return out, fmt.Errorf("event %d of session %s: %w", seq, name, memory.ErrNotFound)
	}
	span := cmp.Or(in.Span, 5)
	var lines []string
	for _, e := range all[max(0, at-span):min(len(all), at+span+1)] {
		if strings.TrimSpace(e.Text) == "" {
			continue
		}
		id := fmt.Sprintf("%s/%d", inert.Line(run.Name), e.Seq)
		lines = append(lines, eventLine(id, &e))
		out.Hits = append(out.Hits, event{ID: id, Type: strings.ToLower(string(e.Type)), At: e.At})
	}
	out.Text = s.framed(lines...)
	return out, nil
}

// within finds words in one session.
func (s *Server) within(ctx context.Context, in *historyArguments) (out events, err error) {
	out.Hits = []event{}
	since, until, err := parseSpan(in.Since, in.Until)
	if err != nil {
		return out, err
	}
	run, err := s.o.Memory.Runs().Session(ctx, in.Session)
	if err != nil {
		return out, err
	}
	when := make(map[int64]time.Time)
	for _, e := range run.Events(inspect.EventQuery{Since: since, Until: until}) {
		when[e.Seq] = e.At
	}
	most := mostLimit
	if !since.IsZero() || !until.IsZero() {
		// However many better ones there are of other times.
		most = len(run.Events(inspect.EventQuery{}))
	}
	var lines []string
	for _, f := range run.Retrieve(in.Query, most) {
		at, ok := when[f.Seq]
		if !ok || len(lines) == cmp.Or(in.Limit, 10) {
			continue
		}
		id := fmt.Sprintf("%s/%d", inert.Line(run.Name), f.Seq)
		lines = append(lines, eventLine(id, &inspect.Event{Type: journal.Type(f.Type), At: at, Iteration: f.Iteration, Text: f.Text}))
		out.Hits = append(out.Hits, event{ID: id, Type: f.Type, At: at})
	}
	if len(lines) == 0 {
		out.Text = "Nothing in that session holds these words."
		return out, nil
	}
	out.Text = s.framed(lines...)
	return out, nil
}

func eventLine(id string, e *inspect.Event) string {
	text := cut(inert.Text(strings.TrimSpace(e.Text)), mostEvent, "context_expand has it whole")
	return fmt.Sprintf("- %s %s: %s (iteration %d; id %s)", e.At.Local().Format("2006-01-02 15:04"), strings.ToLower(string(e.Type)), strings.ReplaceAll(text, "\n", "\n  "), e.Iteration, id)
}

type expandArguments struct {
	Ref     string `json:"ref" jsonschema:"F7, or iterations as in 12-20"`
	Session string `json:"session,omitempty" jsonschema:"this one, else the newest"`
	Anchor  string `json:"anchor,omitempty" jsonschema:"only what names this"`
	Page    int    `json:"page,omitempty"`
}

type expanded struct {
	told
	Page int  `json:"page"`
	More bool `json:"more" jsonschema:"there is a next page"`
}

// expand is context_expand. A page of a run is shown in two, since clients cut off
// sooner than it ends.
func (s *Server) expand(ctx context.Context, c call, in *expandArguments) (out expanded, err error) {
	run, err := s.run(ctx, c, in.Session)
	if err != nil {
		return out, err
	}
	out.Page = max(1, in.Page)
	p, err := run.Expand(ctx, in.Ref, in.Anchor, (out.Page+1)/2)
	if err != nil {
		return out, err
	}
	text, second := p.Text, out.Page%2 == 0
	first := tokens.Fit(text, mostTokens)
	switch {
	case !second:
		text = first
	default:
		text = text[len(first):]
	}
	out.More = p.Page < p.Pages || !second && len(first) < len(p.Text)
	if text == "" {
		text = "(this page is empty)"
	}
	out.Text = s.framed(inert.Line(p.Title), inert.Text(text))
	if out.More {
		out.Text += fmt.Sprintf("\nThere is more: page %d.", out.Page+1)
	}
	return out, nil
}

// run opens a session of this project by its name; without one it is the one that
// calls, else the newest.
func (s *Server) run(ctx context.Context, c call, name string) (*runs.Run, error) {
	if name == "" {
		if run, err := s.o.Memory.Runs().Session(ctx, c.session); err == nil {
			return run, nil
		}
	}
	return s.o.Memory.Runs().Session(ctx, name)
}
