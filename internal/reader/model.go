package reader

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// model.bin, little-endian: magic; the judgement; the transitions; for each
// dimension of meaning what it says for each column; the size of a step of each
// column, all as 32-bit floats; then the table, a power of two of slots: two bytes of
// a feature's hash, 0 for an empty slot, and four bits for each column, the lower
// ones first. A feature stands in the first fitting slot from that of its hash on.
// Four bits n are n-8 steps from the middle: each step is longer than the one before.
const magic = 0x3252524f // "ORR2"

const (
	markSize = 2
	slotSize = markSize + (Columns+1)/2
	// Dimensions is how long the vectors of meanings are.
	Dimensions = 256
)

// Weights are a model as it is learnt.
type Weights struct {
	Judgement Judgement
	Next      Transitions
	Meaning   [Dimensions]Scores
	Features  map[uint32]Scores // by their hashes
}

// Model is one as it is read.
type Model struct {
	judgement Judgement
	next      *transitions
	meaning   [Dimensions]Scores
	step      Scores
	table     string
	mask      uint32
}

// Open reads a model in the form of model.bin; data of another form are one that
// finds nothing.
func Open(data string) *Model {
	m := &Model{judgement: Judgement{All: -100}, next: new(transitions)}
	const head = 4 * (1 + judgementSize + (States+1)*States + Dimensions*Columns + Columns)
	slots := (len(data) - head) / slotSize
	if slots < 1 || slots&(slots-1) != 0 || len(data) != head+slots*slotSize || number(data) != magic {
		return m
	}
	data = data[4:]
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
	m.table, m.mask = data, uint32(slots-1)
	return m
}

func number(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// weighed is what each four bits of a slot say, in steps.
var weighed = [16]int32{-64, -49, -36, -25, -16, -9, -4, -1, 0, 1, 4, 9, 16, 25, 36, 49}

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
	for i := h & m.mask; m.table != ""; i = (i + 1) & m.mask {
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

// mark are the bits of a hash that stand in its slot.
func mark(h uint32) uint16 { return uint16(h>>16) | 1 }

// Judgement is how the model judges candidates.
func (m *Model) Judgement() Judgement { return m.judgement }

// Pack writes weights in the form of model.bin, with 2^bits slots. Features must
// not fill them all.
func (w *Weights) Pack(bits int) []byte {
	var out []byte
	float := func(x float32) { out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x)) }
	out = binary.LittleEndian.AppendUint32(out, magic)
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
	return append(out, w.table(step, bits)...)
}

func (w *Weights) table(step Scores, bits int) []byte {
	table := make([]byte, slotSize<<bits)
	mask := uint32(1)<<bits - 1
	for _, h := range slices.Sorted(maps.Keys(w.Features)) {
		i := h & mask
		for binary.LittleEndian.Uint16(table[int(i)*slotSize:]) != 0 {
			i = (i + 1) & mask
		}
		slot := table[int(i)*slotSize:]
		binary.LittleEndian.PutUint16(slot, mark(h))
		for c, x := range w.Features[h] {
			slot[markSize+c/2] |= steps(x, step[c]) << (c % 2 * 4)
		}
	}
	return table
}

// steps are the four bits of a weight.
func steps(x, step float32) byte {
	if step == 0 {
		return 8
	}
	n := math.Round(math.Sqrt(math.Abs(float64(x / step))))
	return byte(8 + math.Copysign(n, float64(x)))
}
