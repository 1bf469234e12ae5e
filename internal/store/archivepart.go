package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// partSuffix ends the name of a compressed part of an archive.
const partSuffix = ".jsonl.gz"

// archivedAs is the key that a line of an archive has beyond those of a
// ledger's.
const archivedAs = "archived"

// leftAs is how an item left.
type leftAs struct {
	At     time.Time `json:"at,omitzero"`
	Why    string    `json:"why,omitempty"`
	From   string    `json:"from"` // as [memory.File.Path]
	Model  string    `json:"model,omitempty"`
	Vector []byte    `json:"vector,omitempty"` // one signed byte a dimension
}

// archived is a line of a compressed part.
type archived struct {
	V int `json:"v"`
	memory.Item
	Archived leftAs `json:"archived"`

	raw  []byte
	path string // of the part, as [memory.File.Path]
}

// ledger is the name of the ledger that the item stood in.
func (a *archived) ledger(r *Root) string {
	name := strings.TrimPrefix(a.Archived.From, r.Name+"/")
	if !isLedger(name) {
		return ""
	}
	return name
}

// encodeArchived is a ledger's line with the circumstances beside it: copied
// into a ledger by hand it is a version of the item.
func encodeArchived(p *place, l *memory.Leaving, at time.Time) ([]byte, error) {
	rec := archived{V: ledgerVersion, Item: p.item, Archived: leftAs{
		At: at, Why: l.Why, From: p.entry.path, Model: l.Vector.Model, Vector: quantize(l.Vector.Values),
	}}
	line, err := jsonl.Encode(&rec)
	if err != nil {
		return nil, err
	}
	return withForeign(line, p.raw, archivedAs), nil
}

// quantize keeps a byte of every dimension. The length is lost, which cosine
// does not look at.
func quantize(v []float32) []byte {
	var most float64
	for _, x := range v {
		most = math.Max(most, math.Abs(float64(x)))
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return nil
	}
	out := make([]byte, len(v))
	for i, x := range v {
		out[i] = byte(int8(math.Round(float64(x) / most * math.MaxInt8)))
	}
	return out
}

// unitOf undoes quantize, as a unit vector.
func unitOf(q []byte) []float32 {
	var sum float64
	for _, b := range q {
		sum += float64(int8(b)) * float64(int8(b))
	}
	if sum == 0 {
		return nil
	}
	out := make([]float32, len(q))
	for i, b := range q {
		out[i] = float32(float64(int8(b)) / math.Sqrt(sum))
	}
	return out
}

func compress(lines [][]byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if _, err := z.Write(append(line, '\n')); err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return out.Bytes(), err
}

// partLines reads the lines of a compressed part as far as it can be read.
func partLines(file string, fn func(line []byte)) error {
	f, err := jsonl.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(z, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			fn(line)
		}
		if err != nil {
			return nil
		}
	}
}

// parts lists the compressed parts of a root, oldest first. Only a private root
// has any: what a repository brings is not unpacked.
func parts(r *Root) []entry {
	if r.Notes || !r.Scope.Private() {
		return nil
	}
	dir := filepath.Join(r.Dir, archiveDir)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []entry
	for _, f := range files {
		if f.Type().IsRegular() && strings.HasSuffix(f.Name(), partSuffix) && !hidden(f.Name()) {
			out = append(out, entry{root: r, path: r.Name + "/" + archiveDir + "/" + f.Name(), file: filepath.Join(dir, f.Name()), kind: kindArchive})
		}
	}
	return out
}

// readParts reads the compressed parts of a root: of every item the latest
// record, in the order in which they first left. What cannot be read is named
// and the rest goes on.
func readParts(r *Root) (out []archived, problems []error) {
	at := make(map[string]int)
	for _, e := range parts(r) {
		number := 0
		err := partLines(e.file, func(line []byte) {
			number++
			rec, err := parseArchived(line, r.Scope)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s:%d: %w", e.path, number, err))
				return
			}
			rec.path = e.path
			if i, known := at[rec.ID]; known {
				out[i] = rec
				return
			}
			at[rec.ID] = len(out)
			out = append(out, rec)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, fmt.Errorf("%s: cannot be read after line %d (%s): what its items said stands in the ledgers still", e.path, number, oneLine(err.Error())))
		}
	}
	return out, problems
}

func parseArchived(line []byte, scope memory.Scope) (archived, error) {
	var rec archived
	switch err := json.Unmarshal(line, &rec); {
	case err != nil:
		return rec, fmt.Errorf("is not a line of an archive (%s)", oneLine(err.Error()))
	case rec.V > ledgerVersion:
		return rec, fmt.Errorf("was written by a newer version (format %d, this one reads %d): update this program", rec.V, ledgerVersion)
	}
	rec.Scope = scope
	if err := check(&rec.Item); err != nil {
		return rec, err
	}
	rec.Item, rec.raw = normal(rec.Item), bytes.Clone(line)
	return rec, nil
}

// archivedAtoms lists the Markdown below the folders of months.
func archivedAtoms(r *Root) []entry {
	if r.Notes {
		return nil
	}
	dir := filepath.Join(r.Dir, archiveDir)
	months, err := os.ReadDir(dir)
	if err != nil || confined(r.Dir, dir) != nil {
		return nil
	}
	var out []entry
	for _, month := range months {
		if _, err := time.Parse(monthLayout, month.Name()); err != nil || !month.IsDir() {
			continue
		}
		in := Root{Name: path.Join(r.Name, archiveDir, month.Name()), Dir: filepath.Join(dir, month.Name()), Scope: r.Scope}
		found, _ := walkMarkdown(&in)
		for _, e := range found {
			e.root = r
			out = append(out, e)
		}
	}
	return out
}

// asItStood is an archived atom as it is read where it stood: its path may be part of
// its ID.
func (e entry) asItStood() *entry {
	e.path = e.root.Name + "/" + filepath.ToSlash(withoutMonth(e.root, &e))
	return &e
}

// withoutMonth is where an archived atom stood, relative to its root.
func withoutMonth(r *Root, e *entry) string {
	rel := strings.TrimPrefix(e.path, r.Name+"/"+archiveDir+"/")
	_, rel, _ = strings.Cut(rel, "/")
	return filepath.FromSlash(rel)
}
