package embed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"orihon/memory"
)

// What of a text a static model looks at; the rest of a longer one is left out.
const (
	maxStaticTokens = 512
	maxStaticBytes  = 16 << 10
)

// Static embeds by a table of token vectors (Model2Vec's layout): a text has
// the mean of its tokens' rows, scaled to length one. There is no network in it
// and no model to run; the table is one file that [AddModel] compiled, and only
// what a text needs of it is read. It is safe for use by several goroutines.
type Static struct {
	id string
	t  *table

	mu     sync.RWMutex // held for writing by Close
	closed bool
}

// OpenStatic opens the compiled model of a name in a folder of models. A model
// that is not there wraps [memory.ErrNotFound], a damaged one
// [memory.ErrInvalid].
func OpenStatic(models, name string) (*Static, error) {
	if name == "" {
		return nil, fmt.Errorf("%w embedder.model: name a model that was added: see `orihon model list`", memory.ErrInvalid)
	}
	if !validModelName(name) {
		return nil, fmt.Errorf("%w name of a model %.60q", memory.ErrInvalid, name)
	}
	f, err := openView(filepath.Join(models, name, tableFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no model %s: run `orihon model add`", memory.ErrNotFound, name)
	}
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	s, err := newStatic(name, f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", name, err), f.Close())
	}
	return s, nil
}

func newStatic(name string, f fileView) (*Static, error) {
	t, err := openTable(f)
	if err != nil {
		return nil, err
	}
	return &Static{id: fmt.Sprintf("static/%s/%d/%s", name, t.dim, t.sourceID()), t: t}, nil
}

// ID names the model, its dimension and what it was compiled from.
func (s *Static) ID() string { return s.id }

// Dim is the length of the vectors.
func (s *Static) Dim() int { return int(s.t.dim) }

// Close releases the file.
func (s *Static) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.t.file.Close()
}

// Embed fails only when ctx ends, the model is closed or its file is damaged. A
// text of which no token is known has the zero vector.
func (s *Static) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errors.New("embed: the model is closed")
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v, err := s.vector(text)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func (s *Static) vector(text string) ([]float32, error) {
	sum := make([]float64, s.t.dim)
	for _, i := range s.t.tokens(text) {
		if e, ok := s.t.entry(i); !ok || !s.t.add(sum, e) {
			return nil, badModel("token %d has no vector", i)
		}
	}
	v := make([]float32, len(sum))
	var square float64
	for _, x := range sum {
		square += x * x
	}
	if math.IsNaN(square) || math.IsInf(square, 0) {
		return nil, badModel("it gave numbers that are not finite")
	}
	if square > 0 {
		inv := 1 / math.Sqrt(square)
		for i, x := range sum {
			v[i] = float32(x * inv)
		}
	}
	return v, nil
}

// tokens cuts a text into entries of the table that have a row.
func (t *table) tokens(text string) []int {
	if len(text) > maxStaticBytes {
		text = text[:maxStaticBytes]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
	}
	text = t.cut.normalized(strings.ToValidUTF8(text, ""), t.cmap)
	var found []int
	for _, w := range t.cut.words(text) {
		begun := len(found)
		if t.cut.Model == unigram {
			found = t.cut.unigrams(t, w, found)
		} else {
			found, _ = t.cut.wordPieces(t, w, found)
		}
		kept := found[:begun]
		for _, i := range found[begun:] {
			if e, ok := t.entry(i); ok && e.row != noRow {
				kept = append(kept, i)
			}
		}
		if found = kept; len(found) >= maxStaticTokens {
			return found[:maxStaticTokens]
		}
	}
	return found
}

// add adds the row of an entry, times its weight.
func (t *table) add(sum []float64, e entry) bool {
	if e.row >= t.rows {
		return false
	}
	size := rowKindSize[t.kind]
	row := t.file.view(t.rowTable.at+int64(e.row)*int64(t.dim)*size, int64(t.dim)*size)
	if row == nil {
		return false
	}
	w := float64(e.weight)
	for i := range sum {
		sum[i] += float64(w * rowNumber(row, t.kind, i))
	}
	return true
}

func rowNumber(row []byte, kind uint32, i int) float64 {
	switch kind {
	case rowF16:
		return float64(halfToFloat(binary.LittleEndian.Uint16(row[2*i:])))
	case rowI8:
		return float64(int8(row[i]))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:])))
}

// validModelName reports whether a name can be that of a folder everywhere.
func validModelName(name string) bool {
	if name == "" || len(name) > 64 || name[0] == '.' || name[0] == '-' || strings.HasSuffix(name, ".") {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	})
}
