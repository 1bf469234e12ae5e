package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"orihon/internal/chunk"
	"orihon/memory"
)

// partBytes is how much text is handed over at a time.
const partBytes = 2 << 20

// settled is the age from which a file's time tells whether it was written
// again: clocks of file systems may tick slowly.
const settled = 2 * time.Second

// What the mark of a file may end in.
const (
	// leftOut comes before the reason why nothing of a file is kept.
	leftOut = "/left out: "
	// young says that a file was read so soon after it was written that its
	// time says nothing.
	young = "/young"
)

// age is the end of the mark of a file with this time.
func (w *walk) age(changed time.Time) string {
	if ago := w.Now().Sub(changed); -settled < ago && ago < settled {
		return young
	}
	return ""
}

// same counts a file that is as the index has it.
func (w *walk) same(rel string, reason Reason) {
	if reason != "" {
		w.skip(rel, reason)
		return
	}
	w.report.Unchanged++
}

// file reads a file if it changed.
func (w *walk) file(rel string, e fs.DirEntry) error {
	if w.files++; w.Step != nil {
		w.Step(w.files)
	}
	info, err := e.Info()
	if err != nil {
		w.lose(rel)
		return nil
	}
	if info.Size() > w.most {
		w.skip(rel, TooLarge)
		return nil
	}
	known := w.known[rel]
	if known != nil && known.Size == info.Size() && known.MTime.Equal(info.ModTime()) {
		if why, left := strings.CutPrefix(known.Mark, w.mark+leftOut); left && !strings.HasSuffix(why, young) {
			w.seen[rel] = true
			w.same(rel, Reason(why))
			return nil
		}
		if known.Mark == w.mark {
			w.seen[rel] = true
			w.same(rel, "")
			return nil
		}
	}
	raw, info, err := w.read(rel)
	if err != nil {
		w.lose(rel)
		return nil
	}
	f := memory.File{Path: rel, Kind: FileKind, Size: info.Size(), MTime: info.ModTime(), Hash: sum(raw), Offset: int64(len(raw)), Mark: w.mark}
	w.seen[rel] = true
	reason := unreadable(rel, raw)
	if reason != "" {
		f.Mark += leftOut + string(reason)
	}
	same := known != nil && known.Hash == f.Hash && strings.TrimSuffix(known.Mark, young) == f.Mark
	f.Mark += w.age(f.MTime)
	w.batch.Files = append(w.batch.Files, f)
	if same {
		w.same(rel, reason)
		return nil
	}
	if known != nil {
		w.batch.Replace = append(w.batch.Replace, rel)
	}
	if reason != "" {
		w.skip(rel, reason)
		return nil
	}
	w.report.Read++
	w.report.Bytes += int64(len(raw))
	w.batch.Put = append(w.batch.Put, w.passages(rel, raw, info.ModTime())...)
	if w.bytes += int64(len(raw)); w.bytes >= partBytes {
		return w.flush()
	}
	return nil
}

// read reads a file with the size and time it had then.
func (w *walk) read(rel string) ([]byte, fs.FileInfo, error) {
	f, err := w.root.Open(filepath.FromSlash(rel))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: %w", rel, fs.ErrInvalid)
	}
	raw, err := io.ReadAll(io.LimitReader(f, w.most+1))
	if err == nil && int64(len(raw)) > w.most {
		err = fmt.Errorf("%s: it grew: %w", rel, fs.ErrInvalid)
	}
	return raw, info, err
}

func sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// idPrefix begins the ID of a passage; the file and a hash of the text follow.
const idPrefix = "file:"

// FileOf is the file of the passage with an ID, as in [memory.File.Path].
func FileOf(id string) string {
	id = strings.TrimPrefix(id, idPrefix)
	return id[:max(0, strings.LastIndexByte(id, '#'))]
}

// passages cuts a file. The text has been cleaned before, so that a secret that
// reaches over the end of a chunk is found as well.
func (w *walk) passages(rel string, raw []byte, changed time.Time) []memory.Passage {
	text := string(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	text = w.Redact(text)
	var out []memory.Passage
	times := make(map[string]int)
	for _, c := range chunk.Split(rel, text) {
		heading := rel
		if c.Heading != "" {
			heading += " › " + c.Heading
		}
		id := idPrefix + rel + "#" + sum([]byte(c.Text))[:8]
		// The same text may stand in a file more than once.
		if times[id]++; times[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, times[id])
		}
		out = append(out, memory.Passage{
			ID: id, Source: rel, Line: c.Line, EndLine: c.End, Heading: heading, Population: memory.Documents,
			Item: memory.Item{
				ID: id, Kind: memory.Note, Content: c.Text, Scope: memory.Shared,
				Metadata: memory.Metadata{UpdatedAt: changed.UTC(), Confidence: memory.InferredConfidence},
			},
		})
	}
	return out
}

// unreadable says by what a file holds why it is left out.
func unreadable(rel string, raw []byte) Reason {
	const looked = 8000 // bytes, as git does
	switch head := raw[:min(len(raw), looked)]; {
	case bytes.IndexByte(head, 0) >= 0:
		return Binary
	case !utf8.Valid(raw):
		return Encoding
	case generated(head):
		return Generated
	}
	return machineMade(rel, raw)
}
