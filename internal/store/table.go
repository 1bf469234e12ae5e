package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"orihon/internal/jsonl"
)

// tables remember where the items of the ledgers stand, so that a process that
// writes often need not read whole ledgers each time. They are a hint: what
// they point to is read and checked, and when anything does not fit the ledger
// is read from its beginning.
type tables struct {
	mu    sync.Mutex
	looks int // how often was looked before; see worth
	of    map[string]*table
}

// table is what is known of one ledger.
type table struct {
	info os.FileInfo
	end  int64  // behind the last line that was read
	tail []byte // the bytes before end
	at   map[string]lines
}

// lines are the offsets of the lines that say how an item stands: its latest
// version and, unless it is negative, the one that retired it.
type lines struct{ version, retired int64 }

// tailSize is how many bytes before the end must be as they were for a ledger
// to count as only appended to.
const tailSize = 128

// worth reports whether a table pays: a process that looks once, as a command
// does, is faster reading through.
func (t *tables) worth() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.looks++
	return t.looks > 1
}

// lookUp finds the wanted IDs in one ledger. It reports false when the ledger
// must be read instead.
func (t *tables) lookUp(ctx context.Context, e *entry, wanted map[string]bool) (map[string]place, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = make(map[string]*table)
	}
	f, err := jsonl.Open(e.file)
	if errors.Is(err, fs.ErrNotExist) {
		delete(t.of, e.file)
		return nil, true
	}
	if err != nil {
		return nil, false
	}
	defer f.Close()
	now, err := t.current(ctx, e, f)
	if err != nil {
		delete(t.of, e.file)
		return nil, false
	}
	out := make(map[string]place)
	for id := range wanted {
		at, ok := now.at[id]
		if !ok {
			continue
		}
		p, ok := placeAt(e, f, id, at)
		if !ok {
			delete(t.of, e.file)
			return nil, false
		}
		out[id] = p
	}
	return out, true
}

// current brings the table of a ledger up to date with its file.
func (t *tables) current(ctx context.Context, e *entry, f *os.File) (*table, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	known := t.of[e.file]
	if known == nil || !os.SameFile(known.info, info) || info.Size() < known.end || !known.fits(f) {
		known = &table{at: make(map[string]lines)}
	}
	if info.Size() > known.end {
		if err := known.read(ctx, e.file); err != nil {
			return nil, err
		}
		if known.tail, err = tailOf(f, known.end); err != nil {
			return nil, err
		}
	}
	known.info = info
	t.of[e.file] = known
	return known, nil
}

func (k *table) fits(f *os.File) bool {
	tail, err := tailOf(f, k.end)
	return err == nil && bytes.Equal(tail, k.tail)
}

func tailOf(f *os.File, end int64) ([]byte, error) {
	tail := make([]byte, min(end, tailSize))
	_, err := f.ReadAt(tail, end-int64(len(tail)))
	return tail, err
}

func (k *table) read(ctx context.Context, file string) (err error) {
	k.end, err = jsonl.Read(file, k.end, func(line []byte, offset int64, _ int) error {
		id, retires, ok := idOf(line)
		if !ok {
			return ctx.Err()
		}
		at, known := k.at[id]
		switch {
		case !retires:
			k.at[id] = lines{version: offset, retired: -1}
		case known:
			at.retired = offset
			k.at[id] = at
		}
		return ctx.Err()
	})
	return err
}

// placeAt reads how an item stands from the lines that say so.
func placeAt(e *entry, f *os.File, id string, at lines) (place, bool) {
	raw, err := lineAt(f, at.version)
	if err != nil {
		return place{}, false
	}
	rec, _, err := parseLine(raw, e.root.Scope)
	if err != nil || rec.ID != id || rec.Op != "" {
		return place{}, false
	}
	p := place{entry: *e, item: rec.Item, raw: raw}
	if at.retired < 0 {
		return p, true
	}
	gone, err := lineAt(f, at.retired)
	if err != nil {
		return place{}, false
	}
	end, _, err := parseLine(gone, e.root.Scope)
	p.retired, p.archived, p.why = true, end.archives(), end.Why
	return p, err == nil && end.ID == id && end.Op == "retire"
}

// lineAt reads the line that begins at an offset, without its newline.
func lineAt(f *os.File, offset int64) ([]byte, error) {
	buf := make([]byte, 0, 1<<10)
	for {
		at := len(buf)
		buf = append(buf, make([]byte, cap(buf)-at)...)
		n, err := f.ReadAt(buf[at:], offset+int64(at))
		if i := bytes.IndexByte(buf[at:at+n], '\n'); i >= 0 {
			return bytes.TrimSuffix(buf[:at+i], []byte{'\r'}), nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) && at+n > 0 {
				return buf[:at+n], nil
			}
			return nil, err
		}
		buf = append(make([]byte, 0, 4*len(buf)), buf[:at+n]...)
	}
}
