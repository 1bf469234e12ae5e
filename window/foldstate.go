package window

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"orihon/journal"
)

// write appends one event to the run.
func write(ctx context.Context, v *journal.View, t journal.Type, payload any) error {
	e, err := journal.New(t, "", payload)
	if err != nil {
		return err
	}
	_, err = v.Append(ctx, e)
	return err
}

// errFold says why something was not folded.
var errFold = errors.New("not folded")

// foldEvent is the payload of a FOLD event: an epoch, committed at once.
type foldEvent struct {
	Epoch  int     `json:"epoch"`
	Reason string  `json:"reason"` // "pressure", "periodic", "semantic", "manual"
	Blocks []Block `json:"blocks"`
	// Reopened are blocks that were recalled again and again: they are open again
	// before Blocks are folded.
	Reopened []int    `json:"reopened,omitempty"`
	LongTerm []string `json:"long_term,omitempty"` // injected into the long-term zone
	Digest   string   `json:"digest,omitempty"`    // where things stood
	Before   int      `json:"before"`              // tokens of the context
	After    int      `json:"after"`
}

// unfoldEvent is the payload of an UNFOLD event.
type unfoldEvent struct {
	ID     string `json:"id"`
	Number int    `json:"number"`
}

// recallEvent is the payload of a RECALL event of the folding. Without
// iterations it only notes that a fold was asked for.
type recallEvent struct {
	Folds      []int  `json:"folds"`
	Reason     string `json:"reason,omitempty"`
	Subject    string `json:"subject,omitempty"`
	Guess      bool   `json:"guess,omitempty"` // nobody asked for it, and nothing failed
	Iterations []int  `json:"iterations,omitempty"`
	Tokens     int    `json:"tokens,omitempty"` // of the piece
	Room       int    `json:"room,omitempty"`   // that it was written into; 0 is Tokens
	// Lines, of the file Subject as the iterations read and wrote it, are the piece;
	// without them it is what the iterations say of the subject.
	Lines []span `json:"lines,omitempty"`

	seq  int64
	iter int
}

// epoch is a FOLD event as it stands now.
type epoch struct {
	foldEvent
	seq  int64
	iter int
	live map[int]bool // numbers of its blocks that are folded
}

// foldState is what the FOLD, UNFOLD, RECALL and BOOKMARK events of a journal
// come to.
type foldState struct {
	next      int64 // sequence number to read on from
	version   int   // rises whenever the state changes
	changed   int64 // sequence number of the event that last changed it
	epochs    []*epoch
	byNumber  map[int]*Block // folded once, and in no other block now
	folded    map[int]bool   // which of them are folded now
	stands    map[int]int64  // sequence numbers of their FOLD events
	nested    map[int]nested // folded blocks that lie in another
	tops      []*Block       // folded blocks that lie in no other, oldest first
	trims     []*Block       // at level 1
	recalls   []recallEvent
	injected  []injected
	warm      map[int]int // iterations that were reopened, and until which one they stay so
	bookmarks map[int]bool
	written   map[writtenKey]Summary // of the blocks in byNumber
	last      int                    // highest number given
}

// nested is what is held of a block that lies in another. All of it stands in the
// journal.
type nested struct {
	parent     int
	seq        int64 // of its FOLD event
	iterations [2]int
	accesses   int
	accessed   int // iteration
}

// writtenKey names a summary: of which range, at which level.
type writtenKey struct {
	hash  string
	level Level
}

func newFoldState() *foldState {
	return &foldState{
		next: 1, byNumber: map[int]*Block{}, folded: map[int]bool{}, stands: map[int]int64{}, nested: map[int]nested{}, bookmarks: map[int]bool{},
		written: map[writtenKey]Summary{}, warm: map[int]int{},
	}
}

// clone is a copy that takes up FOLD events without changing this one. The blocks
// are shared: those events change none.
func (s *foldState) clone() *foldState {
	c := *s
	c.byNumber, c.folded, c.stands = maps.Clone(s.byNumber), maps.Clone(s.folded), maps.Clone(s.stands)
	c.nested, c.warm = maps.Clone(s.nested), maps.Clone(s.warm)
	c.bookmarks, c.written = maps.Clone(s.bookmarks), maps.Clone(s.written)
	c.tops, c.trims, c.recalls, c.injected = slices.Clone(s.tops), slices.Clone(s.trims), slices.Clone(s.recalls), slices.Clone(s.injected)
	c.epochs = make([]*epoch, len(s.epochs))
	for i, ep := range s.epochs {
		of := *ep
		of.live = maps.Clone(ep.live)
		c.epochs[i] = &of
	}
	return &c
}

// read takes up the events that are new in the view. A view that was rewritten
// behind it is read anew.
func (s *foldState) read(v *journal.View) {
	if last := v.LastSeq(); last > 0 && last+1 < s.next {
		*s = *newFoldState()
	}
	for _, e := range v.From(s.next) {
		s.take(v, e)
		s.next = e.Seq + 1
	}
}

func (s *foldState) take(v *journal.View, e journal.Event) {
	switch e.Type {
	case journal.Fold:
		var f foldEvent
		if v.Decode(e, &f) != nil {
			return
		}
		ep := &epoch{foldEvent: f, seq: e.Seq, iter: e.Iter, live: map[int]bool{}}
		for _, n := range f.Reopened {
			s.reopen(v, n, e.Iter)
		}
		for _, b := range f.Blocks {
			s.fold(ep, &b)
		}
		ep.Blocks = nil // they would all be held by it
		s.epochs = append(s.epochs, ep)
		// What was recalled long ago is shown no more, whatever is unfolded.
		s.recalls = slices.DeleteFunc(s.recalls, func(r recallEvent) bool { return r.iter < e.Iter-recallBack })
	case journal.Unfold:
		var u unfoldEvent
		if v.Decode(e, &u) != nil {
			return
		}
		s.unfold(v, u.Number)
	case journal.Recalled:
		r := recallEvent{seq: e.Seq, iter: e.Iter}
		if v.Decode(e, &r) != nil || len(r.Folds) == 0 {
			return // of the memory, not of a fold
		}
		if len(r.Iterations) > 0 {
			s.recalls = append(s.recalls, r)
		}
		for _, n := range r.Folds {
			in, lies := s.nested[n]
			switch b := s.byNumber[n]; {
			case r.Guess:
			case b != nil:
				b.Retrievability.AccessCount++
				b.Retrievability.LastAccessed = e.Iter
			case lies:
				in.accesses++
				in.accessed = e.Iter
				s.nested[n] = in
			}
		}
	case journal.Bookmark:
		var m struct {
			Iteration int `json:"iteration"`
		}
		if v.Decode(e, &m) != nil || m.Iteration <= 0 {
			m.Iteration = e.Iter // it names none: it is about its own
		}
		s.bookmarks[m.Iteration] = true
	case journal.ActionResult:
		if i, ok := readInjection(v, e); ok {
			s.injected = append(s.injected, i)
		}
		return
	default:
		return
	}
	s.version++
	s.changed = e.Seq
}

// fold takes up a block. One that cuts through another was written by hand, and
// one whose number was given before by a process that folded at the same time:
// both are passed over.
func (s *foldState) fold(ep *epoch, b *Block) {
	s.last = max(s.last, b.Number)
	if _, lies := s.nested[b.Number]; lies || s.byNumber[b.Number] != nil {
		return
	}
	s.hold(b, ep.seq)
	if b.Level == Trimmed {
		s.trims = append(s.trims, b)
	} else {
		i, j, ok := within(s.tops, b)
		if !ok {
			return
		}
		for _, child := range s.tops[i:j] {
			s.nest(child, b.Number)
		}
		s.tops = slices.Replace(s.tops, i, j, b)
	}
	s.folded[b.Number] = true
	ep.live[b.Number] = true
}

func (s *foldState) hold(b *Block, seq int64) {
	s.byNumber[b.Number], s.stands[b.Number] = b, seq
	s.written[writtenKey{b.Hash, b.Level}] = b.Summary
}

// nest lets go of a block that lies in another.
func (s *foldState) nest(b *Block, parent int) {
	s.nested[b.Number] = nested{parent, s.stands[b.Number], b.Iterations, b.Retrievability.AccessCount, b.Retrievability.LastAccessed}
	delete(s.byNumber, b.Number)
	delete(s.folded, b.Number)
	delete(s.stands, b.Number)
	delete(s.written, writtenKey{b.Hash, b.Level})
}

// block is one that lies in another, as the journal has it.
func (s *foldState) block(v *journal.View, number int) *Block {
	in := s.nested[number]
	b := &Block{Number: number, Iterations: in.iterations}
	if e, ok := v.Event(in.seq); ok && e.Type == journal.Fold {
		var f foldEvent
		_ = v.Decode(e, &f) // without it the block has no words
		if i := slices.IndexFunc(f.Blocks, func(b Block) bool { return b.Number == number }); i >= 0 {
			*b = f.Blocks[i]
		}
	}
	b.ID = b.id()
	b.Retrievability.AccessCount, b.Retrievability.LastAccessed = in.accesses, in.accessed
	return b
}

// within finds the blocks of an ordered list that lie in another, as list[i:j].
// It is not ok when one of them lies in it only in part.
func within(list []*Block, b *Block) (i, j int, ok bool) {
	i = sort.Search(len(list), func(k int) bool { return list[k].Iterations[0] >= b.Iterations[0] })
	j = sort.Search(len(list), func(k int) bool { return list[k].Iterations[0] > b.Iterations[1] })
	if i > 0 && list[i-1].Iterations[1] >= b.Iterations[0] || j > i && list[j-1].Iterations[1] > b.Iterations[1] {
		return i, j, false
	}
	return i, j, b.Iterations[0] <= b.Iterations[1]
}

// unfold opens a block: what was folded into it is on top again.
func (s *foldState) unfold(v *journal.View, number int) {
	if !s.folded[number] {
		return
	}
	delete(s.folded, number)
	same := func(t *Block) bool { return t.Number == number }
	s.trims = slices.DeleteFunc(s.trims, same)
	if i := slices.IndexFunc(s.tops, same); i >= 0 {
		children := s.children(v, number)
		for _, c := range children {
			s.folded[c.Number] = true
			s.hold(c, s.nested[c.Number].seq)
			delete(s.nested, c.Number)
		}
		s.tops = slices.Replace(s.tops, i, i+1, children...)
	}
	for _, ep := range s.epochs {
		delete(ep.live, number)
	}
}

// children are the blocks that were folded into one, oldest first.
func (s *foldState) children(v *journal.View, number int) []*Block {
	var out []*Block
	for child, in := range s.nested {
		if in.parent == number {
			out = append(out, s.block(v, child))
		}
	}
	slices.SortFunc(out, func(a, b *Block) int { return a.Iterations[0] - b.Iterations[0] })
	return out
}

// reopen moves a block one level nearer: one that folds others opens to them, one
// that folds iterations to the iterations.
func (s *foldState) reopen(v *journal.View, number, now int) {
	if !s.folded[number] {
		return
	}
	b := s.byNumber[number]
	s.unfold(v, number)
	for n := b.Iterations[0]; n <= b.Iterations[1]; n++ {
		s.warm[n] = now + warmFor
	}
}

// trimmed reports whether an iteration is shown at level 1.
func (s *foldState) trimmed(iteration int) bool {
	for _, b := range s.trims {
		if b.contains(iteration) && !slices.Contains(b.Except, iteration) {
			return true
		}
	}
	return false
}

// current is the newest epoch of which anything is still folded; nil before the
// first.
func (s *foldState) current() *epoch {
	for _, ep := range slices.Backward(s.epochs) {
		if len(ep.live) > 0 {
			return ep
		}
	}
	return nil
}

// open reports whether a recalled piece is shown: it closes with the first
// epoch that begins when it has been open for a while.
func (s *foldState) open(r recallEvent) bool {
	ep := s.current()
	return len(r.Iterations) > 0 && (ep == nil || ep.seq < r.seq || ep.iter < r.iter+recallStays)
}

// find is the block a person or a model names: "F7", "7", or its id. Of one that lies
// in another it has the number and the iterations.
func (s *foldState) find(ref string) *Block {
	ref = strings.TrimSpace(ref)
	number, err := strconv.Atoi(strings.TrimLeft(ref, "Ff#"))
	if err != nil {
		number = 0
		for n, b := range s.byNumber {
			if b.ID == ref {
				number = max(number, n)
			}
		}
		for n, in := range s.nested {
			if (&Block{Iterations: in.iterations}).id() == ref {
				number = max(number, n)
			}
		}
	}
	if in, lies := s.nested[number]; lies {
		return &Block{Number: number, Iterations: in.iterations}
	}
	return s.byNumber[number]
}

// names lists the folds for a message.
func (s *foldState) names() string {
	switch s.last {
	case 0:
		return "no folds"
	case 1:
		return "F1 alone"
	}
	return fmt.Sprintf("F1 to F%d", s.last)
}
