package watch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"orihon/internal/watch"
	"orihon/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// told is a system that tells what a test says.
type told struct {
	events chan watch.Event
	errs   chan error
	refuse error // of Add
}

func newTold() *told { return &told{events: make(chan watch.Event), errs: make(chan error)} }

func (s *told) Add(string) error              { return s.refuse }
func (s *told) Remove(string) error           { return nil }
func (s *told) Events() <-chan watch.Event    { return s.events }
func (s *told) Errors() <-chan error          { return s.errs }
func (s *told) Close() error                  { return nil }
func (s *told) open() (watch.Notifier, error) { return s, nil }

func (s *told) change(path string) { s.events <- watch.Event{Name: path, Op: watch.Write} }

// run watches a folder of its own by way of s, counting the calls, and ends
// with the bubble's test.
func run(t *testing.T, s *told, o watch.Options) (dir string, calls *[]time.Duration, end func()) {
	t.Helper()
	dir = t.TempDir()
	o.Dirs = []string{dir}
	ctx, cancel := context.WithCancel(t.Context())
	calls = new([]time.Duration)
	begin := time.Now()
	done := make(chan error)
	go func() {
		done <- watch.Run(ctx, watch.WithNotifier(o, s.open), func() { *calls = append(*calls, time.Since(begin)) })
	}()
	synctest.Wait()
	return dir, calls, func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("watch ended with %v", err)
		}
	}
}

func TestABurstOfChangesIsOneCallOnceItRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTold()
		dir, calls, end := run(t, s, watch.Options{})
		defer end()
		for range 10 {
			s.change(filepath.Join(dir, "a.md"))
			pass(50 * time.Millisecond)
		}
		pass(time.Minute)
		if len(*calls) != 1 || (*calls)[0] != 550*time.Millisecond {
			t.Errorf("called after %v, want once, 100 ms after the last change at 450 ms", *calls)
		}
	})
}

func TestChangesThatNeverRestAreNotWaitedForForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTold()
		dir, calls, end := run(t, s, watch.Options{})
		defer end()
		for range 220 { // 11 s
			s.change(filepath.Join(dir, "記憶.jsonl"))
			pass(50 * time.Millisecond)
		}
		if len(*calls) != 2 {
			t.Errorf("called after %v, want after 5 s and again 5 s later", *calls)
		}
	})
}

func TestWhatIsNotTextIsPassedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTold()
		ignored := ""
		dir, calls, end := run(t, s, watch.Options{Ignore: func(path string) bool { return path == ignored }})
		defer end()
		ignored = filepath.Join(dir, "index")
		for _, name := range []string{".lock", ".semantic.jsonl.tmp-1", "a.tmp", "a.md~", "index", "index/index.db", ".git/HEAD", "../elsewhere.md"} {
			s.change(filepath.Join(dir, filepath.FromSlash(name)))
		}
		s.events <- watch.Event{Name: filepath.Join(dir, "a.md"), Op: watch.Chmod}
		pass(time.Minute)
		if len(*calls) != 0 {
			t.Errorf("called after %v for files that do not count", *calls)
		}
		s.change(filepath.Join(dir, "index.md"))
		pass(time.Minute)
		if len(*calls) != 1 {
			t.Errorf("called %d times for a file that counts, want once", len(*calls))
		}
	})
}

func TestLostEventsCountAsAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTold()
		_, calls, end := run(t, s, watch.Options{})
		defer end()
		s.errs <- watch.Overflow
		pass(time.Minute)
		if len(*calls) != 1 {
			t.Errorf("called %d times, want once", len(*calls))
		}
	})
}

func TestASystemThatCannotNotifyIsLookedAtInstead(t *testing.T) {
	for name, broken := range map[string]func() (watch.Notifier, error){
		"from the start":      func() (watch.Notifier, error) { return nil, errors.New("no such thing here") },
		"for so many folders": (&told{refuse: errors.New("no space left on device")}).open,
		"any more, meanwhile": func() (watch.Notifier, error) {
			s := newTold()
			go func() { s.errs <- errors.New("the server is gone") }()
			return s, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				ctx, cancel := context.WithCancel(t.Context())
				var calls atomic.Int32
				done := make(chan error)
				go func() {
					done <- watch.Run(ctx, watch.WithNotifier(watch.Options{Dirs: []string{dir}}, broken), func() { calls.Add(1) })
				}()
				defer func() {
					cancel()
					if err := <-done; err != nil {
						t.Error(err)
					}
				}()
				pass(time.Minute)
				if calls.Load() != 1 {
					t.Errorf("called %d times before anything changed, want once for what nobody saw", calls.Load())
				}
				mkdir(t, filepath.Join(dir, "新"))
				write(t, filepath.Join(dir, "新", "a.md"), "部署")
				write(t, filepath.Join(dir, ".lock"), "x")
				pass(time.Minute)
				if calls.Load() != 2 {
					t.Errorf("called %d times after a change, want once more", calls.Load())
				}
				write(t, filepath.Join(dir, ".lock"), "xyz")
				pass(time.Minute)
				if calls.Load() != 2 {
					t.Errorf("called %d times, although only a lock changed", calls.Load())
				}
			})
		})
	}
}

func TestThereMustBeSomethingToWatch(t *testing.T) {
	if err := watch.Run(t.Context(), &watch.Options{}, func() {}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("watching nothing ended with %v, want ErrInvalid", err)
	}
}

// pass lets time go by in a bubble, and everything that it brings happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
