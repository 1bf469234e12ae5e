package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"orihon/internal/jsonl"
)

// Append writes the events in order and returns those it wrote, each with its
// Seq, Iter and TS (kept when set, else now) and with its payload as it stands
// in the journal. An event is passed over when its identity was appended by
// this handle or stands in the last 64 KiB of the journal. That is enough for
// hooks; whoever replays a whole transcript uses [Journal.AppendExact].
//
// All events are written or none. An event without a type or with a payload
// that is not JSON is refused with [memory.ErrInvalid].
func (j *Journal) Append(ctx context.Context, events ...Event) (appended []Event, err error) {
	return j.append(ctx, false, events)
}

// AppendExact is Append that passes over every event whose identity stands
// anywhere in the journal. The first call reads it whole.
func (j *Journal) AppendExact(ctx context.Context, events ...Event) (appended []Event, err error) {
	return j.append(ctx, true, events)
}

func (j *Journal) append(ctx context.Context, exact bool, events []Event) ([]Event, error) {
	checked, err := cleanAll(events)
	if err != nil || len(checked) == 0 {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	unlock, err := j.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := j.catchUp(ctx, exact); err != nil {
		return nil, err
	}

	next := j.state // its map is only added to when the lines are written
	fresh := map[identity]struct{}{}
	var out []Event
	var lines [][]byte
	var bodies bodies
	for _, e := range checked {
		id := identity{e.Type, e.ID}
		_, before := next.seen[id]
		_, now := fresh[id]
		if e.ID != "" && (before || now) {
			continue
		}
		fresh[id] = struct{}{}
		next.place(&e)
		if e.TS.IsZero() {
			e.TS = j.o.Now()
		}
		e.TS = e.TS.UTC().Round(0)
		e.Payload = bodies.pack(e.Payload)
		line, err := encode(e)
		if err != nil {
			return nil, fmt.Errorf("append %s %s to %s: %w", e.Type, e.ID, j.Path(), err)
		}
		lines, out = append(lines, line), append(out, e)
	}
	if len(lines) == 0 {
		return nil, nil
	}
	if err := j.store(ctx, bodies); err != nil {
		return nil, err
	}
	offset, err := j.o.write(ctx, j.Path(), j.lineOptions(), lines...)
	if err != nil {
		return nil, err
	}

	next.end = offset
	for _, l := range lines {
		next.end += int64(len(l)) + 1
	}
	if next.seen == nil {
		next.seen = map[identity]struct{}{}
	}
	for id := range fresh {
		if id.id != "" {
			next.seen[id] = struct{}{}
		}
	}
	if next.from.info == nil {
		// Without it the next Append reads the journal anew, which is only slower.
		next.from, _ = j.origin()
	}
	j.state = next
	return out, nil
}

// catchUp repairs the journal and reads what others have appended. The caller
// holds both locks.
func (j *Journal) catchUp(ctx context.Context, exact bool) error {
	end, err := jsonl.Append(ctx, j.Path(), j.lineOptions())
	if err != nil {
		return err
	}
	from, err := j.origin()
	if errors.Is(err, fs.ErrNotExist) {
		j.state = state{}
		return nil
	}
	if err != nil {
		return err
	}
	return j.state.advance(j.Path(), from, end, exact)
}
