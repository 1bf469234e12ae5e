package main

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"orihon/internal/meaning"
)

// trained is what a training leaves.
type trained struct {
	Words      []string
	Vectors    []float32
	Dimensions int
	Rarity     []float64 // 0..1
	// Twins are, for a word, those that stand in a concept group with it.
	Twins map[int32][]int32
}

// rarity is the smoothed inverse document frequency of every word over that of a
// word never seen: among written memories, with all other texts as a tenth.
func rarity(c *corpus) []float64 {
	all := 0
	for _, p := range c.pools {
		all += 2 * len(p.samples)
	}
	const others = 0.1
	n := float64(c.written) + others*float64(c.written)
	out := make([]float64, len(c.vocabulary))
	for i := range out {
		df := float64(c.memories[i]) + others*float64(c.written)*float64(c.count[i])/float64(all)
		out[i] = math.Log((n+1)/(df+1)) / math.Log(n+1)
	}
	return out
}

// pack writes a table in the form that package meaning reads: 4 bits a dimension
// and the k nearest words of each.
func (t *trained) pack(k int, least float32) []byte {
	n, d := len(t.Words), t.Dimensions
	var b []byte
	end := 0
	for _, w := range t.Words {
		end += len(w)
		b = binary.LittleEndian.AppendUint32(b, uint32(end))
	}
	for _, w := range t.Words {
		b = append(b, w...)
	}
	codes := make([]byte, 0, n*d/2)
	for i := range n {
		row := t.Vectors[i*d : i*d+d]
		var most float32
		for _, x := range row {
			most = max(most, float32(math.Abs(float64(x))))
		}
		scale := most / 7
		bits := math.Float32bits(scale) &^ 0xffff
		b = append(b, byte(bits>>16), byte(bits>>24))
		code := func(x float32) byte { return byte(math.Round(float64(x/scale)) + meaning.Zero) }
		for j := 0; j < d; j += 2 {
			codes = append(codes, code(row[j])|code(row[j+1])<<4)
		}
	}
	for _, r := range t.Rarity {
		b = append(b, byte(math.Round(255*math.Min(1, math.Max(0, r)))))
	}
	b = append(b, codes...)
	for i, near := range t.nearest(k, least) {
		near = t.withTwins(int32(i), near, k)
		for _, o := range near {
			b = append(b, byte(o.id), byte(o.id>>8), byte(math.Round(255*float64(o.cosine))))
		}
		b = append(b, make([]byte, 3*(k-len(near)))...)
	}
	var header []byte
	for _, x := range []uint32{meaning.Magic, uint32(n), uint32(d), uint32(k), crc32.ChecksumIEEE(b)} {
		header = binary.LittleEndian.AppendUint32(header, x)
	}
	return append(header, b...)
}

// withTwins puts a word's twins among its neighbours: a person said that they mean
// the same, whatever the texts made of them.
func (t *trained) withTwins(word int32, near []neighbour, k int) []neighbour {
	const least = 0.6 // cosine of a twin
	var out []neighbour
	for _, o := range near {
		if !slices.Contains(t.Twins[word], o.id) {
			out = nearer(out, o, k)
		}
	}
	units := func(i int32) []float32 {
		v := slices.Clone(t.Vectors[int(i)*t.Dimensions : (int(i)+1)*t.Dimensions])
		unit(v)
		return v
	}
	for n, twin := range t.Twins[word] {
		if !slices.Contains(t.Twins[word][:n], twin) {
			out = nearer(out, neighbour{twin, max(least, dot(units(word), units(twin)))}, k)
		}
	}
	return out
}

// nearest finds the k nearest words of every word; only those at least as near as
// least. It compares blocks of words with blocks of words, so that both stay in
// the processor's cache.
func (t *trained) nearest(k int, least float32) [][]neighbour {
	const block, tile = 64, 256
	n, d := len(t.Words), t.Dimensions
	units := slices.Clone(t.Vectors)
	for i := range n {
		unit(units[i*d : i*d+d])
	}
	out := make([][]neighbour, n)
	l := learner{settings: settings{workers: 2}}
	l.parallel(n, func(from, to int) {
		scores := make([]float32, block*tile)
		for i := from; i < to; i += block {
			rows := min(block, to-i)
			for j := 0; j < n; j += tile {
				columns := min(tile, n-j)
				product(scores, units[i*d:], units[j*d:], 0, rows, columns, d)
				for r := range rows {
					for c, s := range scores[r*columns : r*columns+columns] {
						if s >= least && i+r != j+c {
							out[i+r] = nearer(out[i+r], neighbour{int32(j + c), s}, k)
						}
					}
				}
			}
		}
	})
	return out
}
