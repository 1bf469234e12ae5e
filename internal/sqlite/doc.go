package sqlite

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"orihon/memory"
)

// A passage stands in the file as its fields one after the other, since a
// search reads a hundred and more of them: numbers as varints, floats as 8
// bytes, texts and lists with their length before them.

// coder reads or writes one field after the other.
type coder interface {
	text(*string)
	texts(*[]string)
	time(*time.Time)
	number(*int)
	float(*float64)
	flag(*bool)
}

// fields passes every field of a passage to c, but its neighbours, which the
// index keeps as terms.
func fields(c coder, p *memory.Passage) {
	it, m := &p.Item, &p.Item.Metadata
	c.text(&p.ID)
	c.text(&it.ID)
	c.text((*string)(&it.Kind))
	c.text((*string)(&it.Topic))
	c.text(&it.Title)
	c.text(&it.Content)
	c.text((*string)(&it.Scope))
	c.text((*string)(&it.Tier))
	c.time(&m.CreatedAt)
	c.time(&m.UpdatedAt)
	c.time(&m.RewordedAt)
	c.text((*string)(&m.Source))
	c.float(&m.Confidence)
	c.number(&m.Confirmations)
	c.texts(&m.Tags)
	c.text(&m.Session)
	c.texts(&m.Evidence)
	c.number(&m.AccessCount)
	c.time(&m.LastAccessed)
	c.text(&it.Relations.Supersedes)
	c.texts(&it.Relations.RelatedTo)
	c.texts(&it.Triggers)
	c.texts(&it.Aliases)
	c.texts(&it.NeededWhen)
	c.text(&it.Audience)
	c.time(&it.ValidFrom)
	c.time(&it.ValidTo)
	c.text(&p.Source)
	c.number(&p.Line)
	c.number(&p.EndLine)
	c.text(&p.Heading)
	c.text(&p.Parent)
	c.number(&p.Whole)
	c.text(&p.Summary)
	c.text(&p.Speaker)
	c.text((*string)(&p.Population))
	c.text(&p.SupersededBy)
	c.flag(&p.Retired)
}

// encodePassage writes a passage without its neighbours, and its words, see
// [memory.Candidate]. It fails on times with zones that no clock has.
func encodePassage(p *memory.Passage, words string) ([]byte, error) {
	w := docWriter{out: make([]byte, 0, 256+len(p.Item.Content)+len(words))}
	fields(&w, p)
	w.text(&words)
	return w.out, w.err
}

// decodePassage reads what encodePassage wrote. Its texts share one copy of doc.
func decodePassage(doc []byte, p *memory.Passage) (words string, err error) {
	r := docReader{rest: string(doc)}
	fields(&r, p)
	r.text(&words)
	if r.bad || r.rest != "" {
		return "", fmt.Errorf("%w: a passage of %d bytes cannot be read", memory.ErrStale, len(doc))
	}
	return words, nil
}

// scanPassage reads a row of a document alone.
func scanPassage(rows *sql.Rows) (p memory.Passage, err error) {
	var doc sql.RawBytes
	if err = rows.Scan(&doc); err == nil {
		_, err = decodePassage(doc, &p)
	}
	return p, err
}

type docWriter struct {
	out []byte
	err error
}

func (w *docWriter) text(s *string) {
	w.out = append(binary.AppendUvarint(w.out, uint64(len(*s))), *s...)
}

func (w *docWriter) texts(list *[]string) {
	w.out = binary.AppendUvarint(w.out, uint64(len(*list)))
	for i := range *list {
		w.text(&(*list)[i])
	}
}

// time keeps the offset from UTC, as the text has it; the zero time is empty.
func (w *docWriter) time(t *time.Time) {
	if t.IsZero() {
		w.out = append(w.out, 0)
		return
	}
	v := *t
	if _, offset := v.Zone(); offset == 0 {
		v = v.UTC()
	}
	data, err := v.MarshalBinary()
	if err != nil {
		w.err = err
	}
	w.out = append(append(w.out, byte(len(data))), data...)
}

func (w *docWriter) number(n *int) { w.out = binary.AppendVarint(w.out, int64(*n)) }

func (w *docWriter) float(f *float64) {
	w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(*f))
}

func (w *docWriter) flag(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	w.number(&n)
}

type docReader struct {
	rest string
	bad  bool
}

// take returns the next n bytes, or none of a document that is too short.
func (r *docReader) take(n uint64) string {
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, ""
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *docReader) uvarint() uint64 {
	v, n := binary.Uvarint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	if n <= 0 {
		r.bad, r.rest = true, ""
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *docReader) text(s *string) { *s = r.take(r.uvarint()) }

func (r *docReader) texts(list *[]string) {
	n := r.uvarint()
	if n > uint64(len(r.rest)) { // each takes a byte or more
		r.bad = true
		return
	}
	*list = nil
	if n > 0 {
		*list = make([]string, n)
	}
	for i := range *list {
		r.text(&(*list)[i])
	}
}

func (r *docReader) time(t *time.Time) {
	data := r.take(r.uvarint())
	*t = time.Time{}
	if data != "" && t.UnmarshalBinary([]byte(data)) != nil {
		r.bad = true
	}
}

func (r *docReader) number(n *int) {
	u := r.uvarint()
	*n = int(int64(u>>1) ^ -int64(u&1)) // zigzag, as binary.AppendVarint
}

func (r *docReader) float(f *float64) {
	*f = 0
	if b := r.take(8); b != "" {
		*f = math.Float64frombits(binary.LittleEndian.Uint64([]byte(b)))
	}
}

func (r *docReader) flag(b *bool) { *b = r.uvarint() != 0 }
