package sqlite

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"orihon/internal/score"
	"orihon/memory"
)

// table is an embedder that looks the vector of the text "v12" up.
type table struct {
	id      string
	vectors [][]float32
}

func (e *table) ID() string { return e.id }

func (e *table) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		n, err := strconv.Atoi(t[1:])
		if err != nil {
			return nil, err
		}
		out[i] = e.vectors[n]
	}
	return out, ctx.Err()
}

// clustered makes unit vectors as models give them: clusters in fewer
// dimensions than they have, noise, and a direction common to all.
func clustered(seed uint64, n, dim int) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	normal := func(n int, deviation float64) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64() * deviation)
		}
		return v
	}
	latent := min(96, dim)
	axes, centres := make([][]float32, dim), make([][]float32, n/50+1)
	for i := range axes {
		axes[i] = normal(latent, 1)
	}
	for i := range centres {
		centres[i] = normal(latent, 1)
	}
	common := normal(dim, 6)
	out := make([][]float32, n)
	for k := range out {
		z := normal(latent, 0.7)
		for j, c := range centres[r.IntN(len(centres))] {
			z[j] += c
		}
		v := normal(dim, 1.5)
		for i, axis := range axes {
			v[i] += common[i] + dotFloat(axis, z)
		}
		out[k] = unit(v)
	}
	return out
}

func dotFloat(a, b []float32) (s float32) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func unit(v []float32) []float32 {
	k := float32(1 / math.Sqrt(float64(dotFloat(v, v))))
	for i := range v {
		v[i] *= k
	}
	return v
}

func tablePassage(i int) memory.Passage {
	p := memory.Passage{ID: fmt.Sprintf("p%07d", i), Source: "file", Line: 1}
	p.Item = memory.Item{ID: p.ID, Kind: memory.Semantic, Content: "v" + strconv.Itoa(i), Scope: memory.Global, Tier: memory.Observed}
	p.Item.Metadata = memory.Metadata{CreatedAt: time.Unix(1, 0).UTC(), Source: memory.FromUser, Confidence: memory.StatedConfidence}
	return p
}

// filled makes an index of the vectors of e.
func filled(t testing.TB, path string, e *table) *Index {
	t.Helper()
	x := openTable(t, path, e)
	for start := 0; start < len(e.vectors); start += 50_000 {
		var b memory.Batch
		for i := start; i < min(len(e.vectors), start+50_000); i++ {
			b.Put = append(b.Put, tablePassage(i))
		}
		if err := x.Apply(context.Background(), b); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func openTable(t testing.TB, path string, e memory.Embedder) *Index {
	t.Helper()
	x, err := Open(context.Background(), path, &Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

var everything = memory.Filter{Scopes: []memory.Scope{memory.Global}}

// neighbours returns the IDs of the passages with the highest cosines.
func neighbours(t testing.TB, x *Index, q []float32, n int) []string {
	t.Helper()
	c, err := x.Search(context.Background(), memory.Search{Vector: q, Filter: everything})
	if err != nil || len(c.Degraded) > 0 {
		t.Fatal(err, c.Degraded)
	}
	slices.SortStableFunc(c.Hits, func(a, b memory.Candidate) int {
		switch {
		case a.Vector > b.Vector:
			return -1
		case a.Vector < b.Vector:
			return 1
		}
		return 0
	})
	var ids []string
	for _, h := range c.Hits[:min(n, len(c.Hits))] {
		ids = append(ids, h.Passage.ID)
	}
	return ids
}

// recallAt10 is the share of the ten vectors nearest to each query, by floats,
// that the index finds among its first ten.
func recallAt10(t testing.TB, x *Index, vectors, queries [][]float32) float64 {
	t.Helper()
	hits := 0
	for _, q := range queries {
		score := make([]float32, len(vectors))
		for i, v := range vectors {
			score[i] = dotFloat(q, v)
		}
		least := slices.Sorted(slices.Values(score))[len(score)-10]
		for _, id := range neighbours(t, x, q, 10) {
			i, err := strconv.Atoi(id[1:])
			if err != nil {
				t.Fatal(err)
			}
			if score[i] >= least {
				hits++
			}
		}
	}
	return float64(hits) / float64(10*len(queries))
}

// BenchmarkVector times the vector leg: "first" as a new process has it, with
// nothing kept, "later" as the searches after it, and "search" a whole Search
// that finds by vectors alone. ORIHON_BENCH_MILLION adds a million vectors.
func BenchmarkVector(b *testing.B) {
	type size struct{ n, dim int }
	sizes := []size{{10_000, 128}, {10_000, 384}, {100_000, 128}, {100_000, 256}, {100_000, 384}, {100_000, 1024}}
	if os.Getenv("ORIHON_BENCH_MILLION") != "" {
		sizes = append(sizes, size{1_000_000, 128}, size{1_000_000, 384})
	}
	if testing.Short() {
		sizes = sizes[:1]
	}
	const queries = 64
	for _, s := range sizes {
		b.Run(fmt.Sprintf("n=%d/dim=%d", s.n, s.dim), func(b *testing.B) {
			all := clustered(1, s.n+queries, s.dim)
			e, asked := &table{"table", all[queries:]}, all[:queries]
			x := filled(b, filepath.Join(b.TempDir(), "index.db"), e)
			leg := func(x *Index, i int) {
				q := asked[i%queries]
				read, err := x.snapshot(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				defer x.end(read)
				meta, err := queryMeta(b.Context(), read)
				if err != nil {
					b.Fatal(err)
				}
				asked := memory.Search{Vector: q, Limit: 200, Filter: everything}
				s := &search{x: x, read: read, meta: meta, asked: asked, query: score.NewQuery(asked, nil, score.Totals{})}
				ids, err := s.byVector(b.Context(), nil)
				if err != nil || len(ids) == 0 {
					b.Fatal(len(ids), err)
				}
			}
			b.Run("first", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					x.vectors.forget()
					leg(x, i)
				}
			})
			b.Run("later", func(b *testing.B) {
				for i := range 2 * queries {
					leg(x, i)
				}
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					leg(x, i)
				}
			})
			b.Run("search", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					neighbours(b, x, asked[i%queries], 10)
				}
				b.ReportMetric(recallAt10(b, x, e.vectors, asked), "recall@10")
			})
		})
	}
}

// forget makes the next search the first.
func (c *vectorCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.searches, c.whole, c.rows, c.size = 0, nil, nil, 0
}
