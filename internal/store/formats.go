package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// FormatVersion is the newest version of a line of a ledger, the audit trail
// or the usage log that this program reads, and the one it writes.
const FormatVersion = ledgerVersion

// FileFormat says of which versions the lines of a file are.
type FileFormat struct {
	Lines    int // those that are JSON objects
	Unmarked int // that do not say; they count as version 1
	Oldest   int // 0 without a line
	Newest   int
	Newer    int // the first line of a version unknown here; 0 for none
}

// ReadFormat looks at the versions of a file's lines, compressed with gzip or not.
// A missing file has none.
func ReadFormat(file string) (FileFormat, error) {
	var f FileFormat
	_, err := readLines(file, func(line []byte, _ int64, number int) error {
		v, marked, ok := lineVersion(line)
		if !ok {
			return nil // the doctor tells of it
		}
		if f.Lines++; !marked {
			f.Unmarked++
		}
		if f.Oldest == 0 || v < f.Oldest {
			f.Oldest = v
		}
		f.Newest = max(f.Newest, v)
		if v > FormatVersion && f.Newer == 0 {
			f.Newer = number
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	return f, err
}

// readLines is [jsonl.Read] for a file that may be compressed.
func readLines(file string, fn func(line []byte, offset int64, number int) error) (int64, error) {
	if !strings.HasSuffix(file, ".gz") {
		return jsonl.Read(file, 0, fn)
	}
	f, err := jsonl.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return 0, fmt.Errorf("%w %s: %w", memory.ErrInvalid, file, err)
	}
	return jsonl.Lines(file, zip, 0, fn)
}

// lineVersion is the version of a line; one that is no JSON object has none.
func lineVersion(line []byte) (v int, marked, ok bool) {
	var head struct {
		V *int `json:"v"`
	}
	if line = bytes.TrimSpace(line); !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &head) != nil {
		return 0, false, false
	}
	if head.V == nil {
		return 1, false, true
	}
	return max(1, *head.V), true, true
}

// MarkVersions writes the version into the lines of a ledger that do not say
// it, and nothing else. The file as it was is kept beside it, under the name
// that it returns; a file without such lines is left alone. A ledger with a
// line of a newer version is refused with [memory.ErrRefused].
func MarkVersions(ctx context.Context, file string) (aside string, err error) {
	if info, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w: is %s where a ledger belongs: move it away", file, memory.ErrRefused, describe(info))
	}
	unlock, err := jsonl.Lock(ctx, filepath.Join(filepath.Dir(file), jsonl.LockName))
	if err != nil {
		return "", err
	}
	defer unlock()
	f, err := ReadFormat(file)
	switch {
	case err != nil || f.Unmarked == 0:
		return "", err
	case f.Newer > 0:
		return "", fmt.Errorf("%s:%d: %w: was written by a newer version (format %d, this one reads %d): update this program", file, f.Newer, memory.ErrRefused, f.Newest, FormatVersion)
	}
	before, err := jsonl.ReadFile(file)
	if err != nil {
		return "", err
	}
	if aside, err = keepAside(file, before); err != nil {
		return "", err
	}
	return aside, jsonl.WriteFile(file, marked(before))
}

// marked writes the version into lines that lack it, and leaves every other
// byte as it was.
func marked(text []byte) []byte {
	const bom = "\ufeff"
	out := make([]byte, 0, len(text)+len(text)/20)
	if bytes.HasPrefix(text, []byte(bom)) {
		out, text = append(out, bom...), text[len(bom):]
	}
	for line := range bytes.Lines(text) {
		if _, has, ok := lineVersion(line); ok && !has {
			open := bytes.IndexByte(line, '{') + 1
			out = fmt.Appendf(append(out, line[:open]...), `"v":%d`, FormatVersion)
			if !bytes.HasPrefix(bytes.TrimSpace(line[open:]), []byte("}")) {
				out = append(out, ',')
			}
			line = line[open:]
		}
		out = append(out, line...)
	}
	return out
}

// keepAside copies a file to the first free name beside it. The name keeps it
// within reach of a purge.
func keepAside(file string, data []byte) (string, error) {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.before-migrate-%d", file, n)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, jsonl.WriteFile(aside, data)
		} else if err != nil {
			return "", err
		}
	}
}
