package journal

import (
	"errors"
	"hash/maphash"
	"os"
)

// past is what a view still knows of the events it let go of.
type past struct {
	events int     // how many; they have the sequence numbers up to this
	first  int     // iteration of the first
	kept   []Event // those of rare types
	again  []Event // the last that were read again, until the next Forget
	of     [2]int  // the iterations that they are all of
}

// around is how many iterations are read on either side of those that are asked for:
// the next question is mostly about their neighbours.
const around = 16

// often reports the types that every step of a run has.
func often(t Type) bool {
	switch t {
	case Thought, ActionRequest, ActionResult, ContextBuilt, Recalled, Fold:
		return true
	}
	return false
}

// ofTypes are the kept events of some types. It is not ok when others were let go.
func (p *past) ofTypes(types []Type) (out []Event, ok bool) {
	if p.events == 0 {
		return nil, true
	}
	wanted := map[Type]bool{}
	for _, t := range types {
		if often(t) {
			return nil, false
		}
		wanted[t] = true
	}
	for _, e := range p.kept {
		if wanted[e.Type] {
			out = append(out, e)
		}
	}
	return out, true
}

// stretch reads the events whose key, which rises through the journal, lies between
// two.
func (j *Journal) stretch(key func(Event) int64, from, to int64) ([]Event, error) {
	begin, err := j.seek(key, from)
	if err != nil {
		return nil, err
	}
	var out []Event
	_, err = readLines(j.Path(), begin, func(line []byte, _ int64, _ int) error {
		e, err := parse(line)
		switch {
		case err != nil: // Events tells of it
		case key(e) > to:
			return errStop
		case key(e) >= from:
			out = append(out, e)
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return out, err
}

// probe is how near to an event it is looked for by halves, in bytes.
const probe = 32 << 10

// seek returns the offset of a line before all whose key is at least from, and not
// far before.
func (j *Journal) seek(key func(Event) int64, from int64) (int64, error) {
	info, packed, err := stat(j.Path(), os.Stat)
	if err != nil || packed {
		return 0, err
	}
	low, high := int64(0), info.Size()
	for high-low > probe {
		mid := low + (high-low)/2
		before := int64(-1)
		_, err := readLines(j.Path(), mid, func(line []byte, offset int64, _ int) error {
			e, err := parse(line)
			if offset == mid || err != nil { // it begins anywhere in a line
				return nil
			}
			if key(e) < from {
				before = offset
			}
			return errStop
		})
		switch {
		case err != nil && !errors.Is(err, errStop):
			return 0, err
		case before >= 0:
			low = before
		default:
			high = mid
		}
	}
	return low, nil
}

// calls is what a view knows of all tool calls, some twenty bytes each.
type calls struct {
	seed maphash.Seed
	by   map[uint64]called // by the hash of the ID
}

type called struct {
	requested bool
	result    int64 // the event's sequence number
}

func (c *calls) note(e Event) {
	if e.ID == "" || e.Type != ActionRequest && e.Type != ActionResult {
		return
	}
	if c.by == nil {
		c.seed, c.by = maphash.MakeSeed(), map[uint64]called{}
	}
	key := maphash.String(c.seed, e.ID)
	known := c.by[key]
	if e.Type == ActionRequest {
		known.requested = true
	} else {
		known.result = e.Seq
	}
	c.by[key] = known
}

func (c *calls) of(id string) called {
	if c.by == nil || id == "" {
		return called{}
	}
	return c.by[maphash.String(c.seed, id)]
}
