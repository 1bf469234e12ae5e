//go:build unix

package orihon_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// addPipe adds a named pipe that nobody writes to.
func addPipe(ways map[string]func(*testing.T, string) func(string) bool) {
	ways["a named pipe"] = func(t *testing.T, path string) func(string) bool {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip("SKIPPED: no named pipes here: ", err)
		}
		return func(aside string) bool {
			info, err := os.Lstat(aside)
			return err == nil && info.Mode()&os.ModeNamedPipe != 0
		}
	}
}
