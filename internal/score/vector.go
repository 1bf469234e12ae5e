package score

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Vector is the direction of an embedding: turned by a fixed random rotation,
// 8 bits a dimension. Rotating spreads what an embedder puts into a few
// dimensions evenly over all of them, which makes both the 8 bits and the
// code taken of them mean the same everywhere. It depends on nothing but the
// embedding, so that a rebuilt index holds what the incremental one held.
type Vector struct {
	Dim   int     // of the embedding; len(Q) is a multiple of 64
	Scale float32 // of one unit of Q; 0 for a vector of nothing
	Q     []int8
}

// Rotation turns vectors of one dimension: three rounds of a permutation,
// random signs and a Hadamard transform of blocks (fast Johnson–Lindenstrauss
// transform, Ailon & Chazelle 2009). Lengths and angles stay as they are.
type Rotation struct {
	dim, block int
	from       [3][]int32
	sign       [3][]float32
}

// PaddedDim is how many parts a vector of so many dimensions has.
func PaddedDim(dim int) int { return (dim + 63) / 64 * 64 }

// NewRotation returns the one for embeddings of so many dimensions.
func NewRotation(dim int) *Rotation {
	n := PaddedDim(dim)
	r := &Rotation{dim: dim, block: n & -n}
	seed := uint64(n)
	for k := range r.from {
		r.from[k], r.sign[k] = make([]int32, n), make([]float32, n)
		for i := range n {
			x := splitMix(&seed)
			j := int(x>>1) % (i + 1) // Fisher and Yates, inside out
			r.from[k][i] = r.from[k][j]
			r.from[k][j] = int32(i)
			r.sign[k][i] = float32(1 - 2*int(x&1))
		}
	}
	return r
}

// splitMix is SplitMix64 (Steele, Lea & Flood 2014): the codes in a file are
// read by another build of the program, so that the numbers must stay.
func splitMix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Vector turns and rounds an embedding; nil for one of another dimension.
func (r *Rotation) Vector(e []float32) *Vector {
	if len(e) != r.dim {
		return nil
	}
	n := len(r.from[0])
	a, b := make([]float32, n), make([]float32, n)
	copy(a, e)
	for k := range r.from {
		for i, from := range r.from[k] {
			b[i] = a[from] * r.sign[k][i]
		}
		for i := 0; i < n; i += r.block {
			hadamard(b[i : i+r.block])
		}
		a, b = b, a
	}
	return quantize(a, len(e))
}

// hadamard is the unnormalised transform: the length of the vector is divided
// out later.
func hadamard(v []float32) {
	for h := 1; h < len(v); h *= 2 {
		for i := 0; i < len(v); i += 2 * h {
			lo, hi := v[i:i+h], v[i+h:i+2*h]
			for j := range lo {
				lo[j], hi[j] = lo[j]+hi[j], lo[j]-hi[j]
			}
		}
	}
}

// quantize rounds a vector of any length to 8 bits a dimension by its largest
// part. The scale makes the result a unit vector.
func quantize(v []float32, dim int) *Vector {
	out := &Vector{Dim: dim, Q: make([]int8, len(v))}
	var most float64
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return out
	}
	sum := 0
	for i, x := range v {
		q := int(math.RoundToEven(float64(x) / most * 127))
		out.Q[i] = int8(q)
		sum += q * q
	}
	out.Scale = float32(1 / math.Sqrt(float64(sum)))
	return out
}

// Cosine of v and the vector of the given scale and parts, which may be the
// bytes that they are kept as.
func Cosine[T int8 | byte](v *Vector, scale float32, q []T) float64 {
	var s0, s1, s2, s3 int32
	a, b := v.Q, q[:len(v.Q)]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += int32(a[0]) * int32(int8(b[0]))
		s1 += int32(a[1]) * int32(int8(b[1]))
		s2 += int32(a[2]) * int32(int8(b[2]))
		s3 += int32(a[3]) * int32(int8(b[3]))
		a, b = a[4:], b[4:]
	}
	return float64(s0+s1+s2+s3) * float64(v.Scale) * float64(scale)
}

// A code is what is left of a vector for finding candidates: one bit a
// dimension, its sign, and below fineDim dimensions a second one, whether it is
// large. The bits of one kind make a plane of 64-bit words.

// fineDim is the padded dimension from which on signs alone tell enough.
const fineDim = 256

// CodeSize is the number of bytes of a code.
func CodeSize(padded int) int {
	if padded < fineDim {
		return 2 * padded / 8
	}
	return padded / 8
}

// Code appends the code of a vector to dst.
func (v *Vector) Code(dst []byte) []byte {
	for i := 0; i < len(v.Q); i += 64 {
		var w uint64
		for j, x := range v.Q[i : i+64] {
			if x >= 0 {
				w |= 1 << j
			}
		}
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	if len(v.Q) >= fineDim {
		return dst
	}
	// A level of ±0.5 or ±1.5 steps: the best four levels for a normal
	// distribution are 0.9957 of its deviation apart (Max 1960). Its bit counts
	// up from the negative end, so that level = 2·sign + bit − 1.5.
	step := 0.9957 / math.Sqrt(float64(len(v.Q)))
	for i := 0; i < len(v.Q); i += 64 {
		var w uint64
		for j, x := range v.Q[i : i+64] {
			if large := math.Abs(float64(x))*float64(v.Scale) > step; large == (x >= 0) {
				w |= 1 << j
			}
		}
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// Probe estimates the likeness of a query to codes: the query keeps 4 bits of
// each dimension, one plane for each bit, and products become counts of common
// bits (as in RaBitQ, Gao & Long 2024).
type Probe struct {
	planes [][4]uint64 // by word; the last plane has the negative weight
	fine   bool
}

// NewProbe makes the probe of a query.
func NewProbe(v *Vector) *Probe {
	n := len(v.Q)
	p := &Probe{fine: n < fineDim, planes: make([][4]uint64, n/64)}
	most := 1
	for _, x := range v.Q {
		most = max(most, int(x), -int(x))
	}
	for i, x := range v.Q {
		level := uint64(int64(math.RoundToEven(7 * float64(x) / float64(most)))) // −7..7, two's complement
		for b := range 4 {
			p.planes[i/64][b] |= level >> b & 1 << (i % 64)
		}
	}
	return p
}

// score grows with the estimated likeness: the sum over the dimensions of the
// query's level times the code's bit, signs counting twice where there are two
// planes. It is a whole number, so that equal vectors have equal scores.
func (p *Probe) score(code []byte) int32 {
	n := 8 * len(p.planes)
	s := p.plane(code[:n])
	if p.fine {
		s = 2*s + p.plane(code[n:2*n])
	}
	return int32(s)
}

// Scores are those of codes that stand one after the other.
func (p *Probe) Scores(codes []byte, size int, out []int32) {
	if p.fine && len(p.planes) == 2 { // the dimensions of the built-in embedders: the query stays at hand
		w0, w1 := p.planes[0], p.planes[1]
		for i := range out {
			c := (*[32]byte)(codes[32*i:])
			signs := common(c[0:], &w0) + common(c[8:], &w1)
			out[i] = int32(2*signs + common(c[16:], &w0) + common(c[24:], &w1))
		}
		return
	}
	for i := range out {
		out[i] = p.score(codes[i*size:])
	}
}

func (p *Probe) plane(code []byte) (s int) {
	for i := range p.planes {
		s += common(code[8*i:], &p.planes[i])
	}
	return s
}

// common counts the bits that a word of a code shares with one of the query.
func common(code []byte, w *[4]uint64) int {
	c := binary.LittleEndian.Uint64(code)
	return bits.OnesCount64(c&w[0]) + 2*bits.OnesCount64(c&w[1]) + 4*bits.OnesCount64(c&w[2]) - 8*bits.OnesCount64(c&w[3])
}
