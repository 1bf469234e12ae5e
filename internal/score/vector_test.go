package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// directions makes unit vectors with a part in common, as models give them.
func directions(seed uint64, n, dim int) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	common := make([]float32, dim)
	for i := range common {
		common[i] = float32(r.NormFloat64())
	}
	out := make([][]float32, n)
	for k := range out {
		v := make([]float32, dim)
		for i := range v {
			v[i] = common[i] + float32(r.NormFloat64())
		}
		out[k] = unit(v)
	}
	return out
}

func dot(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func unit(v []float32) []float32 {
	k := float32(1 / math.Sqrt(dot(v, v)))
	for i := range v {
		v[i] *= k
	}
	return v
}

func TestRotatingAndRoundingKeepsAngles(t *testing.T) {
	for _, dim := range []int{1, 3, 64, 96, 128, 300, 384, 1000} {
		v := directions(3, 2, dim)
		r := NewRotation(dim)
		a, b := r.Vector(v[0]), r.Vector(v[1])
		want := dot(v[0], v[1])
		if got := Cosine(a, b.Scale, b.Q); math.Abs(got-want) > 0.01 {
			t.Errorf("%d dimensions: cosine %.4f, want %.4f", dim, got, want)
		}
		if got := Cosine(a, a.Scale, a.Q); math.Abs(got-1) > 1e-6 {
			t.Errorf("%d dimensions: %.7f from itself, want 1", dim, got)
		}
	}
}

func TestCodesStayReadableByLaterBuilds(t *testing.T) {
	v := make([]float32, 64)
	for i := range v {
		v[i] = float32(i%7) - 3
	}
	got := fmt.Sprintf("%x", NewRotation(64).Vector(unit(v)).Code(nil))
	const want = "a87963c1d923f70b14f60177e6d08eee"
	if got != want {
		t.Errorf("code %s, want %s: a change needs a new Format", got, want)
	}
}

// TestEstimatesCountWhatTheySayTheyCount holds the counting of bits to the sum
// it stands for.
func TestEstimatesCountWhatTheySayTheyCount(t *testing.T) {
	for _, dim := range []int{64, 128, 256, 384} {
		v := directions(4, 2, dim)
		r := NewRotation(dim)
		q, x := r.Vector(v[0]), r.Vector(v[1])
		most := 0.0
		for _, p := range q.Q {
			most = max(most, math.Abs(float64(p)))
		}
		want := 0
		step := 0.9957 / math.Sqrt(float64(dim))
		for i, p := range q.Q {
			level := int(math.RoundToEven(7 * float64(p) / most))
			sign, large := x.Q[i] >= 0, math.Abs(float64(x.Q[i]))*float64(x.Scale) > step
			bits := 0
			if sign {
				bits++
			}
			if dim < fineDim {
				bits *= 2
				if sign == large {
					bits++
				}
			}
			want += level * bits
		}
		if got := NewProbe(q).score(x.Code(nil)); int(got) != want {
			t.Errorf("%d dimensions: %d, want %d", dim, got, want)
		}
	}
}
