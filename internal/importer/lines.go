package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxPiece bounds a line, an element of an array, and a Markdown file.
const maxPiece = 64 << 20

// lines hands every line to h. The last one counts also without its newline.
func (r *run) lines(in io.Reader, h handler) error {
	r.whole = false
	b := bufio.NewReaderSize(in, 64<<10)
	for number := 1; ; number++ {
		if number%256 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		line, err := readLine(b)
		if errors.Is(err, errTooLong) {
			r.problem(number, err.Error())
			continue
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := h.take("", line, number); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return h.done()
		}
		if err != nil {
			r.problem(number, err.Error())
			return h.done()
		}
	}
}

var errTooLong = fmt.Errorf("longer than %d MB, left out", maxPiece>>20)

// readLine reads up to the next newline, which belongs to the line.
func readLine(b *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		if len(line)+len(part) > maxPiece {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = b.ReadSlice('\n')
			}
			return nil, errTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if line == nil {
				return part, err
			}
			return append(line, part...), err
		}
		line = append(line, part...)
	}
}

// text reads a whole file of prose.
func (r *run) text(in io.Reader, take func(text string) error) error {
	data, err := io.ReadAll(io.LimitReader(in, maxPiece+1))
	if err != nil {
		r.problem(0, err.Error())
		return nil
	}
	if len(data) > maxPiece {
		r.problem(0, errTooLong.Error())
		return nil
	}
	return take(string(bytes.TrimPrefix(data, []byte("\ufeff"))))
}

// linesOrDocument tells a file with an object a line, each with a member of that
// name, from one that is a single document.
func (r *run) linesOrDocument(in io.Reader, h handler, member string) error {
	b := bufio.NewReaderSize(in, headSize)
	head, _ := b.Peek(headSize)
	first, _, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))), []byte("\n"))
	var o object
	if json.Unmarshal(first, &o) == nil && o[member] != nil {
		return r.lines(b, h)
	}
	return r.document(b, h)
}
