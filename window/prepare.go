package window

import (
	"context"
	"encoding/json"
	"slices"

	"orihon/journal"
)

// Prepared is a folding that was planned ahead, to be committed when the context
// is about to be replaced. It can be written to a file: it says of which state of
// the journal it was made.
type Prepared struct {
	Folds int64 `json:"folds"` // sequence number of the last event that had changed what is folded; 0 for none
	Upto  int64 `json:"upto"`  // of the last event that was looked at
	Limit int   `json:"limit"`
	// Plans are the payloads of the FOLD events to be.
	Plans []json.RawMessage `json:"plans"`
}

// Prepare plans what [Folder.Build] would fold now. Nothing is written.
func (f *Folder) Prepare(ctx context.Context, in Input) (Prepared, error) {
	in = in.withDefaults()
	events := slices.Clone(in.View.Events())
	for i, e := range events {
		body, err := in.View.Body(e)
		if err != nil {
			return Prepared{}, err
		}
		events[i].Payload = body
	}
	f.state.read(in.View)
	p := Prepared{Folds: f.state.changed, Limit: in.Limit}
	if n := len(events); n > 0 {
		p.Upto = events[n-1].Seq
	}
	in.View = journal.NewView(events...)
	trial, err := NewFolder(&f.opt)
	if err != nil {
		return Prepared{}, err
	}
	if _, err := trial.Build(ctx, in); err != nil {
		return Prepared{}, err
	}
	for _, e := range in.View.From(p.Upto + 1) {
		if e.Type == journal.Fold {
			p.Plans = append(p.Plans, e.Payload)
		}
	}
	return p, nil
}

// Fits reports whether what was prepared can still be committed: nothing was
// folded, opened or marked meanwhile, and the journal is the same one.
func (f *Folder) Fits(v *journal.View, p Prepared) bool {
	f.state.read(v)
	_, there := v.Event(p.Upto)
	return there && f.state.changed == p.Folds && len(p.Plans) > 0
}

// Commit writes what was prepared, if it fits, and reports whether it did.
func (f *Folder) Commit(ctx context.Context, v *journal.View, p Prepared) (bool, error) {
	if !f.Fits(v, p) {
		return false, nil
	}
	var events []journal.Event
	for _, plan := range p.Plans {
		events = append(events, journal.Event{Type: journal.Fold, Payload: plan})
	}
	if _, err := v.Append(ctx, events...); err != nil {
		return false, err
	}
	f.state.read(v)
	f.stats.Epochs += len(events)
	return true, nil
}
