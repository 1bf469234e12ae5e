package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"orihon/internal/copies"
	"orihon/internal/jsonl"
)

// Purge gives every string in every payload, keys included, to scrub and
// replaces those for which it returns true. It reaches bodies in io/, broken
// lines and torn tails kept aside, which scrub gets as they are. Seq, type, id,
// time and iteration of every event stay, and so does, byte for byte, every
// payload in which nothing changed. It returns how many strings were replaced, and moves
// marks, places between lines as [Journal.Turns] returns them, to where they stand now.
//
// The journal is replaced as a whole, on disk when Purge returns. Files that
// hold what was purged are deleted after that; when a crash comes between, the
// next Purge deletes them.
func (j *Journal) Purge(ctx context.Context, scrub func(string) (string, bool), marks ...*int64) (int, error) {
	unlock, err := j.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	// Without lines, this moves a torn tail aside, where it is scrubbed below.
	if _, err := jsonl.Append(ctx, j.Path(), j.lineOptions()); err != nil {
		return 0, err
	}
	p := purge{j: j, scrub: scrub, refs: map[string]bool{}, marks: marks}
	if err := p.journal(ctx); err != nil {
		return 0, err
	}
	return p.n, p.leftovers(ctx)
}

type purge struct {
	j     *Journal
	scrub func(string) (string, bool)
	n     int
	marks []*int64
	refs  map[string]bool // bodies that the journal still needs
	// packed says that the journal is compressed, and stays so.
	packed bool
}

var errUnchanged = errors.New("nothing to purge")

// journal rewrites the journal, unless nothing in it changes.
func (p *purge) journal(ctx context.Context) error {
	j := p.j
	_, packed, err := stat(j.Path(), os.Stat)
	if err != nil {
		return ignoreAbsent(err)
	}
	p.packed = packed
	rewrite := j.o.rewrite
	if packed {
		rewrite = j.rewritePacked
	}
	moved := make([]int64, len(p.marks))
	err = rewrite(j.Path(), func(w io.Writer) error {
		end := int64(0)
		_, err := readLines(j.Path(), 0, func(line []byte, offset int64, _ int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			line, err := p.line(ctx, line)
			if err != nil {
				return err
			}
			end += int64(len(line)) + 1
			for i, m := range p.marks {
				if offset < *m {
					moved[i] = end
				}
			}
			_, err = w.Write(append(line, '\n'))
			return err
		})
		if err != nil {
			return err
		}
		if p.n == 0 {
			return errUnchanged
		}
		// Everything new is on disk, and readers with a mark know that what they
		// have read is void, before the journal itself changes.
		if err := j.syncBodies(p.refs); err != nil {
			return err
		}
		return j.countPurge()
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	for i, m := range p.marks {
		if err == nil {
			*m = moved[i]
		}
	}
	return err
}

// line returns the line as it is to stand in the journal from now on.
func (p *purge) line(ctx context.Context, line []byte) ([]byte, error) {
	e, err := parse(line)
	if err != nil {
		return p.raw(line), nil
	}
	whole, err := p.j.Body(e)
	if err != nil {
		p.j.o.Logger.Warn("purge: body cannot be read", "error", err)
		return p.head(line, e)
	}
	clean, n := copies.Strings(whole, p.scrub)
	if n == 0 {
		p.keep(e.Payload)
		return bytes.Clone(line), nil
	}
	p.n += n
	var b bodies
	e.Payload = b.pack(withDigest(e.Type, whole, clean))
	if err := p.j.store(ctx, b); err != nil {
		return nil, err
	}
	p.keep(e.Payload)
	return encode(e)
}

// withDigest adds to a message that was purged by which words it is known, see
// [Message.Was].
func withDigest(t Type, whole, clean []byte) []byte {
	var m Message
	if !isSaid(t) || json.Unmarshal(whole, &m) != nil || m.Was != "" {
		return clean
	}
	was := fmt.Sprintf(`,"was":%q}`, byWords(t, m.Text).id)
	return append(bytes.Clone(bytes.TrimSuffix(bytes.TrimSpace(clean), []byte("}"))), was...)
}

// head scrubs what the line repeats of a body that is lost.
func (p *purge) head(line []byte, e Event) ([]byte, error) {
	p.keep(e.Payload)
	ref, _ := parseReference(e.Payload)
	clean, changed := p.scrub(ref.Head)
	if !changed {
		return bytes.Clone(line), nil
	}
	p.n++
	ref.Head = clean
	var err error
	if e.Payload, err = jsonl.Encode(ref); err != nil {
		return nil, err
	}
	return encode(e)
}

func (p *purge) keep(payload []byte) {
	if ref, ok := parseReference(payload); ok {
		p.refs[strings.TrimPrefix(ref.Ref, "io/")] = true
	}
}

// raw scrubs text that is not JSON and keeps it one line.
func (p *purge) raw(text []byte) []byte {
	clean, changed := p.scrub(string(text))
	if !changed {
		return bytes.Clone(text)
	}
	p.n++
	return []byte(strings.NewReplacer("\n", " ", "\r", " ").Replace(clean))
}

// leftovers deletes bodies that no event refers to and temporary and compressed
// files that a crash left behind, and scrubs the torn tails kept aside.
func (p *purge) leftovers(ctx context.Context) error {
	dir := p.j.dir
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !e.Type().IsRegular():
		case strings.HasPrefix(e.Name(), "."+fileName) && strings.Contains(e.Name(), ".tmp-"), e.Name() == fileName+packedEnd && !p.packed:
			if err := os.Remove(path); err != nil {
				return err
			}
		case strings.HasPrefix(e.Name(), fileName+".torn-"):
			text, err := jsonl.ReadFile(path)
			if err != nil {
				return err
			}
			before := p.n
			if clean := p.raw(text); p.n > before {
				if err := jsonl.WriteFile(path, clean); err != nil {
					return err
				}
			}
		}
	}
	entries, err = os.ReadDir(filepath.Join(dir, "io"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), packedEnd)
		body := isHash(name) && !p.refs[name]
		if e.Type().IsRegular() && (body || strings.Contains(e.Name(), ".tmp-")) {
			if err := os.Remove(filepath.Join(dir, "io", e.Name())); err != nil {
				return err
			}
		}
	}
	if p.packed {
		return p.j.packBodies(ctx)
	}
	return nil
}

// syncBodies waits until the bodies are on disk.
func (j *Journal) syncBodies(names map[string]bool) error {
	var paths []string
	for name := range names {
		paths = append(paths, filepath.Join(j.dir, "io", name))
	}
	return jsonl.Sync(paths...)
}

// countPurge tells those who remember where they stopped reading that the
// journal before that place is another one.
func (j *Journal) countPurge() error {
	text, err := purges(j.dir)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(text) // absent or broken counts from 0
	return jsonl.WriteFile(filepath.Join(j.dir, purgesName), strconv.AppendInt(nil, int64(n)+1, 10))
}
