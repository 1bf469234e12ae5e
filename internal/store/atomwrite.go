package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

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
	now, err := s.writeAtom(at, it)
	if err != nil {
		return at, err
	}
	return now, s.vouch(ctx, before, now)
}

func (s *Store) writeAtom(at place, it memory.Item) (place, error) {
	if at.entry.file == "" {
		return s.newAtom(at, it)
	}
	m, err := s.reread(&at.entry)
	if err != nil {
		return at, err
	}
	if at.fact != "" {
		return s.putFact(at, m, it)
	}
	// What was read had secrets and private spans taken out: where it comes back
	// as it was read, the file stays as it is written.
	read, _, err := s.parseClean(&at.entry, m.doc.raw)
	if err != nil {
		return at, err
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
	data, err := m.doc.withFront(m.front, body)
	if err != nil {
		return at, err
	}
	return at, s.replace(at.entry.file, data)
}

// reread parses the file of an atom under the lock, so that what is changed is
// what stands there now.
func (s *Store) reread(e *entry) (*markdown, error) {
	m, _, err := readMarkdown(e)
	if errors.Is(err, errGone) {
		err = memory.ErrNotFound
	}
	if err == nil && m.front == nil {
		err = fmt.Errorf("%w front matter in %s", memory.ErrInvalid, e.path)
	}
	return m, err
}

func (s *Store) newAtom(at place, it memory.Item) (place, error) {
	front := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range fields(&it) {
		if f.value != nil {
			setKey(front, f.key, f.value)
		}
	}
	data, err := (&document{}).withFront(front, &it.Content)
	if err != nil {
		return at, err
	}
	// The end of the ID keeps two branches that learn the same title apart.
	file, err := freeName(at.entry.root.Dir, slug(&it)+"-"+shortID(it.ID))
	if err != nil {
		return at, err
	}
	if err := s.replace(file, data); err != nil {
		return at, err
	}
	at.entry.file, at.entry.path = file, at.entry.root.Name+"/"+filepath.Base(file)
	return at, nil
}

// field is a key of the front matter; a nil value leaves it out.
type field struct {
	key   string
	value *yaml.Node
}

// fields lists the front matter of an item, in the order in which a new file
// has it.
func fields(it *memory.Item) []field {
	str := func(s string) *yaml.Node {
		if s == "" {
			return nil
		}
		return scalar(s)
	}
	num := func(n int) *yaml.Node {
		if n == 0 {
			return nil
		}
		return bare(strconv.Itoa(n))
	}
	at := func(t time.Time) *yaml.Node {
		if t.IsZero() {
			return nil
		}
		return bare(t.Format(time.RFC3339Nano))
	}
	all := func(s []string) *yaml.Node {
		if len(s) == 0 {
			return nil
		}
		return list(s)
	}
	m := &it.Metadata
	return []field{
		{"id", str(it.ID)},
		{"kind", str(string(it.Kind))},
		{"topic", str(string(it.Topic))},
		{"title", str(it.Title)},
		{"tier", str(string(it.Tier))},
		{"confidence", bare(strconv.FormatFloat(m.Confidence, 'g', -1, 64))},
		{"confirmations", num(m.Confirmations)},
		{"source", str(string(m.Source))},
		{"created_at", at(m.CreatedAt)},
		{"updated_at", at(m.UpdatedAt)},
		{"valid_from", at(it.ValidFrom)},
		{"valid_to", at(it.ValidTo)},
		{"supersedes", str(it.Relations.Supersedes)},
		{"related_to", all(it.Relations.RelatedTo)},
		{"tags", all(m.Tags)},
		{"triggers", all(it.Triggers)},
		{"aliases", all(it.Aliases)},
		{"audience", str(it.Audience)},
		{"session", str(m.Session)},
		{"evidence", all(m.Evidence)},
		{"access_count", num(m.AccessCount)},
		{"last_accessed", at(m.LastAccessed)},
	}
}

func same(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// putFact rewrites the lines of one bullet. Its tag stays as written while the
// tier does.
func (s *Store) putFact(at place, m *markdown, it memory.Item) (place, error) {
	f := m.fact(at.fact)
	if f == nil {
		return at, memory.ErrNotFound
	}
	old := m.factItem(f)
	tag := f.tag
	if it.Tier != old.Tier {
		tag = tierTag(it.Tier)
	}
	text := strings.TrimSpace(it.Content)
	read, _, err := s.parseClean(&at.entry, m.doc.raw)
	if err != nil {
		return at, err
	}
	if g := read.fact(at.fact); g != nil && text == g.text {
		text = f.text // the file stays as it is written
	}
	if err := m.unretireFact(at.fact); err != nil {
		return at, err
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
	data, err := m.doc.withFront(m.front, nil)
	if err != nil {
		return at, err
	}
	return at, s.replace(at.entry.file, data)
}

func (m *markdown) fact(hash string) *fact {
	for i := range m.facts {
		if m.facts[i].hash == hash {
			return &m.facts[i]
		}
	}
	return nil
}

func tierTag(t memory.Tier) string {
	switch t {
	case memory.Provisional:
		return "[臨] "
	case memory.Observed:
		return "[觀] "
	case memory.Settled:
		return "[固] "
	}
	return ""
}

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
		setKey(m.front, "retired_why", nil)
		if why != "" {
			setKey(m.front, "retired_why", scalar(why))
		}
	} else {
		gone := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if before := value(m.front, "retired_facts"); before != nil && before.Kind == yaml.SequenceNode {
			gone.Content = before.Content
		}
		one := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		setKey(one, "fact", scalar(p.fact))
		setKey(one, "at", when)
		if why != "" {
			setKey(one, "why", scalar(why))
		}
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

func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// Bounds of a file name: readable in a listing, legal everywhere with room
// for a number and the suffix.
const (
	slugRunes = 48
	slugBytes = 96
)

// slug makes a file name of the title, or of the first words of the content:
// letters and digits of any script, joined by dashes.
func slug(it *memory.Item) string {
	from := it.Title
	if strings.TrimSpace(from) == "" {
		from = it.Content
	}
	var b strings.Builder
	n, dash := 0, false
	for _, r := range norm.NFC.String(strings.ToLower(from[:min(len(from), 1024)])) {
		if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			dash = b.Len() > 0
			continue
		}
		// Beyond half of the bound a word's end is a good place to stop.
		if b.Len()+utf8.RuneLen(r)+1 > slugBytes || n >= slugRunes || dash && n > slugRunes/2 && it.Title == "" {
			break
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		b.WriteRune(r)
		n++
	}
	name := b.String()
	switch {
	case name == "":
		return "item"
	case reserved(name):
		return name + "-item"
	}
	return name
}

// reserved names mean something else to this program or to Windows.
func reserved(name string) bool {
	switch name {
	case "memory", "con", "prn", "aux", "nul":
		return true
	}
	if _, isDay := logDay(name + ".md"); isDay {
		return true
	}
	device := strings.TrimRight(name, "0123456789")
	return (device == "com" || device == "lpt") && len(name) == 4
}

// freeName finds a file name that is not taken, also not in other letter case
// where the file system does not tell them apart.
func freeName(dir, base string) (string, error) {
	for n := 1; n < 100_000; n++ {
		name := base + ".md"
		if n > 1 {
			name = base + "-" + strconv.Itoa(n) + ".md"
		}
		file := filepath.Join(dir, name)
		switch _, err := os.Lstat(file); {
		case errors.Is(err, fs.ErrNotExist):
			return file, nil
		case err != nil:
			return "", err
		}
	}
	return "", fmt.Errorf("%w: no free name for %s.md in %s", memory.ErrRefused, base, dir)
}
