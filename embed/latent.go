package embed

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"sync"
)

// Latent embeds texts by what was learned from the passages of one store, see
// [Train]: texts are near that speak of the same in other words of that store.
// A text is the weighted sum of the vectors of its features, scaled to length
// one; a word that no passage had counts by the letters it shares with others.
//
// Unrelated passages are not at zero. Cosines of random pairs of passages of one
// store, at 96 dimensions:
//
//	                              mean   95 % below   99 % below
//	LoCoMo, 5 × ~550 turns        .048   .19          .46
//	MemoryBank, 8 × ~30 turns     .037   .10          .17
//	MADial, Chinese               .020   .06          .16
//	CMRC, 9,852 sentences         .125   .32          .45
//
// The mean grows with the store, since more passages share a direction.
//
// A Latent is safe for use by several goroutines. One from [OpenLatent] holds a
// file; Close releases it.
type Latent struct {
	dim, bits     int
	sample, total int
	sum           [32]byte // SHA-256 of the rows

	file *os.File // nil when rows are all there is
	mu   sync.Mutex
	rows []byte // one after the other, see packRows; nil until they are all needed
	bad  error  // why the rows cannot be used
}

// ID names the algorithm, the dimension and what was learned.
func (m *Latent) ID() string {
	return fmt.Sprintf("builtin/%s/%d/%s", latentVersion, m.dim, hex.EncodeToString(m.sum[:4]))
}

// Dim is the length of the vectors.
func (m *Latent) Dim() int { return m.dim }

// Passages is on how many passages the model was trained, and how many there
// were at that time.
func (m *Latent) Passages() (sample, total int) { return m.sample, m.total }

// bulk is the number of texts from which on it is cheaper to have all rows in
// memory than to read those of each text.
const bulk = 16

// Embed fails when ctx ends or the model's file turns out to be damaged. A
// text without any known feature has the zero vector, which is near to nothing.
func (m *Latent) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	rows, err := m.source(len(texts) >= bulk)
	if err != nil {
		return nil, err
	}
	f := features{bits: m.bits}
	buf := make([]byte, rowSize(m.dim))
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v := make([]float32, m.dim)
		for _, x := range f.of(t) {
			row, err := rows.row(int(x.bucket), buf)
			if err != nil {
				return nil, err
			}
			addRow(v, row, x.weight)
		}
		normalize(v)
		out[i] = v
	}
	return out, nil
}

// addRow adds a packed row to v.
func addRow(v []float32, row []byte, weight float32) {
	s := weight * rowScale(row)
	if s == 0 {
		return
	}
	for i, b := range row[rowHead : rowHead+len(v)] {
		v[i] += float32(s * float32(int8(b)))
	}
}

// Close releases the file.
func (m *Latent) Close() error {
	if m.file == nil {
		return nil
	}
	return m.file.Close()
}
