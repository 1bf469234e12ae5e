package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"orihon/memory"
)

// Read calls fn for every complete line from byte offset from on, which must be
// the beginning of a line. The line comes without its newline, a CR before it
// or a BOM at the beginning of the file, and is only valid during the call;
// number counts from 1 at from. Blank lines are counted but not passed. What
// stands behind the last newline is not passed.
//
// It returns the offset behind the last complete line: where a later Read goes
// on. When fn fails, its error comes back as it is, with the offset behind the
// last line that fn took. An offset behind the end of the file, which then was
// replaced by a shorter one, is refused with [memory.ErrInvalid].
func Read(path string, from int64, fn func(line []byte, offset int64, number int) error) (end int64, err error) {
	f, err := Open(path)
	if err != nil {
		return from, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return from, err
	}
	if from < 0 || from > info.Size() {
		return from, fmt.Errorf("read %s: %w offset %d: the file has %d bytes", path, memory.ErrInvalid, from, info.Size())
	}

	return Lines(path, io.NewSectionReader(f, from, 1<<62-from), from, fn)
}

// readers are used again: many files are shorter than what one reads at a time.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

// Lines is [Read] for the file at a path that is read in another way: r begins at
// offset from.
func Lines(path string, file io.Reader, from int64, fn func(line []byte, offset int64, number int) error) (end int64, err error) {
	r, _ := readers.Get().(*bufio.Reader)
	r.Reset(file)
	defer func() {
		r.Reset(nil) // whoever waits in the pool holds no file
		readers.Put(r)
	}()
	var long []byte // a line longer than the reader's buffer
	end = from
	for number := 1; ; number++ {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long[:0], line...)
			for errors.Is(err, bufio.ErrBufferFull) {
				line, err = r.ReadSlice('\n')
				long = append(long, line...)
			}
			line = long
		}
		if errors.Is(err, io.EOF) {
			return end, nil
		}
		if err != nil {
			return end, fmt.Errorf("read %s: %w", path, err)
		}
		size := int64(len(line))
		line = bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'})
		if end == 0 {
			line = bytes.TrimPrefix(line, bom())
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := fn(line, end, number); err != nil {
				return end, err
			}
		}
		end += size
	}
}

func bom() []byte { return []byte("\ufeff") }
