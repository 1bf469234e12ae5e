package window

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Variables a sub-process gets for its parent's journal.
const (
	JournalPathVar     = "PARENT_JOURNAL_PATH"
	JournalReadOnlyVar = "PARENT_JOURNAL_READONLY"
)

// JournalEnv is the environment of a sub-process that may read a journal: the
// given one, with PARENT_JOURNAL_PATH and PARENT_JOURNAL_READONLY=true in the
// place of what it said of them. Without a journal there is neither.
func JournalEnv(env []string, journal string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if name != JournalPathVar && name != JournalReadOnlyVar {
			out = append(out, kv)
		}
	}
	if journal == "" {
		return out
	}
	return append(out, JournalPathVar+"="+journal, JournalReadOnlyVar+"=true")
}

// bounded takes at most max bytes and swallows the rest. The buffer is no
// embedded one: its ReadFrom would take all.
type bounded struct {
	buf  bytes.Buffer
	max  int
	over bool
	full func() // called when there is more; may be nil
}

func (b *bounded) Write(p []byte) (int, error) {
	room := max(0, b.max-b.buf.Len())
	if len(p) > room {
		b.over = true
		if b.full != nil {
			b.full()
		}
	}
	b.buf.Write(p[:min(len(p), room)])
	return len(p), nil
}

// readBounded reads a regular file of at most limit bytes.
func readBounded(path string, limit int) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > int64(limit) {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", filepath.Base(path), limit)
	}
	return os.ReadFile(path)
}
