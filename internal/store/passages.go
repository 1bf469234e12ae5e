package store

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"orihon/internal/tokens"
	"orihon/memory"
)

// atomPassages are the bullets of an atom, and its prose in chunks. The first
// chunk of an atom without bullets has the atom's own ID.
func (m *markdown) atomPassages(e *entry) []memory.Passage {
	var out []memory.Passage
	size, lead := 0, m.lead()
	for i := range m.facts {
		size += tokens.Estimate(m.facts[i].text)
	}
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
		if lead != "" && f.unaccepted == m.unaccepted { // who trusts one trusts the other
			out[len(out)-1].Whole, out[len(out)-1].Summary = size, lead
		}
	}
	lines := m.lines
	if len(m.facts) > 0 {
		lines = withoutBullets(lines)
	}
	whole := dated(m.whole())
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

// dated is an item as its passages have it: created when its present text was.
func dated(it memory.Item) memory.Item {
	if at := it.Metadata.RewordedAt; at.After(it.Metadata.CreatedAt) {
		it.Metadata.CreatedAt = at
	}
	return it
}

// longestLead is how many tokens a paragraph has at most that stands for an atom.
const longestLead = 120

// lead is the paragraph with which an atom of bullets begins, empty for none and for
// one that is too long to sum it up.
func (m *markdown) lead() string {
	var said []string
	for i := range m.lines {
		l := &m.lines[i]
		if l.class == bullet || len(said) > 0 && l.class != prose {
			break
		}
		if l.class == prose {
			said = append(said, strings.TrimSpace(l.text))
		}
	}
	if text := strings.Join(said, "\n"); len(m.facts) > 0 && tokens.Estimate(text) <= longestLead {
		return text
	}
	return ""
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
			out = append(out, chunkPassage(it, e, chunk{text: f.text, heading: f.heading, line: f.line, end: f.end}, f.hash))
		}
		lines = withoutBullets(lines)
	}
	for i, c := range chunks(lines, m.item.Title) {
		out = append(out, chunkPassage(it, e, c, strconv.Itoa(i+1)))
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

// chunkPassage is a part of a note. It is named after the note's path, or after
// the ID of what nobody has accepted.
func chunkPassage(it memory.Item, e *entry, c chunk, name string) memory.Passage {
	of := e.path
	if Unaccepted(it.ID) {
		of = it.ID
	}
	it.ID, it.Content = of+"#"+name, c.text
	return memory.Passage{ID: it.ID, Item: it, Source: e.path, Line: c.line, EndLine: c.end, Heading: c.heading}
}

// Size of a chunk and of what it repeats of the one before, in tokens.
const (
	chunkTokens   = 500
	overlapTokens = 50
)

// chunk is a piece of free text.
type chunk struct {
	text    string
	heading string
	line    int
	end     int
}

// unit is the smallest piece a chunk is made of: a line, or a part of a line
// that is too long to stand in one chunk.
type unit struct {
	line    *line
	text    string
	heading string
	tokens  int
	// seam says how well a chunk may begin here.
	seam seam
}

type seam int

const (
	withinLine seam = iota
	atLine
	atBlock // after a blank line, or at a list item
	atHeading
)

// chunks cuts lines into pieces of at most chunkTokens. Each ends at the best
// seam in its second half: a heading, else a block, else a line. It begins with
// the end of the piece before unless a heading parts them.
func chunks(lines []line, title string) []chunk {
	units := unitsOf(lines, title)
	var out []chunk
	for start := 0; start < len(units); {
		end, size := start, 0
		for end < len(units) && (end == start || size+units[end].tokens <= chunkTokens) {
			size += units[end].tokens
			end++
		}
		if end < len(units) {
			end = bestSeam(units, start, end, size)
		}
		if c, ok := join(units[start:end]); ok {
			out = append(out, c)
		}
		if end == len(units) {
			break
		}
		next := end
		if units[end].seam != atHeading {
			for back := 0; next-1 > start && back+units[next-1].tokens <= overlapTokens; {
				next--
				back += units[next].tokens
			}
		}
		start = next
	}
	return out
}

// bestSeam finds where a chunk of units [start, end) of the given size should
// end instead, so that something remains for the next one.
func bestSeam(units []unit, start, end, size int) int {
	best := end
	for i := end; i > start+1 && size > chunkTokens/2; i-- {
		if units[i].seam > units[best].seam {
			best = i
		}
		size -= units[i-1].tokens
	}
	return best
}

func unitsOf(lines []line, title string) []unit {
	var units []unit
	var where trail
	gap := true
	for i := range lines {
		l := &lines[i]
		if l.class == unseen || l.class == blank {
			gap = true
			continue
		}
		at := atLine
		switch {
		case l.class == heading:
			where = where.enter(l)
			at = atHeading
		case gap && l.class != inside, l.class == bullet:
			at = atBlock
		}
		gap = false
		under := where.under(title)
		for rest := l.text; ; at = withinLine {
			part := head(rest)
			// The line break costs too, so that a chunk keeps its bound.
			units = append(units, unit{line: l, text: part, heading: under, tokens: tokens.Estimate(part) + 1, seam: at})
			if rest = rest[len(part):]; rest == "" {
				break
			}
		}
	}
	return units
}

// head is as much of a line as fits half the overlap, so that long lines
// overlap as well: the whole line if it can, else up to a sentence's end, else
// up to a blank.
func head(s string) string {
	// No more bytes than this can cost so little: a very long line is not
	// estimated again for each of its parts.
	const longest = 16 * chunkTokens / 2
	if len(s) <= longest && tokens.Estimate(s) <= chunkTokens/2 {
		return s
	}
	const most = overlapTokens / 2
	sentence, gap, quarters := 0, 0, 0
	for i, r := range s {
		quarters += 1
		if r >= 0x1100 {
			quarters += 5
		}
		if quarters > 4*most && i > 0 {
			switch {
			case sentence > 0:
				return s[:sentence]
			case gap > 0:
				return s[:gap]
			}
			return s[:i]
		}
		end := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			end = i + 1
		}
		switch r {
		case '。', '！', '？', '；':
			sentence = end
		case ' ', '\t':
			gap = end
			if i > 0 && strings.IndexByte(".!?;", s[i-1]) >= 0 {
				sentence = end
			}
		}
	}
	return s
}

// join puts units together again, blank lines between blocks included. A
// heading with nothing below it says nothing.
func join(units []unit) (chunk, bool) {
	for len(units) > 0 && units[len(units)-1].line.class == heading {
		units = units[:len(units)-1]
	}
	if len(units) == 0 {
		return chunk{}, false
	}
	var b strings.Builder
	for i := range units {
		u := &units[i]
		if i > 0 && u.seam != withinLine {
			b.WriteByte('\n')
			if u.line.n > units[i-1].line.n+1 {
				b.WriteByte('\n')
			}
		}
		b.WriteString(u.text)
	}
	c := chunk{
		text: strings.TrimSpace(b.String()), heading: units[0].heading,
		line: units[0].line.n, end: units[len(units)-1].line.n,
	}
	return c, c.text != ""
}
