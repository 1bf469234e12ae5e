package store

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// readerVersion changes whenever the same text would be read into other
// passages, so that files known from before are read again.
const readerVersion = 5

// mark is what the store keeps in [memory.File.Mark]: how to go on reading,
// and what other files need to know of this one.
type mark struct {
	V     int    `json:"v"`
	Lines int    `json:"n,omitempty"` // before Offset
	Tail  string `json:"t,omitempty"` // hash of the last tailBytes before Offset
	State []byte `json:"s,omitempty"` // SHA-256 after Offset bytes, to go on from

	Pairs []pair `json:"p,omitempty"` // supersessions that the file's live items state

	// Owed are items whose passages may want putting again because of a
	// supersession that Quick saw without knowing where they stand; the next
	// Full pays.
	Owed []string `json:"w,omitempty"`

	Atom     string `json:"a,omitempty"` // ID of the atom
	Shadowed bool   `json:"d,omitempty"` // another file has that ID

	// Covered are the sessions of a daily log, and whether a journal had them.
	Covered map[string]bool `json:"c,omitempty"`

	// Waits are the hashes of what the person was to be asked about in the file when
	// it was read, see [Store.Waiting], and Epoch the state of what was accepted then, see [Foreign].
	Waits []string `json:"u,omitempty"`
	Epoch string   `json:"e,omitempty"`

	// Torn is the line in which a merge conflict begins, for which nothing of the file
	// is read; 0 without one.
	Torn int `json:"m,omitempty"`

	// Off are the rules about secrets that were switched off when a Markdown
	// file was read.
	Off string `json:"o,omitempty"`

	// Bare says that an atom was given no ID because many others were.
	Bare bool `json:"b,omitempty"`

	// Young says that the file had just been written when it was read: a
	// second change within the grain of its time would not show.
	Young bool `json:"y,omitempty"`
}

// tailBytes is how much of a ledger before the known offset is compared to see
// that it only grew.
const tailBytes = 4 << 10

// grain is the coarsest file time in use, that of FAT.
const grain = 2 * time.Second

func (m *mark) encode() (string, error) {
	m.V = readerVersion
	b, err := jsonl.Encode(m)
	return string(b), err
}

// decodeMark returns nil when the mark is not ours or of another version: the
// file is then read whole.
func decodeMark(s string) *mark {
	var m mark
	if json.Unmarshal([]byte(s), &m) != nil || m.V != readerVersion {
		return nil
	}
	return &m
}

// off names the rules about secrets that are switched off.
func (s *Store) off() string { return strings.Join(s.redactor.Off(), ",") }

// young reports whether a file may change without a change of its time.
func (s *Store) young(e *entry) bool {
	age := s.now().Sub(e.info.ModTime())
	return age < grain && age > -grain
}

func unchanged(e *entry, f *memory.File) bool {
	return f != nil && e.info.Size() == f.Size && e.info.ModTime().Equal(f.MTime)
}

// tailHash is the fingerprint of the bytes before an offset.
func tailHash(f io.ReaderAt, offset int64) (string, error) {
	buf := make([]byte, min(offset, tailBytes))
	if _, err := f.ReadAt(buf, offset-int64(len(buf))); err != nil {
		return "", err
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:16]), nil
}

// resume returns the hash over what was read of a file before, if that is
// still what stands there; nil means to read the file whole. Quick compares the
// last bytes, Full all of them.
func (y *catchUp) resume(file *os.File, size int64, known *memory.File, m *mark) (hash.Hash, error) {
	if known == nil || m == nil || size < known.Offset {
		return nil, nil
	}
	h := sha256.New()
	if y.depth == memory.FullLook {
		if _, err := io.Copy(h, io.NewSectionReader(file, 0, known.Offset)); err != nil {
			return nil, err
		}
		if hex.EncodeToString(h.Sum(nil)) != known.Hash {
			return nil, nil
		}
		return h, nil
	}
	tail, err := tailHash(file, known.Offset)
	if err != nil || tail != m.Tail {
		return nil, err
	}
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(m.State); err != nil {
		return nil, nil
	}
	return h, nil
}

// lineCounter counts the lines that pass through.
type lineCounter int

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

// finish adds the bytes [from, end) to the hash and notes in the mark all that
// the next reading needs.
func (m *mark) finish(file *os.File, h hash.Hash, from, end int64) (sum string, err error) {
	var lines lineCounter
	if _, err := io.Copy(io.MultiWriter(h, &lines), io.NewSectionReader(file, from, end-from)); err != nil {
		return "", err
	}
	m.Lines += int(lines)
	if m.Tail, err = tailHash(file, end); err != nil {
		return "", err
	}
	if m.State, err = h.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
		return "", fmt.Errorf("save hash: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
