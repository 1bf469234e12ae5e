package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"orihon/internal/jsonl"
	"orihon/memory"
)

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// reason is an error without the path that the message names already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}

func describe(info fs.FileInfo) string {
	switch {
	case info.IsDir():
		return "a folder"
	case info.Mode()&fs.ModeSymlink != 0:
		return "a symlink"
	case info.Mode().IsRegular():
		return "a file"
	}
	return "a special file"
}

func lineNumber(text []byte, at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }

// lineOf is the line around a place.
func lineOf(text []byte, at int) []byte {
	from := bytes.LastIndexByte(text[:at], '\n') + 1
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return text[from : at+n]
	}
	return text[from:]
}

// checkText refuses what is no text: memory reads Markdown, not binaries. A NUL
// here and there, as a log may have taken one in, makes no binary.
func checkText(raw []byte) error {
	const rare = 64 // bytes of text to a NUL
	if n := bytes.Count(raw, []byte{0}); n*rare > len(raw) {
		i := bytes.IndexByte(raw, 0)
		return fmt.Errorf("%w text: holds a NUL in line %d: save it as UTF-8 text", memory.ErrInvalid, lineNumber(raw, i))
	}
	return nil
}

// readText reads a Markdown file that is small enough to be one; errGone means
// that there is none.
func readText(file string) ([]byte, error) {
	if info, err := os.Stat(file); err == nil && info.Size() > maxMarkdown {
		return nil, fmt.Errorf("%w text: is larger than %d MB: split it", memory.ErrInvalid, maxMarkdown>>20)
	}
	raw, err := jsonl.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = errGone
	}
	return raw, err
}

func unixLines(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

// nextLine is the line at an offset, without its LF, and the offset of the next.
func nextLine(b []byte, at int) (line string, next int) {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return string(b[at : at+i]), at + i + 1
	}
	return string(b[at:]), len(b)
}
