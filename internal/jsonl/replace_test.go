package jsonl_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"orihon/internal/jsonl"
)

func TestReplacedFileKeepsOnlyStricterModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: Windows has no mode bits")
	}
	for _, tt := range []struct{ before, want os.FileMode }{{0, 0o600}, {0o644, 0o600}, {0o777, 0o600}, {0o600, 0o600}, {0o400, 0o400}} {
		path := filepath.Join(t.TempDir(), "new", "state.json")
		if tt.before != 0 {
			path = filepath.Join(t.TempDir(), "state.json")
			writeRaw(t, path, []byte("old"))
			if err := os.Chmod(path, tt.before); err != nil {
				t.Fatal(err)
			}
		}
		if err := jsonl.WriteFile(path, []byte("new 新")); err != nil {
			t.Fatal(err)
		}
		checkMode(t, path, tt.want)
		if got, _ := os.ReadFile(path); string(got) != "new 新" {
			t.Errorf("file holds %q", got)
		}
	}
}

func TestFailedReplacementLeavesTheOldFileAlone(t *testing.T) {
	full := errors.New("no space left")
	for name, fault := range map[string]jsonl.Fault{
		"write":          {Write: full, Short: 2},
		"silently short": {Silent: true, Short: 2},
		"sync":           {Sync: full},
		"close":          {Close: full},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.json")
			writeRaw(t, path, []byte("old"))
			if err := jsonl.WriteFileFailing(path, []byte("new"), fault); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v does not name %s", err, path)
			}
			if got, _ := os.ReadFile(path); string(got) != "old" {
				t.Errorf("file holds %q, want the old content", got)
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(entries) != 1 {
				t.Errorf("left behind: %v (%v)", entries, err)
			}
		})
	}
}

func TestAbandonedRewriteLeavesTheOldFileAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	if err := jsonl.Rewrite(path, func(w io.Writer) error { _, err := io.WriteString(w, "old"); return err }); err != nil {
		t.Fatal(err)
	}
	no := errors.New("no")
	if err := jsonl.Rewrite(path, func(w io.Writer) error { io.WriteString(w, "new"); return no }); !errors.Is(err, no) {
		t.Errorf("error %v does not wrap the callback's", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if got, _ := os.ReadFile(path); string(got) != "old" || err != nil || len(entries) != 1 {
		t.Errorf("file holds %q, folder %v (%v)", got, entries, err)
	}
}

func TestSyncPassesOverWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "body")
	if err := jsonl.Place(path, []byte("正文")); err != nil {
		t.Fatal(err)
	}
	if err := jsonl.Sync(path, filepath.Join(dir, "absent")); err != nil {
		t.Error(err)
	}
	if err := jsonl.Sync(dir); err == nil {
		t.Error("a folder was synced as a file")
	}
}

func TestReplacingASymlinkLeavesItsTargetAlone(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "outside"), filepath.Join(dir, "link")
	writeRaw(t, target, []byte("outside"))
	if err := os.Symlink(target, link); err != nil {
		t.Skip("SKIPPED: no symlinks here:", err)
	}
	if err := jsonl.WriteFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "outside" {
		t.Errorf("the target now holds %q", got)
	}
}

func TestLockExcludesAndHandsOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", ".lock")
	var mu sync.Mutex
	var inside, most, turns int
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				unlock, err := jsonl.Lock(context.Background(), path)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				inside++
				turns++
				most = max(most, inside)
				mu.Unlock()
				mu.Lock()
				inside--
				mu.Unlock()
				unlock()
			}
		})
	}
	wg.Wait()
	if most != 1 || turns != 80 {
		t.Errorf("at most %d held it at once in %d turns, want 1 and 80", most, turns)
	}
}

func TestWaitingForALockEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	unlock, err := jsonl.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := jsonl.TryLock(path); ok || err != nil {
		t.Errorf("a held lock was taken: %v, %v", ok, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := jsonl.Lock(ctx, path)
		failed <- err
	}()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	unlock()
	// The waiter that gave up must let go of the lock when it gets it.
	unlock, err = jsonl.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	unlock, ok, err := jsonl.TryLock(path)
	for !ok && err == nil {
		runtime.Gosched()
		unlock, ok, err = jsonl.TryLock(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
