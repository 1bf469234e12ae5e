package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxDepth bounds how deep the arrays with records may lie in a document.
const maxDepth = 32

// document hands the members of a JSON document to h as they are read: every
// element of every array outside of others, and every value that is neither an
// array nor an object, each with the name of the member it stands under. Where
// the document breaks off is reported; what came before it counts.
func (r *run) document(in io.Reader, h handler) error {
	b := bufio.NewReader(in)
	if bom, _ := b.Peek(3); string(bom) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	r.whole = true
	d := &document{run: r, h: h, in: &lineCounter{r: b}}
	d.dec = json.NewDecoder(d.in)
	err := d.value("", 0)
	if err == nil {
		if _, rest := d.dec.Token(); !errors.Is(rest, io.EOF) {
			r.problem(d.in.at(d.dec.InputOffset()), "there is more behind the end of the document")
		}
		return h.done()
	}
	var broken *brokenError
	if !errors.As(err, &broken) {
		return err
	}
	r.problem(d.in.at(d.dec.InputOffset()+d.gap()), "broken here, the rest is left out: "+broken.err.Error())
	return h.done()
}

// gap is how many bytes lie between what was read last and what comes next.
func (d *document) gap() int64 {
	const most = 4 << 10
	rest, err := io.ReadAll(io.LimitReader(d.dec.Buffered(), most))
	if err != nil {
		return 0
	}
	return int64(len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:")))
}

type document struct {
	*run
	h   handler
	in  *lineCounter
	dec *json.Decoder
}

// brokenError is one of the document, not of whoever takes its records.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }

func broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("the file ends too early")
	}
	return &brokenError{err}
}

func (d *document) value(name string, depth int) error {
	token, err := d.dec.Token()
	if err != nil {
		return broken(err)
	}
	if depth > maxDepth {
		return broken(errors.New("nested too deeply"))
	}
	switch token {
	case json.Delim('['):
		for d.dec.More() {
			if err := d.ctx.Err(); err != nil {
				return err
			}
			var raw json.RawMessage
			d.in.begin(d.dec.InputOffset())
			if err := d.dec.Decode(&raw); err != nil {
				return broken(err)
			}
			if err := d.h.take(name, raw, d.in.at(d.dec.InputOffset()-int64(len(raw)))); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		for d.dec.More() {
			d.in.begin(d.dec.InputOffset())
			key, err := d.dec.Token()
			if err != nil {
				return broken(err)
			}
			member, ok := key.(string)
			if !ok {
				return broken(errors.New("a name is no string"))
			}
			if err := d.value(member, depth+1); err != nil {
				return err
			}
		}
	default:
		raw, err := json.Marshal(token)
		if err != nil {
			return broken(err)
		}
		return d.h.take(name, raw, d.in.at(d.dec.InputOffset()))
	}
	if _, err := d.dec.Token(); err != nil { // the closing bracket
		return broken(err)
	}
	return nil
}

// lineCounter says on which line an offset lies, for offsets that only grow,
// and refuses to read on when a piece gets too large.
type lineCounter struct {
	r       io.Reader
	read    int64   // bytes
	start   int64   // of the present piece
	passed  int     // newlines before those in pending
	pending []int64 // offsets of newlines not passed yet
}

func (c *lineCounter) begin(offset int64) {
	c.start = offset
	c.at(offset)
}

func (c *lineCounter) at(offset int64) int {
	i := 0
	for i < len(c.pending) && c.pending[i] < offset {
		i++
	}
	c.passed += i
	c.pending = c.pending[:copy(c.pending, c.pending[i:])]
	return c.passed + 1
}

func (c *lineCounter) Read(p []byte) (int, error) {
	if c.read-c.start > maxPiece {
		return 0, errTooLong
	}
	n, err := c.r.Read(p)
	for i := 0; i < n; {
		j := bytes.IndexByte(p[i:n], '\n')
		if j < 0 {
			break
		}
		c.pending = append(c.pending, c.read+int64(i+j))
		i += j + 1
	}
	c.read += int64(n)
	return n, err
}
