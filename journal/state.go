package journal

import (
	"hash/maphash"
	"maps"
	"slices"
)

const (
	tailSize = 64 << 10
	// maxTail bounds the search for the beginning of a long iteration.
	maxTail = 1 << 20
)

// state is what must be known of a journal to append to it.
type state struct {
	from origin // what was read
	end  int64  // how far
	// partial says that events before the tail were passed over.
	partial bool

	seq  int64
	iter int
	// began says that the first event of iter was seen, observed that an
	// ACTION_RESULT of it was.
	began, observed bool
	seen            identities
}

// identity tells events apart; without an id there is none.
type identity struct {
	t  Type
	id string
}

// identities is a set of them. It holds their hashes alone, eight bytes each but for
// the last: a run that goes on and on has many.
type identities struct {
	seed   maphash.Seed
	old    []uint64 // sorted
	recent map[uint64]struct{}
}

const mostRecent = 1024

func (s *identities) has(e Event) bool {
	if s.recent == nil || e.ID == "" {
		return false
	}
	key := maphash.Comparable(s.seed, identity{e.Type, e.ID})
	_, recent := s.recent[key]
	_, old := slices.BinarySearch(s.old, key)
	return recent || old
}

func (s *identities) add(e Event) {
	if e.ID == "" {
		return
	}
	switch {
	case s.recent == nil:
		s.seed, s.recent = maphash.MakeSeed(), map[uint64]struct{}{}
	case len(s.recent) == mostRecent:
		s.old = slices.Concat(s.old, slices.Collect(maps.Keys(s.recent)))
		slices.Sort(s.old)
		s.recent = map[uint64]struct{}{} // not cleared: copies share it
	}
	s.recent[maphash.Comparable(s.seed, identity{e.Type, e.ID})] = struct{}{}
}

// advance reads on until end, where the last whole line ends. When much was
// added, only the tail of it is read, unless exact asks for every identity.
func (s *state) advance(path string, from origin, end int64, exact bool) error {
	if !s.from.same(from) || end < s.end || (exact && s.partial) {
		*s = state{}
	}
	s.from = from
	if s.end == end {
		return nil
	}
	if end-s.end <= tailSize || exact {
		return s.scan(path, s.end, false)
	}
	for window := int64(tailSize); ; window *= 4 {
		begin := end - window
		if begin <= s.end {
			return s.scan(path, s.end, false)
		}
		t := state{from: from, partial: true, seen: s.seen}
		if err := t.scan(path, begin, true); err != nil {
			return err
		}
		// Whether a request opens an iteration depends on the results in the
		// present one, so go back to its beginning or to a result of it.
		if t.seq > 0 && (t.began || t.observed || window >= maxTail) {
			*s = t
			return nil
		}
	}
}

// readWhole reads a journal of which it is not known how long it is.
func (s *state) readWhole(path string, from origin) error {
	*s = state{from: from}
	return s.scan(path, 0, false)
}

// scan takes note of all events from an offset on, which with torn stands
// somewhere in a line that is passed over.
func (s *state) scan(path string, from int64, torn bool) error {
	end, err := readLines(path, from, func(line []byte, offset int64, _ int) error {
		if torn && offset == from {
			return nil
		}
		if e, err := parse(line); err == nil { // Events reports the broken ones
			s.note(e)
		}
		return nil
	})
	s.end = end
	return err
}

func (s *state) note(e Event) {
	s.seq = max(s.seq, e.Seq)
	if e.Iter > s.iter {
		s.began = s.iter > 0
		s.iter, s.observed = e.Iter, false
	}
	if e.Type == ActionResult {
		s.observed = true
	}
	s.seen.add(e)
}

// place gives the event its sequence number and iteration.
func (s *state) place(e *Event) {
	s.seq++
	e.Seq = s.seq
	switch {
	case s.iter == 0, e.Type == UserMessage, s.observed && begins(e.Type):
		s.iter++
		s.began, s.observed = true, false
	}
	e.Iter = s.iter
	if e.Type == ActionResult {
		s.observed = true
	}
}

// begins reports what opens the next round once results are in. An answer does
// not: it ends the round.
func begins(t Type) bool { return t == Thought || t == ActionRequest }
