package reader

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// model.bin, little-endian: magic; how many slots the table has, and how many words
// the net knows; the judgement; the transitions; for each
// dimension of meaning what it says for each column; the size of a step of each
// column, all as 32-bit floats; the net: the size of a step of each of its matrices and
// of each dimension of its words, and its biases, as 32-bit floats, then its matrices, a
// signed byte for each weight; the hashes of its words, sorted, and four bits for each
// dimension of each; then the table, in each slot two bytes of
// a feature's hash, 0 for an empty slot, and four bits for each column, the lower
// ones first. A feature stands in the first fitting slot from that of its hash on.
// Four bits n are n-8 steps from the middle: each step is longer than the one before.
const magic = 0x3352524f // "ORR3"

const (
	markSize = 2
	slotSize = markSize + (Columns+1)/2
	maxSlots = 1 << 20
	// Dimensions is how long the vectors of meanings are.
	Dimensions = 256
)

// Weights are a model as it is learnt.
type Weights struct {
	Judgement Judgement
	Next      Transitions
	Meaning   [Dimensions]Scores
	Features  map[uint32]Scores // by their hashes
	Net       *Net
}

// Model is one as it is read.
type Model struct {
	judgement Judgement
	next      *transitions
	meaning   [Dimensions]Scores
	step      Scores
	table     string
	slots     uint32
	net       Dense
	netStep   Word
	netHashes string // of its words, sorted
	netWords  string
}

// Open reads a model in the form of model.bin; data of another form are one that
// finds nothing.
func Open(data string) *Model {
	m := &Model{judgement: Judgement{All: -100}, next: new(transitions)}
	const head = 4*(3+judgementSize+(States+1)*States+Dimensions*Columns+Columns) + netSize
	if len(data) < head || number(data) != magic {
		return m
	}
	slots, words := int(number(data[4:])), int(number(data[8:]))
	if slots < 1 || slots > maxSlots || words > maxSlots || len(data) != head+words*wordBytes+slots*slotSize {
		return m
	}
	data = data[12:]
	float := func() float32 {
		x := math.Float32frombits(number(data))
		data = data[4:]
		return x
	}
	for _, x := range m.judgement.numbers() {
		*x = float64(float())
	}
	var next Transitions
	for b := range next {
		for s := range next[b] {
			next[b][s] = float()
		}
	}
	m.next = next.likelihoods()
	for d := range m.meaning {
		for c := range m.meaning[d] {
			m.meaning[d][c] = float()
		}
	}
	for c := range m.step {
		m.step[c] = float()
	}
	data = m.net.open(data, float, &m.netStep)
	m.netHashes, data = data[:4*words], data[4*words:]
	m.netWords, data = data[:WordSize/2*words], data[WordSize/2*words:]
	m.table, m.slots = data, uint32(slots)
	return m
}

// score adds up what the features of a piece say.
func (m *Model) score(f *Features) Scores {
	var sum [2 * (slotSize - markSize)]int32
	for _, h := range f.Hashes {
		slot := m.find(h)
		if slot == "" {
			continue
		}
		for i := range len(sum) / 2 {
			two := slot[markSize+i]
			sum[2*i] += weighed[two&15]
			sum[2*i+1] += weighed[two>>4]
		}
	}
	var out Scores
	for c := range out {
		out[c] = float32(sum[c]) * m.step[c]
	}
	means(&out, f.Meaning, &m.meaning)
	return out
}

// means adds what a meaning says for each column, four of them at a time: the sums
// stay in registers.
func means(out *Scores, meaning []float32, says *[Dimensions]Scores) {
	meaning = meaning[:min(len(meaning), Dimensions)]
	c := 0
	for ; c+4 <= Columns; c += 4 {
		a, b, e, g := out[c], out[c+1], out[c+2], out[c+3]
		for d, x := range meaning {
			row := says[d][c : c+4 : c+4]
			a, b, e, g = a+x*row[0], b+x*row[1], e+x*row[2], g+x*row[3]
		}
		out[c], out[c+1], out[c+2], out[c+3] = a, b, e, g
	}
	for ; c < Columns; c++ {
		for d, x := range meaning {
			out[c] += x * says[d][c]
		}
	}
}

// find returns the slot of a feature, "" for none.
func (m *Model) find(h uint32) string {
	for i := slotOf(h, m.slots); m.table != ""; i = next(i, m.slots) {
		slot := m.table[int(i)*slotSize:][:slotSize]
		switch uint16(slot[0]) | uint16(slot[1])<<8 {
		case 0:
			return ""
		case mark(h):
			return slot
		}
	}
	return ""
}

// slotOf is where a feature would stand, by the upper bits of its hash.
func slotOf(h, slots uint32) uint32 { return uint32(uint64(h) * uint64(slots) >> 32) }

func next(i, slots uint32) uint32 {
	if i++; i == slots {
		return 0
	}
	return i
}

// mark are the bits of a hash that stand in its slot.
func mark(h uint32) uint16 { return uint16(h) | 1 }

// Judgement is how the model judges candidates.
func (m *Model) Judgement() Judgement { return m.judgement }

// Pack writes weights in the form of model.bin, with so many slots. Features must
// not fill them all.
func (w *Weights) Pack(slots int) []byte {
	var out []byte
	float := func(x float32) { out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x)) }
	out = binary.LittleEndian.AppendUint32(out, magic)
	out = binary.LittleEndian.AppendUint32(out, uint32(slots))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(w.Net.Words)))
	for _, x := range w.Judgement.numbers() {
		float(float32(*x))
	}
	for _, row := range w.Next {
		for _, x := range row {
			float(x)
		}
	}
	for _, row := range w.Meaning {
		for _, x := range row {
			float(x)
		}
	}
	var step Scores
	for _, f := range w.Features {
		for c, x := range f {
			step[c] = max(step[c], max(x, -x)/(7*7))
		}
	}
	for _, x := range step {
		float(x)
	}
	out = w.Net.pack(out)
	return append(out, w.table(step, slots)...)
}

func (w *Weights) table(step Scores, slots int) []byte {
	table := make([]byte, slotSize*slots)
	for _, h := range slices.Sorted(maps.Keys(w.Features)) {
		i := slotOf(h, uint32(slots))
		for binary.LittleEndian.Uint16(table[int(i)*slotSize:]) != 0 {
			i = next(i, uint32(slots))
		}
		slot := table[int(i)*slotSize:]
		binary.LittleEndian.PutUint16(slot, mark(h))
		for c, x := range w.Features[h] {
			slot[markSize+c/2] |= steps(x, step[c]) << (c % 2 * 4)
		}
	}
	return table
}
