package store

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// putAtom writes an item as Markdown: a new file, over the atom it is, or over
// the bullet it is. It returns where the item now lives.
func (s *Store) putAtom(ctx context.Context, at place, it memory.Item) (place, error) {
	var before *markdown
	if at.entry.file != "" && at.entry.foreign() != nil {
		var err error
		if before, _, err = s.readClean(&at.entry); err != nil {
			return at, err
		}
	}
	now, data, err := s.atomText(at, it)
	if err != nil {
		return at, err
	}
	// Accepted first: what is written and not accepted would be taken for
	// somebody else's by whoever comes after a crash in between.
	if err := s.vouch(ctx, before, now, data); err != nil {
		return at, err
	}
	return now, s.replace(now.entry.file, data)
}

// atomText is the file of an atom with an item in it, and where that then lives.
func (s *Store) atomText(at place, it memory.Item) (now place, data []byte, err error) {
	if at.entry.file == "" {
		return s.newAtom(at, it)
	}
	m, err := s.reread(&at.entry)
	if err != nil {
		return at, nil, err
	}
	// What was read had secrets and private spans taken out: where it comes back
	// as it was read, the file stays as it is written.
	read, _, err := s.parseClean(&at.entry, m.doc.raw)
	if err != nil {
		return at, nil, err
	}
	if at.fact != "" {
		return s.putFact(at, m, read, it)
	}
	for i, f := range fields(&it) {
		if before := fields(&read.item)[i]; !same(before.value, f.value) {
			setKey(m.front, f.key, f.value)
		}
	}
	setKey(m.front, "retired", nil)
	setKey(m.front, "retired_why", nil)
	var body *string
	if it.Content != read.item.Content {
		body = &it.Content
	}
	data, err = m.doc.withFront(m.front, body)
	return at, data, err
}

func (s *Store) newAtom(at place, it memory.Item) (now place, data []byte, err error) {
	data, err = (&document{}).withFront(frontOf(&it), &it.Content)
	if err != nil {
		return at, nil, err
	}
	file, err := freeName(at.entry.root.Dir, slug(&it))
	if err != nil {
		return at, nil, err
	}
	at.entry.file, at.entry.path = file, at.entry.root.Name+"/"+filepath.Base(file)
	return at, data, nil
}

// putFact rewrites the lines of one bullet. Its tag stays as written while the
// tier does. m is the file as it is written, read without secrets.
func (s *Store) putFact(at place, m, read *markdown, it memory.Item) (now place, data []byte, err error) {
	f := m.fact(at.fact)
	if f == nil {
		return at, nil, memory.ErrNotFound
	}
	old := m.factItem(f)
	tag := f.tag
	if it.Tier != old.Tier {
		tag = tierTags[it.Tier]
	}
	text := strings.TrimSpace(it.Content)
	if g := read.fact(at.fact); g != nil && text == g.text {
		text = f.text // the file stays as it is written
	}
	if err := m.unretireFact(at.fact); err != nil {
		return at, nil, err
	}
	if text != f.text || tag != f.tag {
		lines := strings.SplitAfter(string(m.doc.raw), "\n")
		prefix := ""
		for i := range m.lines {
			if m.lines[i].n == f.line {
				prefix = m.lines[i].text[:m.lines[i].start]
			}
		}
		indent := strings.Repeat(" ", len(prefix))
		eol := m.doc.eol()
		now := prefix + tag + strings.ReplaceAll(text, "\n", eol+indent) + eol
		m.doc.raw = []byte(strings.Join(lines[:f.line-1], "") + now + strings.Join(lines[f.end:], ""))
		at.fact = factHash(text)
	}
	data, err = m.doc.withFront(m.front, nil)
	return at, data, err
}

var tierTags = map[memory.Tier]string{memory.Provisional: "[臨] ", memory.Observed: "[觀] ", memory.Settled: "[固] "}

// retireInAtom notes in the front matter that the atom, or one bullet of it,
// is retired. The text stays where it is.
func (s *Store) retireInAtom(p place, why string, at time.Time) error {
	m, err := s.reread(&p.entry)
	if err != nil {
		return err
	}
	if at.IsZero() {
		at = s.now()
	}
	when := bare(at.Format(time.RFC3339Nano))
	if p.fact == "" {
		setKey(m.front, "retired", when)
		setKey(m.front, "retired_why", nil) // one that is left over keeps no place
		setKey(m.front, "retired_why", given(why))
	} else {
		gone := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if before := value(m.front, "retired_facts"); before != nil && before.Kind == yaml.SequenceNode {
			gone.Content = before.Content
		}
		one := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		setKey(one, "fact", scalar(p.fact))
		setKey(one, "at", when)
		setKey(one, "why", given(why))
		gone.Content = append(gone.Content, one)
		setKey(m.front, "retired_facts", gone)
	}
	return s.saveFront(p.entry.file, m)
}

func (s *Store) restoreInAtom(p place) error {
	m, err := s.reread(&p.entry)
	if err != nil {
		return err
	}
	if m.retired && p.fact != "" {
		return fmt.Errorf("%w: the whole atom %s is retired: restore it instead", memory.ErrRefused, m.item.ID)
	}
	setKey(m.front, "retired", nil)
	setKey(m.front, "retired_why", nil)
	if err := m.unretireFact(p.fact); err != nil {
		return err
	}
	return s.saveFront(p.entry.file, m)
}

// unretireFact takes a bullet off the list of retired ones.
func (m *markdown) unretireFact(hash string) error {
	gone := value(m.front, "retired_facts")
	if hash == "" || gone == nil {
		return nil
	}
	kept := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, n := range gone.Content {
		if f := value(n, "fact"); f == nil || f.Value != hash {
			kept.Content = append(kept.Content, n)
		}
	}
	if len(kept.Content) == 0 {
		kept = nil
	}
	setKey(m.front, "retired_facts", kept)
	return nil
}

func (s *Store) saveFront(file string, m *markdown) error {
	data, err := m.doc.withFront(m.front, nil)
	if err != nil {
		return err
	}
	return s.replace(file, data)
}
