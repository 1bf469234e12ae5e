package embed

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"orihon/memory"
)

// parts is what a model is compiled from.
type parts struct {
	vocab   *vocabulary
	tensors *tensorFile
	rows    tensor
	weights []float64 // by token; nil without
	mapping []float64 // row by token; nil when they are the same
}

// rowNames are the names that the table of vectors goes by: Model2Vec's, and
// that of Sentence Transformers' static embedding.
var rowNames = [...]string{"embeddings", "embedding.weight"}

// newParts checks that vocabulary and tensors belong together.
func newParts(vocab *vocabulary, f *tensorFile) (*parts, error) {
	p := &parts{vocab: vocab, tensors: f}
	for _, name := range rowNames {
		if t, ok := f.tensors[name]; ok {
			p.rows = t
			break
		}
	}
	if p.rows.kind == "" {
		return nil, badTensors("it has no tensor %q", rowNames[0])
	}
	if kindSize[p.rows.kind] == 0 || p.rows.kind[0] == 'I' && p.rows.kind != "I8" || len(p.rows.shape) != 2 {
		return nil, badTensors("its vectors are %s of the shape %v, want F32, F16, BF16 or I8 in rows", p.rows.kind, p.rows.shape)
	}
	if n, dim := p.rows.shape[0], p.rows.shape[1]; n == 0 || n > maxTokens || dim == 0 || dim > maxDimensions {
		return nil, badTensors("it has %d vectors of %d dimensions", n, dim)
	}
	for name, to := range map[string]*[]float64{"weights": &p.weights, "mapping": &p.mapping} {
		t, ok := f.tensors[name]
		if !ok {
			continue
		}
		if len(t.shape) == 1 && t.shape[0] > maxTokens {
			return nil, badTensors("tensor %q has %d entries", name, t.shape[0])
		}
		v, err := f.vector(name, t)
		if err != nil {
			return nil, err
		}
		*to = v
	}
	return p, p.check()
}

// check looks up every token's weight and row.
func (p *parts) check() error {
	for _, t := range p.vocab.tokens {
		if _, _, err := p.place(t); err != nil {
			return err
		}
	}
	return nil
}

// place gives the row and the weight of a token.
func (p *parts) place(t token) (row uint32, weight float32, err error) {
	if t.unknown {
		return noRow, 0, nil
	}
	at, w := float64(t.id), 1.0
	if p.mapping != nil {
		if t.id >= len(p.mapping) {
			return 0, 0, badTensors("its mapping ends before token %d", t.id)
		}
		at = p.mapping[t.id]
	}
	if p.weights != nil {
		if t.id >= len(p.weights) {
			return 0, 0, badTensors("its weights end before token %d", t.id)
		}
		w = p.weights[t.id]
	}
	if !(at >= 0 && at < float64(p.rows.shape[0])) || at != math.Trunc(at) {
		return 0, 0, badTensors("token %.40q has the vector %g of %d", t.text, at, p.rows.shape[0])
	}
	if math.IsNaN(w) || math.Abs(w) > math.MaxFloat32 {
		return 0, 0, badTensors("token %.40q has no finite weight", t.text)
	}
	return uint32(at), float32(w), nil
}

// compile writes the model as one file, see the description of its format. The
// bytes depend on the source alone.
func (p *parts) compile(w io.Writer, source [32]byte, progress func(done, total int64)) error {
	kind, err := p.rowKind()
	if err != nil {
		return err
	}
	tokens := slices.Clone(p.vocab.tokens)
	slices.SortFunc(tokens, func(a, b token) int { return strings.Compare(a.text, b.text) })
	cut, err := json.Marshal(p.vocab.cutting)
	if err != nil {
		return err
	}
	entries, texts, err := p.entryTable(tokens)
	if err != nil {
		return err
	}
	slots, err := slotTable(tokens)
	if err != nil {
		return err
	}
	h := &staticHeader{
		dim: uint32(p.rows.shape[1]), kind: kind, rows: uint32(p.rows.shape[0]),
		entries: uint32(len(tokens)), slots: uint32(len(slots) / slotSize),
	}
	copy(h.source[:], source[:])
	bodies := [][]byte{cut, p.vocab.charsmap, slots, entries, texts}
	at := int64(headerSize)
	for i, s := range h.sections() {
		s.at = at
		if i < len(bodies) {
			s.size = int64(len(bodies[i]))
			at = (at + s.size + 63) &^ 63
		}
	}
	out := bufio.NewWriterSize(w, 1<<20)
	written := int64(0)
	put := func(b []byte, from int64) error {
		if _, err := out.Write(make([]byte, from-written)); err != nil {
			return err
		}
		written = from + int64(len(b))
		_, err := out.Write(b)
		return err
	}
	if err := put(h.encode(), 0); err != nil {
		return err
	}
	for i, s := range h.sections()[:len(bodies)] {
		if err := put(bodies[i], s.at); err != nil {
			return err
		}
	}
	if err := put(nil, h.rowTable.at); err != nil {
		return err
	}
	err = p.eachRows(func(values []byte, done int64) error {
		b, err := p.convert(values, kind)
		if err != nil {
			return err
		}
		if progress != nil {
			progress(done, p.rows.shape[0])
		}
		_, err = out.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// eachRows reads the vectors in pieces of about a megabyte.
func (p *parts) eachRows(fn func(values []byte, done int64) error) error {
	n, dim := p.rows.shape[0], p.rows.shape[1]
	step := max(1, 1<<20/(dim*kindSize[p.rows.kind]))
	for from := int64(0); from < n; from += step {
		to := min(n, from+step)
		values, err := p.tensors.read(p.rows, from*dim, to*dim)
		if err != nil {
			return err
		}
		if err := fn(values, to); err != nil {
			return err
		}
	}
	return nil
}

// rowKind chooses how rows are kept: half precision takes half the room and
// moves a cosine by less than a thousandth; numbers that are too large for it
// stay as they are.
func (p *parts) rowKind() (uint32, error) {
	if p.rows.kind == "I8" {
		return rowI8, nil
	}
	most, size := 0.0, int(kindSize[p.rows.kind])
	err := p.eachRows(func(values []byte, done int64) error {
		for i := 0; i < len(values); i += size {
			x := math.Abs(element(values[i:], p.rows.kind))
			if math.IsNaN(x) || x > math.MaxFloat32 {
				return badTensors("a vector before the %dth is not finite", done+1)
			}
			most = max(most, x)
		}
		return nil
	})
	if most < 65504 {
		return rowF16, err
	}
	return rowF32, err
}

// convert gives numbers of the source as numbers of the compiled kind.
func (p *parts) convert(values []byte, kind uint32) ([]byte, error) {
	if kind == rowI8 || kind == rowF16 && p.rows.kind == "F16" {
		return values, nil
	}
	size := int(kindSize[p.rows.kind])
	out := make([]byte, 0, len(values)/size*int(rowKindSize[kind]))
	for i := 0; i < len(values); i += size {
		x := float32(element(values[i:], p.rows.kind))
		if kind == rowF16 {
			out = binary.LittleEndian.AppendUint16(out, floatToHalf(x))
		} else {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	return out, nil
}

func (p *parts) entryTable(tokens []token) (entries, texts []byte, err error) {
	le := binary.LittleEndian
	for _, t := range tokens {
		row, weight, err := p.place(t)
		if err != nil {
			return nil, nil, err
		}
		entries = le.AppendUint32(entries, uint32(len(texts)))
		entries = le.AppendUint32(entries, uint32(len(t.text)))
		entries = le.AppendUint32(entries, row)
		entries = le.AppendUint32(entries, math.Float32bits(weight))
		entries = le.AppendUint32(entries, math.Float32bits(float32(t.score)))
		texts = append(texts, t.text...)
	}
	if len(texts) > math.MaxUint32 {
		return nil, nil, fmt.Errorf("%w model: its tokens are longer than 4 GB together", memory.ErrInvalid)
	}
	return entries, texts, nil
}

// slotTable hashes the tokens into a table at most half full.
func slotTable(tokens []token) ([]byte, error) {
	n := uint64(16)
	for n < uint64(len(tokens))*2 {
		n *= 2
	}
	le := binary.LittleEndian
	out := make([]byte, n*slotSize)
	for i, t := range tokens {
		hash := hashBytes(hashBegin, t.text)
		probe := uint64(0)
		for ; probe < maxProbes; probe++ {
			slot := out[((hash+probe)&(n-1))*slotSize:][:slotSize]
			if le.Uint32(slot[4:]) == 0 {
				le.PutUint32(slot, uint32(hash>>32))
				le.PutUint32(slot[4:], uint32(i+1))
				break
			}
		}
		if probe == maxProbes {
			return nil, badTokenizer("its tokens are made to collide")
		}
	}
	return out, nil
}
