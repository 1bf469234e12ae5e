package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"orihon/internal/jsonl"
)

const (
	fileName     = "journal.jsonl"
	unsyncedName = ".unsynced"
	purgesName   = ".purges"
)

// Options tune a journal. Nil means the zero value.
type Options struct {
	// Now dates events that come without a time; nil is the system's clock.
	Now func() time.Time
	// Logger hears of torn and broken lines; nil discards.
	Logger *slog.Logger

	// write replaces jsonl.Append in tests of failing disks.
	write func(ctx context.Context, path string, o *jsonl.Options, lines ...[]byte) (int64, error)
	// rewrite and remove replace jsonl.Rewrite and os.Remove in them.
	rewrite func(path string, fill func(io.Writer) error) error
	remove  func(path string) error
}

// Journal is an open journal. It holds no file open and needs no closing. Its
// methods may be called by several goroutines, and several processes may have
// the same journal open.
type Journal struct {
	dir string
	o   Options

	mu    sync.Mutex // guards state
	state state

	replay sync.Mutex // guards cursor
	cursor *cursor
}

// Open opens the journal in dir, the folder of one session, which need not
// exist: the first Append creates it.
func Open(dir string, o *Options) (*Journal, error) {
	j := &Journal{dir: dir}
	if o != nil {
		j.o = *o
	}
	if j.o.Now == nil {
		j.o.Now = time.Now
	}
	if j.o.Logger == nil {
		j.o.Logger = slog.New(slog.DiscardHandler)
	}
	if j.o.write == nil {
		j.o.write = jsonl.Append
	}
	if j.o.rewrite == nil {
		j.o.rewrite = jsonl.Rewrite
	}
	if j.o.remove == nil {
		j.o.remove = os.Remove
	}
	from, err := j.origin()
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	if !from.info.Mode().IsRegular() {
		return nil, fmt.Errorf("open journal %s: not a regular file", j.Path())
	}
	if from.packed { // how long it is shows when it is read
		return j, j.state.readWhole(j.Path(), from)
	}
	return j, j.state.advance(j.Path(), from, from.info.Size(), false)
}

// Folder is the folder of the journal at a path, which names the folder or the
// journal's file.
func Folder(path string) string {
	if slices.Contains(Names(), filepath.Base(path)) {
		return filepath.Dir(path)
	}
	return path
}

// Dir is the folder of the journal.
func (j *Journal) Dir() string { return j.dir }

// Last is the sequence number and the iteration of the last event this handle
// knows of; both are 0 for an empty journal.
func (j *Journal) Last() (seq int64, iter int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.seq, j.state.iter
}

// Sync waits until everything that was appended, by whichever process, is on
// disk.
func (j *Journal) Sync() error {
	list := filepath.Join(j.dir, "io", unsyncedName)
	unlock, err := j.lock(context.Background())
	if err != nil {
		return err
	}
	names, err := jsonl.ReadFile(list)
	unlock()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	paths := []string{j.Path()}
	for name := range strings.FieldsSeq(string(names)) {
		if isHash(name) {
			paths = append(paths, filepath.Join(j.dir, "io", name))
		}
	}
	// Without the lock: other writers need not wait for the disk.
	if err := jsonl.Sync(paths...); err != nil {
		return err
	}
	if len(names) == 0 {
		return nil
	}
	if unlock, err = j.lock(context.Background()); err != nil {
		return err
	}
	defer unlock()
	// What was added to the list meanwhile is for the next Sync.
	if now, err := jsonl.ReadFile(list); err == nil && len(now) == len(names) {
		return os.Remove(list)
	}
	return nil
}

// Append writes the events in order and returns those it wrote, each with its
// Seq, Iter and TS (kept when set, else now) and with its payload as it stands
// in the journal. An event is passed over when its identity was appended by
// this handle or stands in the last 64 KiB of the journal. That is enough for
// hooks; whoever replays a whole transcript uses [Journal.AppendExact].
//
// All events are written or none. An event without a type or with a payload
// that is not JSON is refused with [memory.ErrInvalid].
func (j *Journal) Append(ctx context.Context, events ...Event) (appended []Event, err error) {
	return j.append(ctx, false, events)
}

// AppendExact is Append that passes over every event whose identity stands
// anywhere in the journal. The first call reads it whole.
func (j *Journal) AppendExact(ctx context.Context, events ...Event) (appended []Event, err error) {
	return j.append(ctx, true, events)
}

func (j *Journal) append(ctx context.Context, exact bool, events []Event) ([]Event, error) {
	checked, err := cleanAll(events)
	if err != nil || len(checked) == 0 {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	unlock, err := j.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := j.catchUp(ctx, exact); err != nil {
		return nil, err
	}

	next := j.state // its map is only added to when the lines are written
	fresh := map[identity]bool{}
	var out []Event
	var lines [][]byte
	var bodies bodies
	for _, e := range checked {
		id := identity{e.Type, e.ID}
		if e.ID != "" && (next.seen.has(e) || fresh[id]) {
			continue
		}
		fresh[id] = true
		next.place(&e)
		if e.TS.IsZero() {
			e.TS = j.o.Now()
		}
		e.TS = e.TS.UTC().Round(0)
		e.Payload = bodies.pack(e.Payload)
		line, err := encode(e)
		if err != nil {
			return nil, fmt.Errorf("append %s %s to %s: %w", e.Type, e.ID, j.Path(), err)
		}
		lines, out = append(lines, line), append(out, e)
	}
	if len(lines) == 0 {
		return nil, nil
	}
	if err := j.store(ctx, bodies); err != nil {
		return nil, err
	}
	offset, err := j.o.write(ctx, j.Path(), j.lineOptions(), lines...)
	if err != nil {
		return nil, err
	}

	next.end = offset
	for _, l := range lines {
		next.end += int64(len(l)) + 1
	}
	for _, e := range out {
		next.seen.add(e)
	}
	if next.from.info == nil {
		// Without it the next Append reads the journal anew, which is only slower.
		next.from, _ = j.origin()
	}
	j.state = next
	return out, nil
}

// catchUp unpacks and repairs the journal and reads what others have appended. The caller
// holds both locks.
func (j *Journal) catchUp(ctx context.Context, exact bool) error {
	if err := j.unpack(); err != nil {
		return err
	}
	end, err := jsonl.Append(ctx, j.Path(), j.lineOptions())
	if err != nil {
		return err
	}
	from, err := j.origin()
	if errors.Is(err, fs.ErrNotExist) {
		j.state = state{}
		return nil
	}
	if err != nil {
		return err
	}
	return j.state.advance(j.Path(), from, end, exact)
}
