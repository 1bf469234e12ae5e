package jsonl_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// A lock that a repository brings must not make a file elsewhere.
func TestALockThatIsASymlinkIsRefused(t *testing.T) {
	dir := t.TempDir()
	lock, target := filepath.Join(dir, ".lock"), filepath.Join(dir, "elsewhere")
	if err := os.Symlink(target, lock); err != nil {
		t.Skip("SKIPPED: no symlinks here:", err)
	}
	if _, err := jsonl.Lock(t.Context(), lock); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("Lock: %v", err)
	}
	if _, _, err := jsonl.TryLock(lock); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("TryLock: %v", err)
	}
	if _, err := os.Lstat(target); !os.IsNotExist(err) {
		t.Errorf("a file was made: %v", err)
	}
}
