package embed

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"

	"orihon/memory"
)

// A compiled model is one file, little-endian, that is used as it lies:
//
//	header     128 bytes, see staticHeader.encode
//	cutting    JSON, see cutting
//	charsmap   of SentencePiece, may be empty
//	slots      8 bytes each: the upper half of a token's hash, its entry + 1
//	entries    20 bytes each: place and length of the text, row, weight, score
//	texts      of the tokens, one after the other
//	rows       of numbers, dim each
//
// The slots are a hash table with open addressing, at most half full, at most
// maxProbes from where a token belongs. Sections begin at multiples of 64.
const (
	staticMagic   = "orihonSE"
	staticVersion = 1
	headerSize    = 128
	slotSize      = 8
	entrySize     = 20
	maxProbes     = 512
	noRow         = math.MaxUint32 // of tokens that stand for the unknown
)

// Kinds of numbers in rows.
const (
	rowF32 = 1
	rowF16 = 2
	rowI8  = 3
)

// rowKindSize is the size of a number, 0 for other kinds.
var rowKindSize = map[uint32]int64{rowF32: 4, rowF16: 2, rowI8: 1}

type section struct{ at, size int64 }

// staticHeader is the first block of a compiled model.
type staticHeader struct {
	dim, kind, rows, entries, slots uint32

	cutting, charsmap, slotTable, entryTable, texts, rowTable section

	source [12]byte // beginning of the SHA-256 over what it was made of
}

func (h *staticHeader) sections() []*section {
	return []*section{&h.cutting, &h.charsmap, &h.slotTable, &h.entryTable, &h.texts, &h.rowTable}
}

func (h *staticHeader) encode() []byte {
	le := binary.LittleEndian
	b := append(make([]byte, 0, headerSize), staticMagic...)
	for _, x := range []uint32{staticVersion, h.dim | h.kind<<24, h.rows, h.entries} {
		b = le.AppendUint32(b, x)
	}
	b = append(b, h.source[:]...)
	b = le.AppendUint32(b, h.slots)
	for _, s := range h.sections() {
		b = le.AppendUint64(b, uint64(s.at))
	}
	for _, s := range []*section{&h.cutting, &h.charsmap, &h.texts} {
		b = le.AppendUint64(b, uint64(s.size))
	}
	b = append(b, make([]byte, headerSize-4-len(b))...)
	return le.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func badModel(format string, args ...any) error {
	return fmt.Errorf("%w compiled model: %s: add it again", memory.ErrInvalid, fmt.Sprintf(format, args...))
}

// decodeHeader reads the header of a file of the given size and checks that
// every section lies within it.
func decodeHeader(b []byte, size int64) (*staticHeader, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < headerSize || string(b[:8]) != staticMagic:
		return nil, badModel("it is none")
	case le.Uint32(b[8:]) != staticVersion:
		return nil, badModel("it has format %d, want %d", le.Uint32(b[8:]), staticVersion)
	case crc32.ChecksumIEEE(b[:headerSize-4]) != le.Uint32(b[headerSize-4:]):
		return nil, badModel("its header is damaged")
	}
	h := &staticHeader{
		dim: le.Uint32(b[12:]) & 0xffffff, kind: le.Uint32(b[12:]) >> 24,
		rows: le.Uint32(b[16:]), entries: le.Uint32(b[20:]), slots: le.Uint32(b[36:]),
	}
	copy(h.source[:], b[24:36])
	at := b[40:]
	for _, s := range h.sections() {
		s.at = int64(le.Uint64(at) & math.MaxInt64)
		at = at[8:]
	}
	for _, s := range []*section{&h.cutting, &h.charsmap, &h.texts} {
		s.size = int64(le.Uint64(at) & math.MaxInt64)
		at = at[8:]
	}
	if h.dim == 0 || h.dim > maxDimensions || rowKindSize[h.kind] == 0 || h.rows == 0 || h.entries == 0 || h.slots == 0 || h.slots&(h.slots-1) != 0 {
		return nil, badModel("its header contradicts itself")
	}
	h.slotTable.size, h.entryTable.size = int64(h.slots)*slotSize, int64(h.entries)*entrySize
	h.rowTable.size = int64(h.rows) * int64(h.dim) * rowKindSize[h.kind]
	for _, s := range h.sections() {
		if s.at > size || s.size > size-s.at {
			return nil, badModel("it is cut off")
		}
	}
	return h, nil
}

// table is an open compiled model.
type table struct {
	*staticHeader
	file fileView
	cut  cutting
	cmap charsmap
}

// fileView gives bytes of a file; what it gives must not be changed.
type fileView interface {
	// view is the n bytes at a place within the file; nil when they cannot be
	// read.
	view(at, n int64) []byte
	size() int64
	Close() error
}

func openTable(f fileView) (*table, error) {
	h, err := decodeHeader(f.view(0, min(headerSize, f.size())), f.size())
	if err != nil {
		return nil, err
	}
	t := &table{staticHeader: h, file: f}
	if json.Unmarshal(f.view(h.cutting.at, h.cutting.size), &t.cut) != nil ||
		len(t.cut.Normalize)+len(t.cut.Split) > maxSteps || t.cut.Longest < 0 || t.cut.Longest > maxTokenBytes {
		return nil, badModel("how it cuts texts cannot be read")
	}
	if h.charsmap.size > 0 {
		if t.cmap, err = openCharsmap(f.view(h.charsmap.at, h.charsmap.size)); err != nil {
			return nil, badModel("its charsmap is damaged")
		}
	}
	return t, nil
}

// sourceID names what the model was compiled from.
func (h *staticHeader) sourceID() string { return hex.EncodeToString(h.source[:6]) }

// entry is what is known of a token.
type entry struct {
	text   []byte
	row    uint32
	weight float32
	score  float32
}

// entry gives the fields of an entry; false when it is damaged.
func (t *table) entry(i int) (e entry, ok bool) {
	if i < 0 || uint32(i) >= t.entries {
		return e, false
	}
	b := t.file.view(t.entryTable.at+int64(i)*entrySize, entrySize)
	if b == nil {
		return e, false
	}
	le := binary.LittleEndian
	at, n := int64(le.Uint32(b)), int64(le.Uint32(b[4:]))
	if n > maxTokenBytes || at+n > t.texts.size {
		return e, false
	}
	e.text = t.file.view(t.texts.at+at, n)
	e.row = le.Uint32(b[8:])
	e.weight, e.score = math.Float32frombits(le.Uint32(b[12:])), math.Float32frombits(le.Uint32(b[16:]))
	return e, true
}

// at finds the entry of a token whose hash is known.
func (t *table) at(hash uint64, text []byte) (int, bool) {
	mask := uint64(t.slots - 1)
	for probe := range uint64(maxProbes) {
		b := t.file.view(t.slotTable.at+int64((hash+probe)&mask)*slotSize, slotSize)
		if b == nil {
			return 0, false
		}
		n := binary.LittleEndian.Uint32(b[4:])
		if n == 0 {
			return 0, false
		}
		if binary.LittleEndian.Uint32(b) != uint32(hash>>32) {
			continue
		}
		if e, ok := t.entry(int(n - 1)); ok && string(e.text) == string(text) {
			return int(n - 1), true
		}
	}
	return 0, false
}

func (t *table) find(token []byte) (int, bool) { return t.at(hashBytes(hashBegin, token), token) }

func (t *table) prefixes(s string, fn func(length, entry int)) {
	b, hash := []byte(s[:min(len(s), t.cut.Longest)]), uint64(hashBegin)
	for n := range b {
		hash = hashBytes(hash, b[n:n+1])
		if e, ok := t.at(hash, b[:n+1]); ok {
			fn(n+1, e)
		}
	}
}

func (t *table) score(i int) float64 {
	e, _ := t.entry(i)
	return float64(e.score)
}
