package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"orihon/internal/score"
	"orihon/memory"
)

var errOtherEmbedder = errors.New("the vectors are another embedder's")

// byVector finds what is near the prompt's vector and notes the cosine of that
// and of what the other legs have found.
func (s *search) byVector(ctx context.Context, found map[int64]bool) ([]int64, error) {
	if s.query.Vector == nil {
		return nil, nil
	}
	read, err := s.vectors()
	if err != nil || read == nil {
		if errors.Is(err, errOtherEmbedder) {
			s.query.Vector = nil // nor compare it with what is pending
		}
		return nil, err
	}
	estimates, err := read.estimate(ctx)
	if err != nil {
		return nil, err
	}
	others := make([]int64, 0, len(found))
	for id := range found {
		others = append(others, id)
	}
	near := score.Near{Rows: read, Estimates: estimates, Cosines: make(map[int64]float64)}
	best, err := near.Best(ctx, others, max(1, s.asked.Limit/2))
	if err != nil {
		return nil, err
	}
	s.cosines = near.Cosines
	// The scales of the built-in vectors are known, and their searches are to be fast.
	const drawn = 128 // passages
	if !strings.HasPrefix(read.g.Embedder, memory.BuiltinEmbedders) {
		s.usual, err = near.Usual(ctx, drawn)
	}
	return best, err
}

// vectorReader reads the vectors of one search.
type vectorReader struct {
	*search
	cache  *vectorCache
	g      *generation
	layout layout
}

var _ score.VectorRows = (*vectorReader)(nil)

// vectors returns their reader, nil when there are none.
func (s *search) vectors() (*vectorReader, error) {
	g, err := readGeneration(s.meta, servingKey)
	if err == nil && g == nil {
		err = fmt.Errorf("%w: it names no embedder", memory.ErrStale)
	}
	if err != nil || g.Held == 0 {
		return nil, err
	}
	if g.Embedder != s.x.embed.ID() {
		return nil, errOtherEmbedder
	}
	if g.Dim != s.query.Vector.Dim {
		return nil, fmt.Errorf("the prompt's vector has %d dimensions, those of the index %d", s.query.Vector.Dim, g.Dim)
	}
	return &vectorReader{search: s, cache: &s.x.vectors, g: g, layout: newLayout(g.Dim)}, nil
}

// estimate scores every row by its code; turns may be left out, since in a
// home with many conversations they would be most of what a filter drops.
func (r *vectorReader) estimate(ctx context.Context) ([]int32, error) {
	p := score.NewProbe(r.query.Vector)
	size, slots := score.CodeSize(r.layout.padded), r.layout.codeSlots
	out := make([]int32, 0, r.g.Held+slots)
	held, noTurns := 0, r.asked.Filter.NoTurns
	err := r.codes(ctx, func(chunk int64, data []byte) {
		first := int(chunk) * slots
		for len(out) < first {
			out = append(out, score.Absent)
		}
		if more := first + slots - len(out); more > 0 {
			out = slices.Grow(out, more)[:first+slots]
		}
		scores := out[first : first+slots]
		p.Scores(data[slots:], size, scores)
		for i, state := range data[:slots] {
			held += holds(state)
			if state&slotHeld == 0 || noTurns && state&slotTurn != 0 {
				scores[i] = score.Absent
			}
		}
	})
	if err == nil && held != r.g.Held {
		err = fmt.Errorf("%w: %d vectors, want %d", memory.ErrStale, held, r.g.Held)
	}
	return out, err
}

// codes calls use with every row of codes, from the cache if it has them.
func (r *vectorReader) codes(ctx context.Context, use func(chunk int64, data []byte)) error {
	if rows, ok := r.cache.codes(r.g); ok {
		for _, row := range rows {
			use(row.chunk, row.data)
		}
		return nil
	}
	keep := r.cache.keeps(r.g.Held * score.CodeSize(r.layout.padded))
	first := r.g.N << generationBits
	var kept []codeRow
	err := visit(ctx, r.read, selection{`chunk, data`, `code WHERE chunk >= ? AND chunk < ?`, []any{first, first + 1<<generationBits}}, func(row []driver.Value) error {
		chunk, data, err := numbered(row)
		if err != nil {
			return err
		}
		body, err := checked(data, r.layout.codeRow())
		if err != nil {
			return err
		}
		use(chunk-first, body)
		if keep {
			kept = append(kept, codeRow{chunk - first, slices.Clone(body)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if keep {
		r.cache.keep(r.g, kept)
	}
	return nil
}

// Cosines implements [score.VectorRows].
func (r *vectorReader) Cosines(ctx context.Context, ids []int64, out map[int64]float64) error {
	slots := int64(r.layout.vecSlots)
	first := r.g.N << generationBits
	byChunk := make(map[int64][]int64, len(ids))
	for _, id := range ids {
		if _, known := out[id]; !known {
			byChunk[id/slots] = append(byChunk[id/slots], id)
		}
	}
	score := func(chunk int64, data []byte) {
		for _, id := range byChunk[chunk] {
			at := data[int(id%slots)*(4+r.layout.padded):]
			if scale := math.Float32frombits(binary.LittleEndian.Uint32(at)); scale != 0 {
				out[id] = score.Cosine(r.query.Vector, scale, at[4:])
			}
		}
	}
	var missing []int64
	for chunk := range byChunk {
		if data, ok := r.cache.row(r.g, chunk); ok {
			score(chunk, data)
		} else {
			missing = append(missing, first+chunk)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	in, args := oneOf(missing)
	return visit(ctx, r.read, selection{`chunk, data`, `vec WHERE chunk IN ` + in, args}, func(row []driver.Value) error {
		chunk, data, err := numbered(row)
		if err != nil {
			return err
		}
		body, err := checked(data, r.layout.vecRow())
		if err != nil {
			return err
		}
		score(chunk-first, body)
		r.cache.add(r.g, chunk-first, body)
		return nil
	})
}
