package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
)

// Problem is a line that could not be read and was passed over.
type Problem struct {
	Path string
	Line int // from 1; 0 when the error says where
	Err  error
}

func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %v", p.Path, p.Err)
	}
	return fmt.Sprintf("%s:%d: %v", p.Path, p.Line, p.Err)
}

// Unwrap returns why the line could not be read.
func (p *Problem) Unwrap() error { return p.Err }

var (
	errTorn = errors.New("the last line is torn; the next append moves it aside")
	errStop = errors.New("stop")
)

// cursor is where a replay stands, so that the next one can go on from there.
type cursor struct {
	from origin
	end  int64 // behind the last line that was read
	line int   // its number
	seq  int64 // the highest that was read
	torn int64 // offset of the torn line last reported, -1 for none
	seen identities
}

// Events replays the events with Seq ≥ from, without those whose identity came
// before. A line that cannot be read yields a [*Problem] and the replay goes on;
// any other error ends it.
//
// A replay that begins behind where the last one of this handle ended reads, and
// complains of, only what is new: asking again for the last Seq + 1 follows a
// journal that others write.
func (j *Journal) Events(ctx context.Context, from int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		c, err := j.takeCursor(from)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer j.putCursor(c)
		err = j.read(ctx, c, func(e Event, err error) bool {
			return (err == nil && e.Seq < from) || yield(e, err)
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Event{}, err)
		}
	}
}

// read passes every event behind the cursor to fn, until fn returns false.
func (j *Journal) read(ctx context.Context, c *cursor, fn func(Event, error) bool) error {
	report := func(line int, err error) bool {
		p := &Problem{j.Path(), line, err}
		j.o.Logger.Warn("journal line passed over", "at", p.Error())
		return fn(Event{}, p)
	}
	base, stopped := c.line, false
	end, err := readLines(j.Path(), c.end, func(line []byte, _ int64, number int) error {
		// Stopping one line late leaves the cursor behind the line stopped at.
		if stopped {
			return errStop
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c.line = base + number
		e, err := parse(line)
		if err != nil {
			stopped = !report(c.line, err)
			return nil
		}
		if c.seen.has(e) {
			return nil
		}
		c.seen.add(e)
		c.seq = max(c.seq, e.Seq)
		stopped = !fn(e, nil)
		return nil
	})
	c.end = end
	if err != nil || stopped {
		return err
	}
	if !c.from.packed && c.from.info.Size() > end && c.torn != end {
		c.torn = end
		report(c.line+1, errTorn)
	}
	return nil
}

// takeCursor takes the handle's cursor when the replay can begin there, and a
// new one else. While it is out, other replays begin anew.
func (j *Journal) takeCursor(from int64) (*cursor, error) {
	now, err := j.origin()
	if err != nil {
		return nil, err
	}
	j.replay.Lock()
	defer j.replay.Unlock()
	c := j.cursor
	if c != nil && c.seq < from && c.from.same(now) && (now.packed || now.info.Size() >= c.end) {
		j.cursor = nil
		c.from = now
		return c, nil
	}
	return &cursor{from: now, torn: -1}, nil
}

func (j *Journal) putCursor(c *cursor) {
	j.replay.Lock()
	defer j.replay.Unlock()
	if j.cursor == nil || j.cursor.seq <= c.seq || !j.cursor.from.same(c.from) {
		j.cursor = c
	}
}
