package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/redact"
)

// hookLog appends to a file that is opened only when there is something to
// say, and begun anew when it grows large.
type hookLog struct {
	path string
	now  func() time.Time
}

// hookLogPath is where hooks log; empty when no home is known.
func hookLogPath(home string) string {
	if home == "" {
		h, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		home = filepath.Join(h, ".orihon")
	}
	return filepath.Join(home, "hook.log")
}

func (l *hookLog) write(text string) {
	fmt.Fprintf(l, "time=%s level=ERROR msg=%q\n", l.now().UTC().Format(time.RFC3339), oneLine(text))
}

// Write implements io.Writer. Errors are dropped: there is nobody to tell.
func (l *hookLog) Write(line []byte) (int, error) {
	clean, _ := redact.Text(redact.Private(string(line)))
	const most = 1 << 20
	switch info, err := os.Stat(l.path); {
	case err == nil && !info.Mode().IsRegular():
		return len(line), nil // a pipe could wait for ever
	case err == nil && info.Size() > most:
		_ = os.Rename(l.path, l.path+".old")
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return len(line), nil
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return len(line), nil
	}
	defer f.Close()
	_, _ = f.Write([]byte(strings.TrimRight(clean, "\n") + "\n"))
	return len(line), nil
}
