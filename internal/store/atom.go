package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

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
	atom bool // it has a key that only atoms have
	// derived says that an atom's ID is not written in it: it is known by its
	// path until it gets one.
	derived bool
	core    bool // it is a MEMORY.md

	facts   []fact
	retired bool
	why     string
	gone    map[string]string // hashes of retired bullets, and why

	// Of text that others may have written, see [markdown.judge].
	path       string   // of the file
	judged     bool     // it is such text
	unaccepted bool     // nobody has accepted the prose, or the note
	units      []string // hashes of all that is accepted by itself
	waits      []string // those that nobody has accepted
}

// fact is a bullet of an atom, or of a MEMORY.md.
type fact struct {
	hash    string
	tier    memory.Tier // by its tag; empty follows the atom
	tag     string      // as written, with the blank behind it
	text    string
	heading string
	line    int
	end     int

	unaccepted bool // nobody here has accepted it
}

// readMarkdown reads a file and names what is wrong with it. Broken front
// matter leaves the rest readable as a note.
//
// It is the text as it is written, for whoever changes the file or erases from
// it; everything that is derived from it comes from [Store.readClean].
func readMarkdown(e *entry) (*markdown, []memory.Problem, error) {
	raw, err := readText(e.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errGone
	}
	if err != nil {
		return nil, nil, err
	}
	return parseMarkdown(e, raw)
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
		report(1+bytes.Count(raw[:i], []byte("\n")), "holds a NUL, which is read as \ufffd: take it out")
	}
	m := &markdown{doc: splitDocument(raw)}
	m.doc.body = strings.ReplaceAll(strings.ToValidUTF8(m.doc.body, "\ufffd"), "\x00", "\ufffd")
	if m.doc.broken {
		report(1, "front matter is not closed: end it with a line ---; until then the file is read as a note")
	}
	if len(m.doc.front) > maxFront {
		return nil, nil, fmt.Errorf("%w text: its front matter is larger than %d KB, so that nothing of it is read: shorten it", memory.ErrInvalid, maxFront>>10)
	}
	if m.doc.hasFront {
		m.readFront(e, report)
	}
	m.core = filepath.Base(e.file) == coreName
	body, left := readable(m.doc.body, m.isList())
	if left > 0 {
		report(left+m.doc.bodyLine-1, "what follows is not read: of an atom the first %d KB are, of any file %d lines; split it", maxAtom>>10, maxLines)
	}
	var conflicts []int
	m.lines, conflicts = scanLines(body, m.doc.bodyLine)
	for _, n := range conflicts {
		report(n, "merge conflict: both sides are read; keep what is right and delete the marks")
	}
	m.item.Content = strings.Trim(m.doc.body, "\n")
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

// frontLine is the line of the file in which its front matter begins.
func (m *markdown) frontLine() int {
	if m.front == nil || len(m.front.Content) == 0 {
		return 1
	}
	return m.front.Content[0].Line + 1
}

// isAtom reports whether the file holds items rather than free text.
func (m *markdown) isAtom() bool { return m.atom }

// isList reports whether each bullet of the file is a passage of its own.
func (m *markdown) isList() bool { return m.atom || m.core }

// readFront takes the fields out of the front matter, one by one, so that a
// wrong one costs only itself.
func (m *markdown) readFront(e *entry, report func(line int, format string, args ...any)) {
	front, at, err := m.doc.parseFront()
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

func text(v *yaml.Node) (string, error) {
	v = anchored(v)
	if v.Kind != yaml.ScalarNode {
		return "", errors.New("want a single value")
	}
	if v.Tag == "!!null" {
		return "", nil
	}
	return strings.ToValidUTF8(strings.TrimSpace(v.Value), "\ufffd"), nil
}

// anchored is the value that an alias (*name) stands for.
func anchored(v *yaml.Node) *yaml.Node {
	if v.Kind == yaml.AliasNode {
		return v.Alias
	}
	return v
}

// texts reads a list, or a single value as a list of one. A comma in it
// separates, since people write tags that way.
func texts(v *yaml.Node) ([]string, error) {
	v = anchored(v)
	if v.Kind == yaml.ScalarNode {
		s, err := text(v)
		var out []string
		for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
		return out, err
	}
	if v.Kind != yaml.SequenceNode {
		return nil, errors.New("want a list such as [a, b]")
	}
	var out []string
	for _, n := range v.Content {
		s, err := text(n)
		if err != nil {
			return nil, errors.New("want a list such as [a, b]")
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out, nil
}

func parsed[T any](v *yaml.Node, parse func(string) (T, error), otherwise T) (T, error) {
	s, err := text(v)
	if err != nil || s == "" {
		return otherwise, err
	}
	out, err := parse(s)
	if err != nil {
		return otherwise, err
	}
	return out, nil
}

// tier also reads [臨], which YAML takes for a list of one.
func tier(v *yaml.Node) (memory.Tier, error) {
	if v.Kind == yaml.SequenceNode && len(v.Content) == 1 {
		v = v.Content[0]
	}
	return parsed(v, memory.ParseTier, "")
}

func confidence(s string) (float64, error) {
	c, err := strconv.ParseFloat(s, 64)
	if err != nil || !(c >= 0 && c <= 1) {
		return 0, fmt.Errorf("%q is not a number from 0 to 1", s)
	}
	return c, nil
}

// moment reads a time as people write it; without a zone it is UTC.
func moment(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 2026-01-31 or 2026-01-31T09:30:00Z", s)
}

func retiredFacts(v *yaml.Node) (map[string]string, error) {
	if v.Kind != yaml.SequenceNode {
		return nil, errors.New("want a list")
	}
	gone := make(map[string]string)
	for _, n := range v.Content {
		var hash, why string
		for i := 0; i+1 < len(n.Content); i += 2 {
			switch n.Content[i].Value {
			case "fact":
				hash = n.Content[i+1].Value
			case "why":
				why = n.Content[i+1].Value
			}
		}
		if hash == "" {
			return nil, errors.New("want entries with the key fact")
		}
		gone[hash] = why
	}
	return gone, nil
}

// readFacts gathers the bullets. Of two that say the same the first counts.
// What they say stands in lines, what names them in written: the same lines,
// with nothing taken out, so that a bullet keeps its name whatever is.
func readFacts(lines, written []line, title string) []fact {
	var facts []fact
	seen := make(map[string]bool)
	var where trail
	under := where.under(title)
	for i := range lines {
		if len(facts) == maxFacts {
			break
		}
		l := &lines[i]
		if l.class == heading {
			where = where.enter(l)
			under = where.under(title)
		}
		if l.class != bullet {
			continue
		}
		f := fact{line: l.n, heading: under}
		f.tag, f.tier = tagOf(written[i].text[written[i].start:])
		f.text, f.end = itemText(lines, i)
		said, _ := itemText(written, i)
		f.hash = factHash(said)
		if said != "" && !seen[f.hash] {
			seen[f.hash] = true
			facts = append(facts, f)
		}
	}
	return facts
}

// itemText is the text of the list item that begins with lines[i], without its
// marker and tag, and the number of its last line.
func itemText(lines []line, i int) (text string, end int) {
	l := &lines[i]
	first := l.text[l.start:]
	tag, _ := tagOf(first)
	parts := []string{strings.TrimRight(first[len(tag):], " \t")}
	end = l.n
	for j := i + 1; j < len(lines); j++ {
		next := &lines[j]
		if next.class == bullet || next.class == heading || next.class == prose || next.class == code {
			break
		}
		if next.class == unseen {
			continue
		}
		parts = append(parts, dedent(next.text, l.start))
		if next.class == inside {
			end = next.n
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n")), end
}

// tagOf reads the tier a bullet begins with.
func tagOf(s string) (tag string, tier memory.Tier) {
	end := strings.IndexByte(s, ']')
	if end < 0 || s[0] != '[' {
		return "", ""
	}
	tier, err := memory.ParseTier(s[:end+1])
	if err != nil || tier == "" {
		return "", ""
	}
	rest := strings.TrimLeft(s[end+1:], " \t")
	return s[:len(s)-len(rest)], tier
}

// dedent takes up to n columns of blanks away.
func dedent(s string, n int) string {
	for n > 0 && s != "" && (s[0] == ' ' || s[0] == '\t') {
		s, n = s[1:], n-1
	}
	return strings.TrimRight(s, " \t")
}

// factHash names a bullet by its text: composed the same way (NFC), with every
// run of blanks as one.
func factHash(text string) string {
	sum := sha256.Sum256([]byte(oneLine(norm.NFC.String(text))))
	return hex.EncodeToString(sum[:4])
}

// factItem is a bullet as an item: the atom's fields, its own text and tier.
func (m *markdown) factItem(f *fact) memory.Item {
	it := m.factClaims(f)
	if f.unaccepted {
		return unaccepted(it, m.path, f.hash)
	}
	return it
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
