package store

import (
	"fmt"

	"orihon/memory"
)

// atomPassages are the bullets of an atom, and its prose in chunks. The first
// chunk of an atom without bullets has the atom's own ID.
func (m *markdown) atomPassages(e *entry) []memory.Passage {
	var out []memory.Passage
	for i := range m.facts {
		f := &m.facts[i]
		if f.text == "" {
			continue // all of it is private
		}
		retired, _ := m.factRetired(f)
		it := m.factItem(f)
		parent := m.item.ID
		if f.unaccepted {
			parent = unacceptedPrefix + m.path
		}
		out = append(out, memory.Passage{
			ID: it.ID, Item: it, Source: e.path, Line: f.line, EndLine: f.end,
			Heading: f.heading, Parent: parent, Retired: retired,
		})
	}
	lines := m.lines
	if len(m.facts) > 0 {
		lines = withoutBullets(lines)
	}
	whole := m.whole()
	for n, c := range chunks(lines, m.item.Title) {
		p := memory.Passage{Item: whole, Source: e.path, Line: c.line, EndLine: c.end, Heading: c.heading, Retired: m.retired}
		p.ID, p.Parent = fmt.Sprintf("%s#%d", whole.ID, n+1), whole.ID
		if n == 0 && len(m.facts) == 0 {
			p.ID, p.Parent = whole.ID, ""
		}
		p.Item.ID, p.Item.Content = p.ID, c.text
		out = append(out, p)
	}
	return out
}

func notePassages(m *markdown, e *entry) []memory.Passage {
	var out []memory.Passage
	it := note(m, e.root)
	lines := m.lines
	if m.core {
		for _, f := range m.facts {
			if f.text == "" {
				continue // all of it is private
			}
			p := chunkPassage(it, e, chunk{text: f.text, heading: f.heading, line: f.line, end: f.end}, 0)
			p.ID = noteID(&it, e) + "#" + f.hash
			p.Item.ID = p.ID
			out = append(out, p)
		}
		lines = withoutBullets(lines)
	}
	for i, c := range chunks(lines, m.item.Title) {
		out = append(out, chunkPassage(it, e, c, i+1))
	}
	return out
}

// note is what all passages of a file of free text share. Times come from the
// text alone, so that the same text is the same memory on every machine.
func note(m *markdown, root *Root) memory.Item {
	it := m.item
	it.Kind, it.Topic, it.Tier = memory.Note, "", ""
	it.Relations = memory.Relations{}
	it.Metadata.Confidence = memory.StatedConfidence
	if root.Notes {
		it.Metadata.Confidence = memory.ImportedConfidence
	}
	if m.unaccepted {
		it = unaccepted(it, m.path, "")
	}
	return it
}

// noteID is what the passages of a note are named after: its path, or the ID of
// what nobody has accepted.
func noteID(it *memory.Item, e *entry) string {
	if Unaccepted(it.ID) {
		return it.ID
	}
	return e.path
}

func chunkPassage(it memory.Item, e *entry, c chunk, n int) memory.Passage {
	it.ID, it.Content = fmt.Sprintf("%s#%d", noteID(&it, e), n), c.text
	return memory.Passage{ID: it.ID, Item: it, Source: e.path, Line: c.line, EndLine: c.end, Heading: c.heading}
}
