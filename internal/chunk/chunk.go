// Package chunk cuts a file into pieces that can be found and shown by
// themselves: prose at headings and paragraphs, source code at its symbols.
//
// It knows languages by the look of their lines, not by their grammar: braces,
// indentation and the words that declare something are followed, and what it
// does not understand is cut at blank lines. It reads no files and decides
// nothing about which of them are worth it.
//
// Start with [Split]. Cost is linear in the text.
package chunk

import (
	"strings"

	"orihon/internal/tokens"
)

// Sizes in tokens.
const (
	// Most is the largest chunk.
	Most = 500
	// Overlap is what a part of something too long repeats of the part before.
	Overlap = 50

	enough = 150 // a chunk this large takes in no further symbol
	little = 40  // what is smaller does not stand alone if it can be helped
)

// Chunk is one piece of a file.
type Chunk struct {
	Text string
	Line int // first line, from 1
	End  int // last line
	// Heading is what the piece belongs to: the headings above a text, the
	// symbols of source code ("Store › Put"); empty when nothing is known.
	Heading string
}

// pathSeparator stands between the levels of a heading.
const pathSeparator = " › "

// Split cuts a file, whose name tells its language, into chunks in the order of
// the text. Every line that is not blank is in one of them, as it is written; a
// line that is longer than a chunk is cut.
func Split(name, text string) []Chunk {
	lines := read(text)
	return pack(lines, sections(languageOf(name, lines), lines))
}

func read(text string) []line {
	out := make([]line, 0, strings.Count(text, "\n")+1)
	for t := range strings.SplitSeq(text, "\n") {
		l := line{text: strings.TrimSuffix(t, "\r")}
		if strings.TrimSpace(l.text) != "" {
			l.indent = indent(l.text)
			l.tokens = tokens.Estimate(l.text) + 1 // and its end
		}
		out = append(out, l)
	}
	return out
}

func indent(text string) int {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// piece is a run of lines with what stands in it.
type piece struct {
	from, to int // half open
	size     int
	paths    [][]string
}

// pack makes chunks of sections: several small ones together, a large one in
// parts.
func pack(lines []line, sections []section) []Chunk {
	var out []Chunk
	var now piece
	flush := func() {
		out = cut(out, lines, now)
		now = piece{}
	}
	for i, s := range sections {
		next := piece{from: s.from, to: len(lines), paths: [][]string{s.path}}
		if i+1 < len(sections) {
			next.to = sections[i+1].from
		}
		for j := next.from; j < next.to; j++ {
			next.size += lines[j].tokens
		}
		switch {
		case next.size == 0:
			continue
		case now.size == 0:
		case now.size < little, now.size < enough && now.size+next.size <= Most:
			if now.size+next.size > Most {
				now.paths = nil // a scrap before something large
			}
			next.from, next.size = now.from, now.size+next.size
			next.paths = append(now.paths, next.paths...)
		default:
			flush()
		}
		now = next
	}
	flush()
	return out
}

// cut appends a piece as one chunk, or in parts if it is too large. A part ends
// at the best seam in its second half.
func cut(out []Chunk, lines []line, p piece) []Chunk {
	heading := headingOf(p.paths)
	for from := p.from; from < p.to; {
		if lines[from].blank() {
			from++
			continue
		}
		if lines[from].tokens > Most {
			out = cutLine(out, lines[from].text, from+1, heading)
			from++
			continue
		}
		to, size := from, 0
		for to < p.to && size+lines[to].tokens <= Most {
			size += lines[to].tokens
			to++
		}
		if to < p.to {
			to = seam(lines, from, to)
		}
		if c := chunkOf(lines, from, to); c.Text != "" {
			c.Heading = heading
			out = append(out, c)
		}
		if to >= p.to {
			break
		}
		from = back(lines, from, to)
	}
	return out
}

// seam is the best place to end a part of lines [from, to): before a line that
// follows a blank one and stands as far left as any.
func seam(lines []line, from, to int) int {
	const gap = 1000
	best, score := to, -1<<30
	for i, size := to, 0; i > from+1 && size < Most/2; i-- {
		worth := -lines[i].indent
		if lines[i].blank() {
			worth = -gap
		} else if lines[i-1].blank() {
			worth += gap
		}
		if worth > score {
			best, score = i, worth
		}
		size += lines[i-1].tokens
	}
	return best
}

// back is where the part behind one of lines [from, to) begins: a little before
// its end, unless the lines there are long.
func back(lines []line, from, to int) int {
	next, size := to, 0
	for next-1 > from && size+lines[next-1].tokens <= Overlap {
		next--
		size += lines[next].tokens
	}
	return next
}

// chunkOf is lines [from, to) without the blank ones at the end.
func chunkOf(lines []line, from, to int) Chunk {
	for to > from && lines[to-1].blank() {
		to--
	}
	texts := make([]string, 0, to-from)
	for _, l := range lines[from:to] {
		texts = append(texts, l.text)
	}
	return Chunk{Text: strings.Join(texts, "\n"), Line: from + 1, End: to}
}

// cutLine cuts a line that is too long.
func cutLine(out []Chunk, text string, number int, heading string) []Chunk {
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		// Only what can be part of it is looked at, so that the whole stays linear.
		part := tokens.Fit(rest[:min(len(rest), 4*Most+4)], Most)
		if part == "" || len(part) > len(rest) {
			part = rest
		}
		out = append(out, Chunk{Text: strings.ToValidUTF8(part, ""), Line: number, End: number, Heading: heading})
		rest = rest[len(part):]
	}
	return out
}

// headingOf names what stands in a chunk: what is common to all first, then
// what each of them is.
func headingOf(paths [][]string) string {
	if len(paths) == 0 {
		return ""
	}
	common := paths[0]
	for _, p := range paths[1:] {
		n := 0
		for n < len(common) && n < len(p) && common[n] == p[n] {
			n++
		}
		common = common[:n]
	}
	const most = 160 // bytes of names
	var names []string
	size := 0
	for _, p := range paths {
		name := strings.Join(p[len(common):], pathSeparator)
		if name == "" {
			continue
		}
		if size += len(name); size > most && len(names) > 0 {
			names = append(names, "…")
			break
		}
		names = append(names, name)
	}
	out := strings.Join(common, pathSeparator)
	if len(names) > 0 {
		if out != "" {
			out += pathSeparator
		}
		out += strings.Join(names, ", ")
	}
	return out
}
