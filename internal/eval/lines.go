package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"orihon/memory"
)

// readLines calls fn for every line of a file that is not empty; the file is
// unpacked when its name ends in .gz. what the file is, behind a space, stands in
// errors, which wrap [memory.ErrNotFound] and [memory.ErrInvalid].
func readLines(path, what string, fn func(line []byte, number int) error) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", strings.TrimSpace(what+" "+path), memory.ErrNotFound)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".gz") {
		return eachLine(f, path, fn)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w%s: %w", path, memory.ErrInvalid, what, err)
	}
	return eachLine(z, path, fn)
}

// eachLine is readLines from a stream; name stands in errors.
func eachLine(in io.Reader, name string, fn func(line []byte, number int) error) error {
	r := bufio.NewReaderSize(in, 1<<16)
	for number := 1; ; number++ {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := fn(line, number); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
