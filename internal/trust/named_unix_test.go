//go:build unix

package trust_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"orihon/internal/trust"
)

func TestAPipeIsNotWaitedFor(t *testing.T) {
	folder, _ := repository(t)
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := trust.ReadNamed(folder, "setting", []string{"tools/check", "pipe"}); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("got %v", err)
	}
}
