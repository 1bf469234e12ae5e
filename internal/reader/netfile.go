package reader

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"sort"
)

const (
	wordBytes = 4 + WordSize/2
	matrices  = 4
	netSize   = 4*(matrices+WordSize+3*NetHidden+States) + NetHidden*(netWords*WordSize+netPieces*Pooled+netPieces*middle) + States*joined
)

// rows are the matrices of a net, row by row.
func (d *Dense) rows() (out [matrices][][]float32) {
	for i, m := range [...][][NetHidden]float32{d.Conv[:], d.Near[:], d.Far[:]} {
		for k := range m {
			out[i] = append(out[i], m[k][:])
		}
	}
	for k := range d.Out {
		out[matrices-1] = append(out[matrices-1], d.Out[k][:])
	}
	return out
}

func (d *Dense) biases() [][]float32 {
	return [][]float32{d.ConvBias[:], d.NearBias[:], d.FarBias[:], d.OutBias[:]}
}

// open reads a net, and returns what stands behind its matrices. float reads the next
// number.
func (d *Dense) open(data string, float func() float32, step *Word) string {
	var of [matrices]float32
	for i := range of {
		of[i] = float()
	}
	for k := range step {
		step[k] = float()
	}
	for _, b := range d.biases() {
		for k := range b {
			b[k] = float()
		}
	}
	data = data[4*(matrices+WordSize+3*NetHidden+States):]
	for i, rows := range d.rows() {
		for _, row := range rows {
			for k := range row {
				row[k] = of[i] * float32(int8(data[k]))
			}
			data = data[len(row):]
		}
	}
	return data
}

// word is the vector of a word, nil where the net does not know it.
func (m *Model) word(hash uint32) *Word {
	n := len(m.netHashes) / 4
	i := sort.Search(n, func(i int) bool { return number(m.netHashes[4*i:]) >= hash })
	if i == n || number(m.netHashes[4*i:]) != hash {
		return nil
	}
	out := new(Word)
	code := m.netWords[WordSize/2*i:][:WordSize/2]
	for k := range WordSize / 2 {
		out[2*k] = float32(weighed[code[k]&15]) * m.netStep[2*k]
		out[2*k+1] = float32(weighed[code[k]>>4]) * m.netStep[2*k+1]
	}
	return out
}

// pack appends a net in the form of model.bin.
func (n *Net) pack(out []byte) []byte {
	float := func(x float32) { out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x)) }
	const most = 127
	var step [matrices]float32
	all := n.rows()
	for i, rows := range all {
		for _, row := range rows {
			for _, x := range row {
				step[i] = max(step[i], max(x, -x)/most)
			}
		}
		float(step[i])
	}
	var dimension Word
	for _, w := range n.Words {
		for k, x := range w {
			dimension[k] = max(dimension[k], max(x, -x)/(7*7))
		}
	}
	for _, x := range dimension {
		float(x)
	}
	for _, b := range n.biases() {
		for _, x := range b {
			float(x)
		}
	}
	for i, rows := range all {
		for _, row := range rows {
			for _, x := range row {
				out = append(out, byte(int8(math.Round(float64(x/max(step[i], math.SmallestNonzeroFloat32))))))
			}
		}
	}
	hashes := slices.Sorted(maps.Keys(n.Words))
	for _, h := range hashes {
		out = binary.LittleEndian.AppendUint32(out, h)
	}
	for _, h := range hashes {
		w := n.Words[h]
		for k := 0; k < WordSize; k += 2 {
			out = append(out, steps(w[k], dimension[k])|steps(w[k+1], dimension[k+1])<<4)
		}
	}
	return out
}
