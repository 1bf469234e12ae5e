package store

import (
	"fmt"
	"slices"
	"strings"

	"orihon/internal/redact"
	"orihon/memory"
)

// A Markdown file is its author's and stays as written. What is read from it
// has no secrets and no private spans in it, whatever becomes of it: passages,
// vectors, items that are listed or exported, the text a session begins with.

// readClean is [readMarkdown] without secrets and private spans.
func (s *Store) readClean(e *entry) (*markdown, []memory.Problem, error) {
	raw, err := readText(e.file)
	if err != nil {
		return nil, nil, err
	}
	return s.parseClean(e, raw)
}

// parseClean is [parseMarkdown] without secrets and private spans. It says
// where they stand.
func (s *Store) parseClean(e *entry, raw []byte) (*markdown, []memory.Problem, error) {
	m, problems, err := parseMarkdown(e, raw)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range m.clean(s.redactor) {
		problems = append(problems, memory.Problem{Path: e.path, Line: p.Line, Text: p.Text})
	}
	if m.conflict > 0 {
		m.withhold()
		return m, problems, nil
	}
	m.judge(e)
	return m, problems, nil
}

// clean takes secrets and private spans out of all that was read, by looking at
// the whole text: a private key may reach over several list items. Lines keep
// their numbers and what they are.
func (m *markdown) clean(r *redact.Redactor) (problems []memory.Problem) {
	_, found := r.Lines(string(m.doc.front))
	for i := range found {
		found[i].Line++ // the opening fence
	}
	title := m.item.Title
	m.cleanFields(r)
	body, open := redact.PrivateLines(m.body)
	body, inBody := r.Lines(body)
	for _, p := range inBody {
		p.Line += m.doc.bodyLine - 1
		found = append(found, p)
	}
	for _, p := range found {
		problems = append(problems, memory.Problem{Line: p.Line, Text: fmt.Sprintf("holds a secret (%s): it is not indexed and goes to no model, but it stands in the file: take it out", p.Rule)})
	}
	if open > 0 {
		problems = append(problems, memory.Problem{Line: open + m.doc.bodyLine - 1, Text: "<private> is not closed: nothing behind it is read; end it with </private>"})
	}
	if body == m.body && m.item.Title == title {
		return problems
	}
	m.item.Content = m.people(body)
	written := m.lines
	m.lines = withTexts(written, strings.Split(body, "\n"))
	if m.isList() {
		m.facts = readFacts(m.lines, written, m.item.Title)
	}
	for i := range m.lines {
		m.lines[i].settle()
	}
	return problems
}

// cleanFields takes secrets and private spans out of the front matter as it was
// read.
func (m *markdown) cleanFields(r *redact.Redactor) {
	wipe := func(s string) string {
		s, _ = r.Text(redact.Private(s))
		return strings.TrimSpace(s)
	}
	it := &m.item
	it.Title, it.Metadata.Session, m.why = wipe(it.Title), wipe(it.Metadata.Session), wipe(m.why)
	for _, list := range []*[]string{&it.Metadata.Tags, &it.Metadata.Evidence, &it.Triggers, &it.Aliases, &it.NeededWhen} {
		for i, s := range *list {
			(*list)[i] = wipe(s)
		}
		*list = slices.DeleteFunc(*list, func(s string) bool { return s == "" })
	}
	for hash, why := range m.gone {
		m.gone[hash] = wipe(why)
	}
}
