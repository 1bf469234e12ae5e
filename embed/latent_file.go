package embed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// A model's file is a header and one row for every bucket, all little-endian:
//
//	 0  8   "orihlsa" and the version, 1
//	 8  4   dimension
//	12  4   binary logarithm of the number of buckets
//	16  4   how texts are cut into features, a checksum
//	20  8   passages trained on
//	28  8   passages there were
//	36  32  SHA-256 of all rows
//	68  4   CRC-32C of the bytes before
//
// A row has a scale as a 32-bit float, as many signed bytes as there are
// dimensions, and the CRC-32C of both: so that a reader of a few rows knows
// that they are sound without reading the others.
const (
	latentMagic   = "orihlsa\x01"
	latentHead    = 72
	rowHead       = 4
	maxLatentDim  = 1024
	maxLatentBits = 15
)

func rowSize(dim int) int { return rowHead + dim + 4 }

func rowScale(row []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(row)) }

// castagnoli is the table of the CRC-32C for one byte at a time.
var castagnoli = sync.OnceValue(func() *[256]uint32 {
	const polynomial = 0x82f63b78 // bits reversed
	t := new([256]uint32)
	for i := range t {
		sum := uint32(i)
		for range 8 {
			sum = sum>>1 ^ sum&1*polynomial
		}
		t[i] = sum
	}
	return t
})

// rowSum is the CRC-32C. The library's is faster, but makes ready for long
// texts first, which takes thirty times as long as the few rows of a prompt.
func rowSum(data []byte) uint32 {
	t, sum := castagnoli(), ^uint32(0)
	for _, b := range data {
		sum = t[byte(sum)^b] ^ sum>>8
	}
	return ^sum
}

// packRows keeps 8 bits of each of the first dim columns of w, which has l.
func packRows(w []float32, l, dim int, weight []float32) []byte {
	out := make([]byte, 0, len(weight)*rowSize(dim))
	for j, g := range weight {
		v := w[j*l : j*l+dim]
		var most float32
		for _, x := range v {
			most = max(most, x, -x)
		}
		start := len(out)
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(most*g/127))
		for _, x := range v {
			if most > 0 {
				x = float32(math.RoundToEven(float64(x/most) * 127))
			}
			out = append(out, byte(int8(x)))
		}
		out = binary.LittleEndian.AppendUint32(out, rowSum(out[start:]))
	}
	return out
}

// Save writes the model to path as a whole, readable by its owner alone.
func (m *Latent) Save(path string) error {
	rows, err := m.source(true)
	if err != nil {
		return err
	}
	return jsonl.Rewrite(path, func(w io.Writer) error {
		if _, err := w.Write(m.header()); err != nil {
			return err
		}
		_, err := w.Write(rows.all)
		return err
	})
}

func (m *Latent) header() []byte {
	h := make([]byte, 0, latentHead)
	h = append(h, latentMagic...)
	h = binary.LittleEndian.AppendUint32(h, uint32(m.dim))
	h = binary.LittleEndian.AppendUint32(h, uint32(m.bits))
	h = binary.LittleEndian.AppendUint32(h, featureSum())
	h = binary.LittleEndian.AppendUint64(h, uint64(m.sample))
	h = binary.LittleEndian.AppendUint64(h, uint64(m.total))
	h = append(h, m.sum[:]...)
	return binary.LittleEndian.AppendUint32(h, rowSum(h))
}

// OpenLatent opens a model that Save has written. It reads the header alone;
// rows are read, and checked, as texts need them. The error names the file, and
// wraps [memory.ErrNotFound] when there is none and [memory.ErrInvalid] when it
// is damaged or of another version.
func OpenLatent(path string) (*Latent, error) {
	f, err := jsonl.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("model %s: %w", path, memory.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := readHeader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("model %s: %w; the next sync trains a new one", path, err)
	}
	return m, nil
}

func readHeader(f *os.File) (*Latent, error) {
	bad := func(format string, a ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{memory.ErrInvalid}, a...)...)
	}
	h := make([]byte, latentHead)
	if _, err := f.ReadAt(h, 0); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, bad("it is cut off")
		}
		return nil, err
	}
	n := latentHead - 4
	switch {
	case string(h[:7]) != latentMagic[:7]:
		return nil, bad("it is no model")
	case h[7] != latentMagic[7]:
		return nil, bad("it is of version %d, want %d", h[7], latentMagic[7])
	case rowSum(h[:n]) != binary.LittleEndian.Uint32(h[n:]):
		return nil, bad("its header is damaged")
	case binary.LittleEndian.Uint32(h[16:]) != featureSum():
		return nil, bad("it was trained on features of another version")
	}
	m := &Latent{
		file: f,
		dim:  int(binary.LittleEndian.Uint32(h[8:])), bits: int(binary.LittleEndian.Uint32(h[12:])),
		sample: int(binary.LittleEndian.Uint64(h[20:])), total: int(binary.LittleEndian.Uint64(h[28:])),
	}
	copy(m.sum[:], h[36:])
	if m.dim < 2 || m.dim > maxLatentDim || m.bits < 1 || m.bits > maxLatentBits {
		return nil, bad("%d dimensions of 2^%d rows", m.dim, m.bits)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if want := int64(latentHead) + int64(rowSize(m.dim))<<m.bits; info.Size() != want {
		return nil, bad("it has %d bytes, want %d", info.Size(), want)
	}
	return m, nil
}

// rowSource gives rows, from memory or from the file.
type rowSource struct {
	m   *Latent
	all []byte
}

// source is where rows come from; with all they are read at once, and checked.
func (m *Latent) source(all bool) (rowSource, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bad != nil {
		return rowSource{}, m.bad
	}
	if m.rows == nil && all {
		rows := make([]byte, rowSize(m.dim)<<m.bits)
		if _, err := m.file.ReadAt(rows, latentHead); err != nil {
			return rowSource{}, fmt.Errorf("model %s: %w", m.file.Name(), err)
		}
		if sum := sha256.Sum256(rows); !bytes.Equal(sum[:], m.sum[:]) {
			m.bad = m.damaged("its rows are not those it was saved with (%s)", hex.EncodeToString(sum[:4]))
			return rowSource{}, m.bad
		}
		m.rows = rows
	}
	return rowSource{m, m.rows}, nil
}

// row returns row j, in buf when it comes from the file.
func (s rowSource) row(j int, buf []byte) ([]byte, error) {
	size := len(buf)
	if s.all != nil {
		return s.all[j*size : (j+1)*size], nil
	}
	if _, err := s.m.file.ReadAt(buf, latentHead+int64(j)*int64(size)); err != nil {
		return nil, fmt.Errorf("model %s: %w", s.m.file.Name(), err)
	}
	if rowSum(buf[:size-4]) != binary.LittleEndian.Uint32(buf[size-4:]) {
		return nil, s.m.damaged("row %d", j)
	}
	return buf, nil
}

func (m *Latent) damaged(format string, a ...any) error {
	return fmt.Errorf("model %s: %w: damaged: "+format, append([]any{m.file.Name(), memory.ErrInvalid}, a...)...)
}

// Check reads the whole model and reports what is wrong with it.
func (m *Latent) Check() error {
	_, err := m.source(true)
	return err
}
