package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"

	"orihon/memory"
)

// View is a run read into memory, with what questions about it need. It is of a
// journal, and follows it, or of a plain list of events, such as an importer
// returns. Reading an event costs once: [View.Update] reads what is new, and
// the indexes of words and entities take up new events when they are asked.
//
// A View is not safe for concurrent use; each reader opens its own.
type View struct {
	journal  *Journal // nil for a plain list
	readOnly bool
	from     origin
	state    state // places events that are appended to a plain list

	events []Event
	begins []int // index of the first event of each iteration
	bySeq  bool  // seqs are 1, 2, 3 …: a seq is its index + 1
	byType map[Type][]int32
	// results has the event of each call's result.
	results  map[string]int32
	requests map[string]struct{}

	words    wordIndex
	entities entityIndex
}

// Iteration is one round of thinking, acting and observing.
type Iteration struct {
	N      int
	Events []Event // in their order, at least one
}

// NewView returns a view of a plain list. Events that have a place, such as those
// of a journal with gaps, keep its numbers as far as they rise; the others get one
// as [Journal.Append] gives it: sequence numbers and iterations count on. Of events
// with one identity the first counts. It panics on nothing: an event without a
// type is left out.
func NewView(events ...Event) *View {
	v := &View{bySeq: true}
	for _, e := range events {
		v.take(e)
	}
	return v
}

// View reads the journal.
func (j *Journal) View(ctx context.Context) (*View, error) {
	v := &View{journal: j, bySeq: true}
	return v, v.Update(ctx)
}

// ReadOnly makes [View.Append] fail, for whoever only looks: a sub-process with
// its parent's journal, an inspection.
func (v *View) ReadOnly() *View {
	v.readOnly = true
	return v
}

// Update reads what was appended to the journal since. When the journal was
// rewritten by a purge, all of it is read again. Lines that cannot be read are
// passed over; [Journal.Events] tells which.
func (v *View) Update(ctx context.Context) error {
	if v.journal == nil {
		return nil
	}
	now, err := v.journal.origin()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if v.from.info != nil && !v.from.same(now) {
		*v = View{journal: v.journal, readOnly: v.readOnly, bySeq: true}
	}
	v.from = now
	var from int64 = 1
	if n := len(v.events); n > 0 {
		from = v.events[n-1].Seq + 1
	}
	for e, err := range v.journal.Events(ctx, from) {
		var broken *Problem
		if errors.As(err, &broken) {
			continue
		}
		if err != nil {
			return err
		}
		v.add(e)
	}
	return nil
}

// Append appends to the journal, which gives every event its place, and reads it;
// or to the list when there is no journal, where events keep the place they have,
// as with [NewView]. It returns the events it appended, in their place. On a
// read-only view it fails.
func (v *View) Append(ctx context.Context, events ...Event) ([]Event, error) {
	if v.readOnly {
		return nil, fmt.Errorf("append to a read-only view: %w", errors.ErrUnsupported)
	}
	if v.journal != nil {
		out, err := v.journal.Append(ctx, events...)
		if err != nil {
			return nil, err
		}
		return out, v.Update(ctx)
	}
	checked, err := cleanAll(events)
	if err != nil {
		return nil, err
	}
	from := len(v.events)
	for _, e := range checked {
		v.take(e)
	}
	return slices.Clone(v.events[from:]), nil
}

// take places an event of a plain list.
func (v *View) take(e Event) {
	if e.Type == "" {
		return
	}
	if v.state.seen == nil {
		v.state.seen = map[identity]struct{}{}
	}
	id := identity{e.Type, e.ID}
	if _, twice := v.state.seen[id]; e.ID != "" && twice {
		return
	}
	if e.Seq > 0 || e.Iter > 0 {
		e.Seq, e.Iter = max(e.Seq, v.state.seq+1), max(e.Iter, v.state.iter)
	} else {
		v.state.place(&e)
	}
	v.state.note(e)
	v.add(e)
}

// add takes up an event that has its place. Iterations never go back: a line
// that says so was written by hand and stands in the one before it.
func (v *View) add(e Event) {
	n := len(v.events)
	if n > 0 {
		last := v.events[n-1]
		e.Iter = max(e.Iter, last.Iter)
		if e.Seq <= last.Seq {
			e.Seq = last.Seq + 1
		}
	}
	if n == 0 || e.Iter > v.events[n-1].Iter {
		v.begins = append(v.begins, n)
	}
	v.bySeq = v.bySeq && e.Seq == int64(n+1)
	v.events = append(v.events, e)
	if v.byType == nil {
		v.byType = map[Type][]int32{}
	}
	v.byType[e.Type] = append(v.byType[e.Type], int32(n))
	if e.Type == ActionRequest && e.ID != "" {
		if v.requests == nil {
			v.requests = map[string]struct{}{}
		}
		v.requests[e.ID] = struct{}{}
	}
	if e.Type == ActionResult && e.ID != "" {
		if v.results == nil {
			v.results = map[string]int32{}
		}
		v.results[e.ID] = int32(n)
	}
}

// ResultOf returns the result of a call by the call's ID.
func (v *View) ResultOf(id string) (Event, bool) {
	i, ok := v.results[id]
	if !ok {
		return Event{}, false
	}
	return v.events[i], true
}

// Requested reports whether the call with this ID was asked for in the view.
func (v *View) Requested(id string) bool {
	_, ok := v.requests[id]
	return ok
}

// Journal is what the view follows; nil for a plain list.
func (v *View) Journal() *Journal { return v.journal }

// Events returns all events, oldest first. The caller does not change them.
func (v *View) Events() []Event { return v.events }

// Event returns the event with a sequence number.
func (v *View) Event(seq int64) (Event, bool) {
	i := v.index(seq)
	if i < len(v.events) && v.events[i].Seq == seq {
		return v.events[i], true
	}
	return Event{}, false
}

// index is where the first event with at least this sequence number stands.
func (v *View) index(seq int64) int {
	if v.bySeq {
		return int(min(max(seq-1, 0), int64(len(v.events))))
	}
	return sort.Search(len(v.events), func(i int) bool { return v.events[i].Seq >= seq })
}

// From returns the events with at least this sequence number.
func (v *View) From(seq int64) []Event { return v.events[v.index(seq):] }

// FirstIteration and LastIteration bound the iterations; both are 0 for an
// empty view.
func (v *View) FirstIteration() int {
	if len(v.events) == 0 {
		return 0
	}
	return v.events[0].Iter
}

// LastIteration is the number of the newest iteration.
func (v *View) LastIteration() int {
	if len(v.events) == 0 {
		return 0
	}
	return v.events[len(v.events)-1].Iter
}

// Iterations returns those with start ≤ N ≤ end; end 0 is the last.
func (v *View) Iterations(start, end int) []Iteration {
	if end <= 0 {
		end = v.LastIteration()
	}
	k := sort.Search(len(v.begins), func(k int) bool { return v.events[v.begins[k]].Iter >= start })
	var out []Iteration
	for ; k < len(v.begins); k++ {
		from, to := v.begins[k], len(v.events)
		if k+1 < len(v.begins) {
			to = v.begins[k+1]
		}
		n := v.events[from].Iter
		if n > end {
			break
		}
		out = append(out, Iteration{N: n, Events: v.events[from:to:to]})
	}
	return out
}

// Range returns the events of the iterations from start to end; end 0 is the
// last.
func (v *View) Range(start, end int) []Event {
	its := v.Iterations(start, end)
	if len(its) == 0 {
		return nil
	}
	from := v.index(its[0].Events[0].Seq)
	n := 0
	for _, it := range its {
		n += len(it.Events)
	}
	return v.events[from : from+n : from+n]
}

// ByType returns the events of these types, oldest first.
func (v *View) ByType(types ...Type) []Event {
	var at []int32
	for _, t := range types {
		at = append(at, v.byType[t]...)
	}
	if len(types) > 1 {
		slices.Sort(at)
		at = slices.Compact(at)
	}
	return v.at(at)
}

// at returns the events that stand at some places.
func (v *View) at(places []int32) []Event {
	out := make([]Event, len(places))
	for i, n := range places {
		out[i] = v.events[n]
	}
	return out
}

// Body returns the whole payload of an event, as [Journal.Body] does.
func (v *View) Body(e Event) ([]byte, error) {
	if v.journal == nil {
		return e.Payload, nil
	}
	return v.journal.Body(e)
}

// Decode reads the whole payload of an event into one of the payload structs.
func (v *View) Decode(e Event, payload any) error {
	if v.journal == nil {
		if len(e.Payload) == 0 {
			return nil
		}
		if err := json.Unmarshal(e.Payload, payload); err != nil {
			return fmt.Errorf("payload of event %d (%s): %w %w", e.Seq, e.Type, memory.ErrInvalid, err)
		}
		return nil
	}
	return v.journal.Decode(e, payload)
}

// Text is what an event says, in words: a message's text, a call's tool and
// input, a result's output. It is empty for events that say nothing.
func (v *View) Text(e Event) string {
	switch e.Type {
	case UserMessage, AssistantMessage, Thought, Summary, Bookmark, Report:
		var m Message
		_ = v.Decode(e, &m) // what cannot be read says nothing
		return m.Text
	case ActionRequest:
		var a Action
		_ = v.Decode(e, &a)
		return a.Tool + " " + string(a.Input)
	case ActionResult:
		var r Result
		_ = v.Decode(e, &r)
		return r.Output
	case Compacted:
		var c Compaction
		_ = v.Decode(e, &c)
		return c.Summary
	}
	return ""
}

// Detached is an empty view that reads payloads as this one does, for events
// that are not in the journal yet.
func (v *View) Detached() *View { return &View{readOnly: true} }
