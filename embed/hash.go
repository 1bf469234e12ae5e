package embed

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"orihon/internal/terms"
)

// DefaultDim is the length of the vectors of [NewHash].
const DefaultDim = 128

// Weights of the features of a text. A word counts more than the sum of the
// letter groups it shares with others, so that the same word stays nearer than
// a similar one.
const (
	wordWeight = 1.0
	gramWeight = 0.35
	gramLen    = 4
)

// Hash embeds a text by feature hashing (Weinberger et al. 2009): every term
// and every group of four letters within a term adds ±weight to one of dim
// places, and the sum is scaled to length one. Equal texts have equal vectors
// on every machine. The cost is linear in the text.
type Hash struct{ dim int }

// NewHash returns an embedder of dim dimensions; 0 means [DefaultDim].
func NewHash(dim int) *Hash {
	dim = cmp.Or(max(dim, 0), DefaultDim)
	return &Hash{dim: dim}
}

// ID names the features and the dimension.
func (h *Hash) ID() string { return fmt.Sprintf("builtin/hash1/%d", h.dim) }

// Embed never fails except when ctx ends. A text without terms has the zero
// vector, which is near to nothing.
func (h *Hash) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out[i] = h.Vector(terms.Index(t))
	}
	return out, nil
}

// Vector embeds a text whose terms are at hand already.
func (h *Hash) Vector(words []string) []float32 {
	v := make([]float32, h.dim)
	count := make(map[string]int, len(words))
	for _, w := range words {
		count[w]++
	}
	// Words are added in the order of the text: sums of floats depend on
	// order, and equal texts must have equal vectors.
	for _, w := range words {
		n := count[w]
		if n == 0 {
			continue
		}
		count[w] = 0
		tf := float32(1 + math.Log(float64(n)))
		h.add(v, "w:"+w, wordWeight*tf)
		r := []rune("^" + w + "$")
		for i := 0; i+gramLen <= len(r); i++ {
			h.add(v, "g:"+string(r[i:i+gramLen]), gramWeight*tf)
		}
	}
	normalize(v)
	return v
}

func (h *Hash) add(v []float32, feature string, weight float32) {
	sum := hashBytes(hashBegin, feature)
	if sum>>63 == 1 {
		weight = -weight
	}
	v[sum%uint64(h.dim)] += weight
}

func normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	inv := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= inv
	}
}

// Of FNV-1a, 64 bits.
const (
	hashBegin = 14695981039346656037
	hashPrime = 1099511628211
)

// hashBytes is FNV-1a, 64 bits, continued from h.
func hashBytes[T string | []byte](h uint64, s T) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}
