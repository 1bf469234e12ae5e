package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// markdown is a Markdown file as memory reads it.
type markdown struct {
	doc   document
	front *yaml.Node // nil without front matter that parses
	lines []line

	// item is what the front matter says; its Content is the body. Of a file
	// that is no atom only the title is of use.
	item memory.Item
	atom bool // it has a key that only atoms have: it holds items, not free text
	// derived says that an atom's ID is not written in it: it is known by its
	// path until it gets one.
	derived bool
	core    bool // it is a MEMORY.md
	// body is that of doc with the lines of the program's section left empty,
	// section which lines of it they are.
	body    string
	section [2]int
	// conflict is the line of the file in which a merge conflict begins, 0 without one.
	conflict int

	facts   []fact
	retired bool
	why     string
	gone    map[string]string // hashes of retired bullets, and why

	// Of text that others may have written, see [markdown.judge].
	path       string    // of the file
	judged     bool      // it is such text
	unaccepted bool      // nobody has accepted the prose, or the note
	units      []string  // hashes of all that is accepted by itself
	waits      []string  // those that nobody has accepted
	down       int       // how many of them the person rejected
	rejected   []Waiting // these, as far as they say anything
	unheard    bool      // the prose is among them
}

// readMarkdown reads a file and names what is wrong with it. Broken front
// matter leaves the rest readable as a note.
//
// It is the text as it is written, for whoever changes the file or erases from
// it; everything that is derived from it comes from [Store.readClean].
func readMarkdown(e *entry) (*markdown, []memory.Problem, error) {
	raw, err := readText(e.file)
	if err != nil {
		return nil, nil, err
	}
	return parseMarkdown(e, raw)
}

// reread parses the file of an atom under the lock, so that what is changed is
// what stands there now.
func (s *Store) reread(e *entry) (*markdown, error) {
	m, _, err := readMarkdown(e)
	if errors.Is(err, errGone) {
		err = memory.ErrNotFound
	}
	if err == nil && m.conflict > 0 {
		err = fmt.Errorf("%w: %s:%d holds a merge conflict: mend it first", memory.ErrRefused, e.path, m.conflict)
	}
	if err == nil && m.front == nil {
		err = fmt.Errorf("%w front matter in %s", memory.ErrInvalid, e.path)
	}
	return m, err
}

func parseMarkdown(e *entry, raw []byte) (*markdown, []memory.Problem, error) {
	if err := checkText(raw); err != nil {
		return nil, nil, err
	}
	var problems []memory.Problem
	report := func(line int, format string, args ...any) {
		problems = append(problems, memory.Problem{Path: e.path, Line: line, Text: oneLine(fmt.Sprintf(format, args...))})
	}
	if !utf8.Valid(raw) {
		report(0, "is not valid UTF-8: save the file as UTF-8")
	}
	if i := bytes.IndexByte(raw, 0); i >= 0 {
		report(lineNumber(raw, i), "holds a NUL, which is read as \ufffd: take it out")
	}
	m := &markdown{doc: splitDocument(raw)}
	m.doc.body = strings.ReplaceAll(strings.ToValidUTF8(m.doc.body, "\ufffd"), "\x00", "\ufffd")
	if len(m.doc.front) > maxFront {
		return nil, nil, fmt.Errorf("%w text: its front matter is larger than %d KB, so that nothing of it is read: shorten it", memory.ErrInvalid, maxFront>>10)
	}
	m.core = filepath.Base(e.file) == coreName
	m.body = m.doc.body
	if m.core {
		from, to, wrong := kept(m.body)
		if wrong.Text != "" {
			report(wrong.Line+m.doc.bodyLine-1, "%s; until then all of the file is read as yours", wrong.Text)
		}
		m.section, m.body = [2]int{from, to}, blanked(m.body, from, to)
	}
	if m.conflict = m.conflictLine(); m.conflict > 0 {
		report(m.conflict, "merge conflict: nothing of the file is read until you keep what is right and delete the marks (<<<<<<<, =======, >>>>>>>)")
	}
	if m.doc.broken && m.conflict == 0 {
		report(1, "front matter is not closed: end it with a line ---; until then the file is read as a note")
	}
	if m.doc.hasFront {
		m.readFront(e, report)
	}
	body, left := readable(m.body, m.isList())
	if left > 0 {
		report(left+m.doc.bodyLine-1, "what follows is not read: of an atom the first %d KB are, of any file %d lines; split it", maxAtom>>10, maxLines)
	}
	m.lines = scanLines(body, m.doc.bodyLine)
	m.item.Content = m.people(m.body)
	m.item.Scope = e.root.Scope
	if m.isList() {
		m.facts = readFacts(m.lines, m.lines, m.item.Title)
	}
	if n := len(m.facts); n == maxFacts {
		report(m.facts[n-1].line, "is the last of %d list items that are read in a file: split it", maxFacts)
	}
	if m.derived = m.atom && m.item.ID == ""; m.derived {
		m.item.ID = e.path
	}
	return m, problems, nil
}

// conflictLine finds the first mark of a merge conflict that is not mended, in the
// front matter or the body; 0 is none. The program's section is written anew anyway.
func (m *markdown) conflictLine() int {
	text := m.body
	if m.doc.hasFront {
		text = "\n" + string(m.doc.front) + "\n" + text
	}
	n, begins := 0, 0
	for line := range strings.Lines(text) {
		n++
		switch {
		case begins == 0 && strings.HasPrefix(line, "<<<<<<< "):
			begins = n
		case begins > 0 && (strings.TrimSpace(line) == "=======" || strings.HasPrefix(line, ">>>>>>> ")):
			return begins
		}
	}
	return 0
}

// withhold leaves nothing of a file that holds a merge conflict: which side is right
// is not known, and neither is told.
func (m *markdown) withhold() {
	m.item, m.atom, m.derived = memory.Item{Scope: m.item.Scope}, false, false
	m.lines, m.facts, m.body = nil, nil, ""
}

// people is what people wrote of a body, or of what is left of it, line by line.
func (m *markdown) people(body string) string {
	return strings.Trim(cutLines(body, m.section[0], m.section[1]), "\n")
}

// frontLine is the line of the file in which its front matter begins.
func (m *markdown) frontLine() int {
	if m.front == nil || len(m.front.Content) == 0 {
		return 1
	}
	return m.front.Content[0].Line + 1
}

// firstLine is the line of the file in which its text begins.
func (m *markdown) firstLine() int {
	for i := range m.lines {
		if c := m.lines[i].class; c != blank && c != unseen {
			return m.lines[i].n
		}
	}
	return m.doc.bodyLine
}

// isList reports whether each bullet of the file is a passage of its own.
func (m *markdown) isList() bool { return m.atom || m.core }

// readFront takes the fields out of the front matter, one by one, so that a
// wrong one costs only itself.
func (m *markdown) readFront(e *entry, report func(line int, format string, args ...any)) {
	front, at, err := m.doc.parseFront()
	if err != nil && m.conflict > 0 {
		return // which is why
	}
	if err != nil {
		report(at, "front matter: %v: mend it; until then the file is read as a note", err)
		return
	}
	m.front = front
	it := &m.item
	it.Kind = memory.Semantic
	it.Metadata.Confidence = memory.StatedConfidence // somebody wrote it by hand
	_, isLog := logDay(e.path)
	mayBe := !e.root.Notes && !isLog && filepath.Base(e.file) != coreName
	seen := make(map[string]bool)
	for i := 0; i+1 < len(front.Content); i += 2 {
		k, v := front.Content[i], front.Content[i+1]
		line := k.Line + 1 // the opening fence
		if seen[k.Value] {
			report(line, "front matter: key %q stands twice, the last one counts: delete the other", k.Value)
		}
		seen[k.Value] = true
		if err := m.readKey(k.Value, v); err != nil {
			report(line, "front matter: %s: %v; the key is ignored", k.Value, err)
		}
		switch k.Value {
		case "id", "kind", "topic":
			m.atom = m.atom || mayBe
		}
	}
}

func (m *markdown) readKey(key string, v *yaml.Node) (err error) {
	it, meta := &m.item, &m.item.Metadata
	switch key {
	case "id":
		it.ID, err = text(v)
	case "kind":
		it.Kind, err = parsed(v, memory.ParseKind, it.Kind)
	case "topic":
		it.Topic, err = parsed(v, memory.ParseTopic, it.Topic)
	case "title":
		it.Title, err = text(v)
	case "tier":
		it.Tier, err = tier(v)
	case "confidence":
		meta.Confidence, err = parsed(v, confidence, meta.Confidence)
	case "confirmations":
		meta.Confirmations, err = parsed(v, strconv.Atoi, 0)
	case "source":
		meta.Source, err = parsed(v, memory.ParseSource, "")
	case "created_at":
		meta.CreatedAt, err = parsed(v, moment, time.Time{})
	case "updated_at":
		meta.UpdatedAt, err = parsed(v, moment, time.Time{})
	case "reworded_at":
		meta.RewordedAt, err = parsed(v, moment, time.Time{})
	case "session":
		meta.Session, err = text(v)
	case "evidence":
		meta.Evidence, err = texts(v)
	case "tags":
		meta.Tags, err = texts(v)
	case "access_count":
		meta.AccessCount, err = parsed(v, strconv.Atoi, 0)
	case "last_accessed":
		meta.LastAccessed, err = parsed(v, moment, time.Time{})
	case "triggers":
		it.Triggers, err = texts(v)
	case "aliases":
		it.Aliases, err = texts(v)
	case "needed_when":
		it.NeededWhen, err = texts(v)
	case "audience":
		it.Audience, err = text(v)
	case "supersedes":
		it.Relations.Supersedes, err = text(v)
	case "related_to":
		it.Relations.RelatedTo, err = texts(v)
	case "valid_from":
		it.ValidFrom, err = parsed(v, moment, time.Time{})
	case "valid_to":
		it.ValidTo, err = parsed(v, moment, time.Time{})
	case "retired":
		var s string
		s, err = text(v)
		m.retired = s != "" && s != "false"
	case "retired_why":
		m.why, err = text(v)
	case "retired_facts":
		m.gone, err = retiredFacts(v)
	}
	return err
}

// factClaims is a bullet as the text would have it.
func (m *markdown) factClaims(f *fact) memory.Item {
	it := m.item
	it.ID += "#" + f.hash
	it.Content = f.text
	if f.tier != "" {
		it.Tier = f.tier
	}
	return it
}

func (m *markdown) factRetired(f *fact) (bool, string) {
	if m.retired {
		return true, m.why
	}
	why, ok := m.gone[f.hash]
	return ok, why
}

func (m *markdown) fact(hash string) *fact {
	for i := range m.facts {
		if m.facts[i].hash == hash {
			return &m.facts[i]
		}
	}
	return nil
}

// mayBeAtom looks at the first bytes only: an atom begins with front matter.
func mayBeAtom(file string) bool {
	f, err := jsonl.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 6)
	n, _ := io.ReadFull(f, head)
	return bytes.HasPrefix(bytes.TrimPrefix(head[:n], []byte("\ufeff")), []byte("---"))
}
