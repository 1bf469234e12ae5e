package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// readLog reads the end of an append-only file, or all of it when it is not
// known or was changed elsewhere than at its end.
func (y *catchUp) readLog(e *entry, known *memory.File, m *mark, force bool) (*reading, error) {
	if y.depth == memory.FullLook {
		if err := y.repair(e); err != nil {
			return nil, err
		}
	}
	file, err := jsonl.Open(e.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errGone
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if e.info, err = file.Stat(); err != nil {
		return nil, err
	}
	r := &reading{entry: *e}
	h, err := resume(file, e.info.Size(), known, m, y.depth)
	if err != nil {
		return nil, err
	}
	from := int64(0)
	if h == nil || force {
		h, r.whole, r.again = sha256.New(), true, known != nil
	} else {
		from, r.mark = known.Offset, *m
		r.mark.Pairs = slices.Clone(m.Pairs)
	}
	if y.depth == memory.QuickLook && e.info.Size()-from > maxUnsynced {
		return y.readLatest(r, file)
	}
	if r.mark.Owed = nil; y.depth == memory.QuickLook && m != nil {
		r.mark.Owed = m.Owed
	}
	var end int64
	if e.kind == kindUsage {
		end, err = y.readUses(r, from)
	} else {
		end, err = y.readItems(r, from)
	}
	if err != nil {
		return nil, err
	}
	if r.whole {
		r.mark.Lines = 0
	}
	sum, err := r.mark.finish(file, h, from, end)
	if err != nil {
		return nil, err
	}
	r.mark.Young = y.young(e)
	r.file = memory.File{Path: e.path, Kind: e.kind, Size: e.info.Size(), MTime: e.info.ModTime(), Hash: sum, Offset: end}
	r.same = !r.whole && end == from
	if r.same && unchanged(e, known) && r.mark.Young == m.Young && len(r.mark.Owed) == len(m.Owed) {
		return nil, nil
	}
	return r, nil
}

// readLatest reads no more than the last of what Quick does not know of a
// ledger: a search that waits for it cannot wait for all. Nothing is taken off
// what the index has of the file, and the next Full reads it.
func (y *catchUp) readLatest(r *reading, file *os.File) (*reading, error) {
	y.problems = append(y.problems, memory.Problem{Path: r.entry.path, Later: true, Text: fmt.Sprintf("has grown by more than %d KB since the last sync: only the latest of it is searched until the next one", maxUnsynced>>10)})
	if r.entry.kind == kindUsage {
		return nil, nil
	}
	tail := make([]byte, maxUnsynced)
	start := r.entry.info.Size() - maxUnsynced
	n, err := file.ReadAt(tail, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	i := bytes.IndexByte(tail[:n], '\n')
	if i < 0 {
		return nil, nil // one line larger than that
	}
	l, err := readLedger(&r.entry, start+int64(i)+1, 0, nil)
	if err != nil {
		return nil, err
	}
	for _, id := range l.order {
		if v := l.versions[id]; !v.archived {
			v.line = 0 // how many lines stand before is not known
			r.passages = append(r.passages, v.passage(&r.entry))
		}
	}
	for id, rec := range l.loose {
		if rec.Op == "retire" {
			y.batch.Remove = append(y.batch.Remove, id)
		}
	}
	bound(r.passages, 1)
	y.batch.Put = append(y.batch.Put, r.passages...)
	return nil, nil
}

// repair cuts a torn last line off, which a crash leaves.
func (y *catchUp) repair(e *entry) error {
	aside, err := jsonl.Repair(e.file)
	if err != nil {
		return err
	}
	if aside != "" {
		y.log.Warn("cut off a torn last line", "file", e.file, "aside", aside)
		y.problems = append(y.problems, memory.Problem{Path: e.path, Text: "had a torn last line, as a crash leaves it: it was moved to " + filepath.Base(aside)})
	}
	return nil
}

// readItems reads the passages of a ledger from an offset on.
func (y *catchUp) readItems(r *reading, from int64) (end int64, err error) {
	l, err := readLedger(&r.entry, from, r.mark.Lines, nil)
	if err != nil {
		return 0, err
	}
	y.problems = append(y.problems, l.problems...)
	if !r.whole && len(l.loose) > 0 {
		if err := l.fetchLoose(&r.entry); err != nil {
			return 0, err
		}
	}
	if r.mark.Epoch = y.epochs[r.entry.root.Name]; r.whole {
		r.mark.Waits = nil
	}
	defer func() { y.problems = append(y.problems, bound(r.passages, 1)...) }()
	r.mark.Pairs = slices.DeleteFunc(r.mark.Pairs, func(p pair) bool { return l.versions[p.By] != nil })
	for _, id := range l.order {
		v := l.versions[id]
		if v.waits != "" {
			r.mark.Waits = append(r.mark.Waits, v.waits)
		}
		if !v.archived {
			r.passages = append(r.passages, v.passage(&r.entry))
		} else if !r.whole {
			r.left = append(r.left, v.item.ID)
		}
		// What an archived item replaced stays replaced.
		if p, ok := pairOf(&v.item); ok && (!v.retired || v.archived) {
			r.mark.Pairs = append(r.mark.Pairs, p)
		}
	}
	return l.end, nil
}

// fetchLoose reads the items that the end of a ledger retires but does not hold.
func (l *ledger) fetchLoose(e *entry) error {
	wanted := make(map[string]bool, len(l.loose))
	for id := range l.loose {
		wanted[id] = true
	}
	before, err := readLedger(e, 0, 0, lineFilter(wanted))
	if err != nil {
		return err
	}
	for _, id := range before.order {
		if wanted[id] {
			l.order = append(l.order, id)
			l.versions[id] = before.versions[id]
		}
	}
	return nil
}
