package score

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// BlockSize is how many passages make a block: those whose numbers have the same
// quotient by it. An inverted index keeps one posting for every term and block,
// so that a change rewrites a few small ones and a search reads a few large ones.
const BlockSize = 4096

// Occurrence is how often a term stands in one passage: in its own text and in
// that of the neighbours at distance 1 and 2. All zero takes the term out.
type Occurrence struct {
	Slot           uint16 // the passage's number % BlockSize
	Own, Near, Far uint16
}

func (o Occurrence) none() bool { return o.Own == 0 && o.Near == 0 && o.Far == 0 }

// Count tells how often each term stands in a passage of own terms, and in its
// neighbours at distance 1 and 2.
func Count(own []string, near [2][]string) map[string]Occurrence {
	counts := make(map[string]Occurrence, len(own))
	count := func(list []string, add func(*Occurrence)) {
		for _, t := range list {
			o := counts[t]
			add(&o)
			counts[t] = o
		}
	}
	count(own, func(o *Occurrence) { o.Own = min(o.Own+1, math.MaxUint16-1) })
	count(near[0], func(o *Occurrence) { o.Near = min(o.Near+1, math.MaxUint16-1) })
	count(near[1], func(o *Occurrence) { o.Far = min(o.Far+1, math.MaxUint16-1) })
	return counts
}

// Lengths are those of the passages of a block, 16 bits each: in terms, and
// with the neighbours' terms by weight; both 0 for none.
type Lengths []byte

// LengthsSize is the number of bytes of a block's lengths.
const LengthsSize = 4 * BlockSize

// Set notes the lengths of the passage in a slot.
func (l Lengths) Set(slot, own, context int) {
	binary.LittleEndian.PutUint16(l[4*slot:], uint16(min(own, math.MaxUint16)))
	binary.LittleEndian.PutUint16(l[4*slot+2:], uint16(min(context, math.MaxUint16)))
}

func (l Lengths) at(slot int) (own, context int) {
	return int(binary.LittleEndian.Uint16(l[4*slot:])), int(binary.LittleEndian.Uint16(l[4*slot+2:]))
}

// Encode writes a posting, in the order of their slots: the distance to the
// slot before, doubled, plus one when neighbours follow; then the counts.
func Encode(list []Occurrence) []byte {
	out := make([]byte, 0, 3*len(list))
	before := 0
	for _, o := range list {
		gap := uint64(int(o.Slot)-before) << 1
		before = int(o.Slot)
		if o.Near == 0 && o.Far == 0 {
			out = binary.AppendUvarint(binary.AppendUvarint(out, gap), uint64(o.Own))
			continue
		}
		out = binary.AppendUvarint(binary.AppendUvarint(out, gap|1), uint64(o.Own))
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(o.Near)), uint64(o.Far))
	}
	return out
}

// occurrences reads what Encode wrote, one at a time.
type occurrences struct {
	data []byte
	now  Occurrence
	bad  bool
}

func (r *occurrences) next() bool {
	if len(r.data) == 0 {
		return false
	}
	gap := r.uvarint()
	r.now = Occurrence{Slot: r.now.Slot + uint16(gap>>1), Own: uint16(r.uvarint())}
	if gap&1 == 1 {
		r.now.Near, r.now.Far = uint16(r.uvarint()), uint16(r.uvarint())
	}
	if r.now.Slot >= BlockSize {
		r.bad = true
	}
	return !r.bad
}

func (r *occurrences) uvarint() uint64 {
	if len(r.data) > 0 && r.data[0] < 0x80 { // nearly always
		v := uint64(r.data[0])
		r.data = r.data[1:]
		return v
	}
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

// Merge applies changes to a posting; the last change of a slot wins. df counts
// the passages that hold the term in their own text.
func Merge(data []byte, changes []Occurrence) (list []Occurrence, df int) {
	last := make(map[uint16]Occurrence, len(changes))
	for _, c := range changes {
		last[c.Slot] = c
	}
	for r := (occurrences{data: data}); r.next(); {
		if _, changed := last[r.now.Slot]; !changed {
			list = append(list, r.now)
		}
	}
	for _, c := range last {
		if !c.none() {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Occurrence) int { return cmp.Compare(a.Slot, b.Slot) })
	for _, o := range list {
		if o.Own > 0 {
			df++
		}
	}
	return list, df
}
