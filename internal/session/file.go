package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Options are the choices of this package; nil means all defaults.
type Options struct {
	Now    func() time.Time // nil is time.Now
	Logger *slog.Logger     // nil discards

	// Reuse is the age up to which a new session takes over one that never saw
	// a prompt and whose process is gone; 0 means 60 s, negative never.
	Reuse time.Duration
	// OrphanUnused, OrphanIdle and OrphanMax say when [Sweep] ends a session;
	// 0 means 10 min, 30 min and 24 h.
	OrphanUnused, OrphanIdle, OrphanMax time.Duration
	// EndWork is what [Sweep] leaves to be done for a session that it ends and in
	// which something happened.
	EndWork []string

	wrap func(*os.File) file // for faults in tests
}

// file is what writing a state needs of a file.
type file interface {
	Write(p []byte) (int, error)
	Close() error
}

func (o *Options) filled() Options {
	var f Options
	if o != nil {
		f = *o
	}
	if f.Now == nil {
		f.Now = time.Now
	}
	if f.Logger == nil {
		f.Logger = slog.New(slog.DiscardHandler)
	}
	if f.wrap == nil {
		f.wrap = func(file *os.File) file { return file }
	}
	for _, d := range []struct {
		at  *time.Duration
		def time.Duration
	}{{&f.Reuse, time.Minute}, {&f.OrphanUnused, 10 * time.Minute}, {&f.OrphanIdle, 30 * time.Minute}, {&f.OrphanMax, 24 * time.Hour}} {
		if *d.at == 0 {
			*d.at = d.def
		}
	}
	return f
}

const (
	stateName = "state.json"
	version   = 1
	// maxState bounds the file; one that is larger was not written here.
	maxState = 16 << 20
)

// Load reads the state in a session's folder without its lock. Without one it
// is [memory.ErrNotFound], a broken one [memory.ErrInvalid].
func Load(dir string) (*State, error) {
	s, _, err := load(dir)
	return s, err
}

// LoadHead is [Load] for who looks at many sessions: what stands in their windows is
// most of a state, and is passed over.
func LoadHead(dir string) (*Head, error) {
	data, err := read(dir)
	if err != nil {
		return nil, err
	}
	h := new(Head)
	if json.Unmarshal(beginning(data), h) == nil && h.Version > 0 {
		return h, nil
	}
	s, err := parse(dir, data)
	if err != nil {
		return nil, err
	}
	return &s.Head, nil
}

// beginning is a state without what is behind its [Head]. Older versions wrote some of
// that at the end: such a state is returned whole.
func beginning(data []byte) []byte {
	at := bytes.Index(data, []byte(`,"injected":{`))
	if at < 0 || bytes.Contains(data[at:], []byte(`"pending":`)) || bytes.Contains(data[at:], []byte(`"guard":`)) {
		return data
	}
	return append(data[:at:at], '}')
}

func load(dir string) (*State, []byte, error) {
	data, err := read(dir)
	if err != nil {
		return nil, nil, err
	}
	s, err := parse(dir, data)
	return s, data, err
}

func read(dir string) ([]byte, error) {
	path := filepath.Join(dir, stateName)
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Size() > maxState {
		return nil, notOurs(path, errors.New("too large"))
	}
	data, err := jsonl.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("session state %s: %w", path, memory.ErrNotFound)
	}
	return data, err
}

func parse(dir string, data []byte) (*State, error) {
	s := new(State)
	if err := json.Unmarshal(data, s); err != nil || s.Version < 1 {
		return nil, notOurs(filepath.Join(dir, stateName), cmp.Or(err, errors.New("not a state of ours")))
	}
	return s, nil
}

func notOurs(path string, why error) error {
	return fmt.Errorf("%w session state %s: %w", memory.ErrInvalid, path, why)
}

// Update changes the state in a session's folder under its lock: fn gets the
// current state, or a fresh one, and what it leaves is written unless it
// returns an error. A broken state is set aside with a warning and begun
// afresh. fn must be quick and must not call Update.
func Update(ctx context.Context, dir string, o *Options, fn func(*State) error) (*State, error) {
	unlock, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return update(dir, o.filled(), fn)
}

// Spent is what one event put into the window.
type Spent struct {
	Passages       map[string]string // ID to hash of its text
	Tokens         int
	Prompt, Advice bool   // who brought it in: a prompt, an action
	Blind          bool   // nothing is known of Topic
	Topic          string // of a prompt
	// Besides is what else changes with it, in the same write; nil for nothing.
	Besides func(*State)
}

// Spend notes in the state of a session, under its lock, what an event put into
// its window. It reports whether it is news that nothing is known of the topic.
func Spend(ctx context.Context, dir string, o *Options, sp Spent) (s *State, news bool, err error) {
	f := o.filled()
	s, err = Update(ctx, dir, &f, func(st *State) error {
		st.Touch(f.Now())
		if sp.Prompt {
			st.Prompts++
		}
		if sp.Advice {
			st.Advise()
		}
		st.Inject(sp.Passages, sp.Tokens)
		news = sp.Blind && st.Blind(sp.Topic)
		if sp.Besides != nil {
			sp.Besides(st)
		}
		return nil
	})
	return s, news, err
}

// update is Update for those who hold the lock.
func update(dir string, o Options, fn func(*State) error) (*State, error) {
	s, before, err := load(dir)
	switch {
	case errors.Is(err, memory.ErrInvalid):
		aside, aerr := setAside(filepath.Join(dir, stateName))
		if aerr != nil {
			return nil, aerr
		}
		o.Logger.Warn("session state was broken and is begun afresh", "kept", aside, "error", err)
		fallthrough
	case errors.Is(err, memory.ErrNotFound):
		now := o.Now().UTC()
		s = &State{Head: Head{Version: version, ID: filepath.Base(dir), Created: now, Last: now, Status: Working}}
	case err != nil:
		return nil, err
	}
	if err := fn(s); err != nil {
		return nil, err
	}
	after, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("session state %s: %w", dir, err)
	}
	after = append(after, '\n')
	if bytes.Equal(before, after) {
		return s, nil
	}
	if err := replace(dir, after, o); err != nil {
		return nil, fmt.Errorf("write session state: %w", err)
	}
	return s, nil
}

// replace writes state.json as a whole. It does not sync: after a crash of the
// machine the state is rebuilt from the journal.
func replace(dir string, data []byte, o Options) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+stateName+".tmp-*")
	if err != nil {
		return err
	}
	f := o.wrap(tmp)
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = jsonl.Rename(tmp.Name(), filepath.Join(dir, stateName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// setAside keeps a broken state under the first free name.
func setAside(path string) (string, error) {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.broken-%d", path, n)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		} else if err != nil {
			return "", err
		}
	}
}

// lock takes the lock of a session's folder.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	return jsonl.Lock(ctx, lockPath(dir))
}

// lockPath is the lock of a session: one of 256, so that they need no cleaning
// up.
func lockPath(dir string) string {
	h := fnv.New32a()
	h.Write([]byte(filepath.Base(dir)))
	return filepath.Join(filepath.Dir(dir), locksName, fmt.Sprintf("%02x", byte(h.Sum32())))
}

const locksName = ".locks"
