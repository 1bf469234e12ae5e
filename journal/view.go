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
// the indexes of words and entities take up new events when they are asked. What
// [View.Forget] lets go of is read again when it is asked for.
//
// A View is not safe for concurrent use; each reader opens its own.
type View struct {
	journal  *Journal // nil for a plain list
	readOnly bool
	from     origin
	state    state // places events that are appended to a plain list

	events []Event // but for those of past
	inLine bool    // seqs are 1, 2, 3 …, as they stand in the journal
	byType map[Type][]int32
	calls  calls
	past   past
	full   *View // with all events, while they are asked for

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
	v := &View{inLine: true}
	for _, e := range events {
		v.take(e)
	}
	return v
}

// View reads the journal.
func (j *Journal) View(ctx context.Context) (*View, error) {
	v := &View{journal: j, inLine: true}
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
		*v = View{journal: v.journal, readOnly: v.readOnly, inLine: true}
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
	if v.state.seen.has(e) {
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
	v.inLine = v.inLine && e.Seq == v.LastSeq()+1 && e.Iter >= v.LastIteration()
	if n > 0 {
		last := v.events[n-1]
		e.Iter = max(e.Iter, last.Iter)
		if e.Seq <= last.Seq {
			e.Seq = last.Seq + 1
		}
	}
	v.events = append(v.events, e)
	v.list(n)
	v.calls.note(e)
}

// list puts an event into the lists by type.
func (v *View) list(n int) {
	if v.byType == nil {
		v.byType = map[Type][]int32{}
	}
	t := v.events[n].Type
	v.byType[t] = append(v.byType[t], int32(n))
}

// ResultOf returns the result of a call by the call's ID.
func (v *View) ResultOf(id string) (Event, bool) {
	e, ok := v.Event(v.calls.of(id).result)
	return e, ok && e.ID == id
}

// Requested reports whether the call with this ID was asked for in the view.
func (v *View) Requested(id string) bool { return v.calls.of(id).requested }

// Forget lets go of the events of the iterations before one, which lie in the
// journal, so that a run that goes on and on takes no more memory. What is asked of
// them is read again: a stretch by itself, all for those questions that are about the
// whole run. It does nothing while there is little to let go, for a list of events, and
// for a journal that somebody else has written in.
func (v *View) Forget(before int) {
	v.full, v.past.again = nil, nil
	n := sort.Search(len(v.events), func(i int) bool { return v.events[i].Iter >= min(before, v.LastIteration()) })
	if v.journal == nil || v.from.packed || !v.inLine || n == 0 || 2*n < len(v.events) {
		return
	}
	if v.past.events == 0 {
		v.past.first = v.events[0].Iter
	}
	for _, e := range v.events[:n] {
		if !often(e.Type) {
			v.past.kept = append(v.past.kept, e)
		}
	}
	v.past.events += n
	v.events, v.byType = slices.Clone(v.events[n:]), nil
	for i := range v.events {
		v.list(i)
	}
	v.words, v.entities = wordIndex{}, entityIndex{}
}

// recall reads events that were let go of, from one key to another.
func (v *View) recall(key func(Event) int64, from, to int64) []Event {
	all, err := v.journal.stretch(key, from, to)
	if err != nil {
		v.journal.o.Logger.Warn("journal not read again", "at", v.journal.Path(), "err", err)
	}
	return all[:sort.Search(len(all), func(i int) bool { return all[i].Seq > v.LastSeq() })]
}

func bySeq(e Event) int64       { return e.Seq }
func byIteration(e Event) int64 { return int64(e.Iter) }

// whole is a view with all events.
func (v *View) whole() *View {
	if v.past.events == 0 {
		return v
	}
	if v.full == nil {
		v.full = &View{journal: v.journal, readOnly: true, inLine: true}
	}
	if err := v.full.Update(context.Background()); err != nil {
		v.journal.o.Logger.Warn("journal not read again", "at", v.journal.Path(), "err", err)
	}
	return v.full
}

// Journal is what the view follows; nil for a plain list.
func (v *View) Journal() *Journal { return v.journal }

// Events returns all events, oldest first. The caller does not change them.
func (v *View) Events() []Event { return v.whole().events }

// Event returns the event with a sequence number.
func (v *View) Event(seq int64) (Event, bool) {
	all := v.events
	if v.past.events > 0 && seq < all[0].Seq {
		if all = v.past.again; len(all) == 0 || seq < all[0].Seq || seq > all[len(all)-1].Seq {
			all = v.recall(bySeq, seq, seq)
		}
	}
	i := sort.Search(len(all), func(i int) bool { return all[i].Seq >= seq })
	if i < len(all) && all[i].Seq == seq {
		return all[i], true
	}
	return Event{}, false
}

// From returns the events with at least this sequence number.
func (v *View) From(seq int64) []Event {
	if v.past.events > 0 && seq < v.events[0].Seq {
		return v.recall(bySeq, seq, v.LastSeq())
	}
	return v.events[sort.Search(len(v.events), func(i int) bool { return v.events[i].Seq >= seq }):]
}

// FirstIteration and LastIteration bound the iterations; both are 0 for an
// empty view.
func (v *View) FirstIteration() int {
	switch {
	case v.past.events > 0:
		return v.past.first
	case len(v.events) == 0:
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

// LastSeq is the sequence number of the newest event; 0 for an empty view.
func (v *View) LastSeq() int64 {
	if len(v.events) == 0 {
		return 0
	}
	return v.events[len(v.events)-1].Seq
}

// Iterations returns those with start ≤ N ≤ end; end 0 is the last.
func (v *View) Iterations(start, end int) []Iteration {
	var out []Iteration
	for all := v.Range(start, end); len(all) > 0; {
		n := sort.Search(len(all), func(i int) bool { return all[i].Iter > all[0].Iter })
		out = append(out, Iteration{N: all[0].Iter, Events: all[:n:n]})
		all = all[n:]
	}
	return out
}

// Range returns the events of the iterations from start to end; end 0 is the
// last.
func (v *View) Range(start, end int) []Event {
	if end <= 0 {
		end = v.LastIteration()
	}
	all := v.events
	if v.past.events > 0 && start < all[0].Iter {
		if of := v.past.of; v.past.again == nil || start < of[0] || end > of[1] {
			v.past.of = [2]int{start - around, end + around}
			v.past.again = v.recall(byIteration, int64(start-around), int64(end+around))
		}
		all = v.past.again
	}
	i := sort.Search(len(all), func(i int) bool { return all[i].Iter >= start })
	j := sort.Search(len(all), func(i int) bool { return all[i].Iter > end })
	if i >= j {
		return nil
	}
	return all[i:j:j]
}

// ByType returns the events of these types, oldest first.
func (v *View) ByType(types ...Type) []Event {
	past, ok := v.past.ofTypes(types)
	if !ok {
		return v.whole().ByType(types...)
	}
	var at []int32
	for _, t := range types {
		at = append(at, v.byType[t]...)
	}
	if len(types) > 1 {
		slices.Sort(at)
		at = slices.Compact(at)
	}
	return append(past, v.at(at)...)
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
