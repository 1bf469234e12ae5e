package inspect

import (
	"path"
	"slices"
	"strings"
	"time"

	"orihon/journal"
)

// EventQuery says which events of a run are meant: those that answer to all of
// it. The zero value means all.
type EventQuery struct {
	Types        []journal.Type // one of these; none means all
	From, To     int            // iterations; 0 leaves that end open
	Since, Until time.Time      // Since ≤ time < Until; zero leaves that end open
	Entity       string         // a file, an identifier, a commit or a URL that they name
}

// Event is an event of a run, in words.
type Event struct {
	Seq       int64        `json:"seq"` // its number in the journal
	At        time.Time    `json:"at,omitzero"`
	Iteration int          `json:"iteration"`
	Type      journal.Type `json:"type"`
	ID        string       `json:"id,omitempty"`   // the client's name for it
	Text      string       `json:"text,omitempty"` // what it says
}

// Events returns the events that answer to a query, oldest first.
func (r *Run) Events(q EventQuery) []Event {
	events := r.view.Events()
	if q.Entity != "" {
		events = r.naming(strings.TrimSpace(q.Entity))
	}
	out := []Event{}
	for _, e := range events {
		switch {
		case len(q.Types) > 0 && !slices.Contains(q.Types, e.Type),
			e.Iter < q.From, q.To > 0 && e.Iter > q.To,
			!q.Since.IsZero() && e.TS.Before(q.Since), !q.Until.IsZero() && !e.TS.Before(q.Until):
			continue
		}
		out = append(out, Event{e.Seq, e.TS, e.Iter, e.Type, e.ID, r.view.Text(e)})
	}
	return out
}

// naming are the events that name an entity; a file also by the end of its path.
func (r *Run) naming(entity string) []journal.Event {
	if !strings.Contains(entity, "/") {
		return r.view.ByEntity(entity)
	}
	exact := map[int64]bool{}
	for _, e := range r.view.ByEntity(entity) {
		exact[e.Seq] = true
	}
	// An event that names a file by its path is found by its base name, too; a URL
	// has none.
	named := append(r.view.ByEntity(entity), r.view.ByEntity(path.Base(entity))...)
	slices.SortFunc(named, func(a, b journal.Event) int { return int(a.Seq - b.Seq) })
	named = slices.CompactFunc(named, func(a, b journal.Event) bool { return a.Seq == b.Seq })
	return slices.DeleteFunc(named, func(e journal.Event) bool {
		return !exact[e.Seq] && !strings.Contains(r.view.Text(e), "/"+strings.TrimPrefix(entity, "/"))
	})
}
