package meaning

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"orihon/internal/memo"
)

// table.bin, little-endian: a header of five 32-bit numbers (magic, words,
// dimensions, neighbours of a word, CRC-32 of what follows); where each word ends in the text of all, 32
// bits each; that text, the words sorted; a scale for each word (the upper half of
// a float32); a rarity for each; the vectors, 4 bits a dimension, the lower half of
// a byte first; the neighbours, 16 bits for the word and 8 for the cosine.
//
//go:embed table.bin
var builtin string

// Magic begins a table.
const Magic = 0x324d524f // "ORM2"

// Table is one in the form of table.bin.
type Table struct {
	words, dimensions, near, sum    int
	ends, text, scales, rare, codes string
	neighbours                      string

	places memo.Words[int] // of words, -1 where they are not in the table
}

// Builtin is the table of the binary.
func Builtin() *Table { return builtinTable }

var builtinTable = New(builtin)

// New is a table in the form of table.bin; data of another form are an empty one.
func New(data string) *Table {
	const header = 20
	t := new(Table)
	if len(data) < header || number(data) != Magic {
		return t
	}
	n, d, k := number(data[4:]), number(data[8:]), number(data[12:])
	t.sum = number(data[16:])
	data = data[header:]
	part := func(size int) string {
		size = min(size, len(data))
		p := data[:size]
		data = data[size:]
		return p
	}
	t.ends = part(4 * n)
	t.text = part(number(t.ends[4*(n-1):]))
	t.scales, t.rare = part(2*n), part(n)
	t.codes, t.neighbours = part(n*d/2), part(3*n*k)
	t.words, t.dimensions, t.near = n, d, k
	return t
}

func number(s string) int {
	_ = s[3]
	return int(s[0]) | int(s[1])<<8 | int(s[2])<<16 | int(s[3])<<24
}

// ID tells a table from others: a sum of what it holds, and its dimensions.
func (t *Table) ID() string { return fmt.Sprintf("%08x/%d", t.sum, t.dimensions) }

// Dimensions is the length of its vectors.
func (t *Table) Dimensions() int { return t.dimensions }

// word is the text of the i-th word.
func (t *Table) word(i int) string {
	from := 0
	if i > 0 {
		from = number(t.ends[4*(i-1):])
	}
	return t.text[from:number(t.ends[4*i:])]
}

// find returns the place of a word, and whether the table holds it.
func (t *Table) find(word string) (int, bool) {
	place := t.places.Of(word, t.look)
	return place, place >= 0
}

// look returns the place of a word; -1 when the table does not hold it.
func (t *Table) look(word string) int {
	low, high := 0, t.words
	for low < high {
		mid := (low + high) / 2
		switch c := strings.Compare(t.word(mid), word); {
		case c == 0:
			return mid
		case c < 0:
			low = mid + 1
		default:
			high = mid
		}
	}
	return -1
}

// Neighbour is a word with its cosine to another, 0..1.
type Neighbour struct {
	Word   string
	Cosine float64
}

// Neighbours are the words nearest to one, nearest first.
func (t *Table) Neighbours(word string) []Neighbour {
	i, ok := t.find(word)
	if !ok {
		return nil
	}
	out := make([]Neighbour, 0, t.near)
	for k := range t.near {
		e := t.neighbours[3*(i*t.near+k):]
		if e[2] == 0 {
			break
		}
		out = append(out, Neighbour{Word: t.word(int(e[0]) | int(e[1])<<8), Cosine: float64(e[2]) / 255})
	}
	return out
}

// Rarity is how much a word says, 0 for one that stands everywhere to 1 for one
// that stands nowhere, as seen in what the table was trained on.
func (t *Table) Rarity(word string) float64 {
	i, ok := t.find(word)
	if !ok {
		return 1
	}
	return float64(t.rare[i]) / 255
}

// Vector is what a text means, of length 1; nil is nothing.
type Vector []float32

// Encode is the mean of the vectors of words, by their weights, nil for 1; words
// that the table has not say nothing.
func (t *Table) Encode(words []string, weights []float64) Vector {
	v := make(Vector, t.dimensions)
	known := false
	for n, w := range words {
		i, ok := t.find(w)
		if !ok {
			continue
		}
		known = true
		weight := float32(1)
		if weights != nil {
			weight = float32(weights[n])
		}
		t.add(v, i, weight)
	}
	if !known {
		return nil
	}
	if v.scale() == 0 {
		return nil
	}
	return v
}

// add adds the vector of the i-th word to v.
func (t *Table) add(v Vector, i int, weight float32) {
	scale := weight * math.Float32frombits(uint32(t.scales[2*i])<<16|uint32(t.scales[2*i+1])<<24)
	var values [16]float32
	for c := range values {
		values[c] = scale * float32(c-Zero)
	}
	codes := t.codes[i*t.dimensions/2 : (i+1)*t.dimensions/2]
	sum := v[:2*len(codes)]
	for k := range len(codes) {
		c := codes[k]
		sum[2*k] += values[c&15]
		sum[2*k+1] += values[c>>4]
	}
}

// scale makes the length of v 1, where it is not 0, and returns what it was.
func (v Vector) scale() float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return 0
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i] /= float32(length)
	}
	return length
}

// Zero is the code of 0 in a table; codes go from 1 to 15.
const Zero = 8

// Cosine of two vectors; 0 when one is nothing.
func (v Vector) Cosine(w Vector) float64 {
	if len(v) != len(w) {
		return 0
	}
	return float64(product(v, w))
}

// product of two vectors of the same length, in four sums that do not wait for one
// another.
func product(v, w Vector) float32 {
	var a, b, c, d float32
	w = w[:len(v)]
	for ; len(v) >= 4; v, w = v[4:], w[4:] {
		a += v[0] * w[0]
		b += v[1] * w[1]
		c += v[2] * w[2]
		d += v[3] * w[3]
	}
	for i, x := range v {
		a += x * w[i]
	}
	return a + b + c + d
}
