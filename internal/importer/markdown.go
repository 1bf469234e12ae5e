package importer

import (
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// prose is a Markdown text, cut into what a person would call its statements.
type prose struct {
	front  front
	blocks []block
}

// front is the front matter; unreadable, it is empty.
type front map[string]any

func (f front) text(name string) string {
	s, _ := f[name].(string)
	return strings.TrimSpace(s)
}

// block is a bullet with what belongs to it, or a paragraph.
type block struct {
	line    int // from 1
	heading string
	text    string
	bullet  bool
}

// parseMarkdown cuts a text: each outer bullet with all that is indented below
// it is a block, and so is each paragraph or table. Code belongs to what stands
// before it. Headings, comments, rules and blocks without words are no blocks.
func parseMarkdown(text string) prose {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var p prose
	start := 0
	if strings.TrimRight(lines[0], " ") == "---" {
		for i := 1; i < len(lines); i++ {
			if strings.TrimRight(lines[i], " ") == "---" {
				_ = yaml.Unmarshal([]byte(strings.Join(lines[1:i], "\n")), &p.front) // unreadable is empty
				start = i + 1
				break
			}
		}
	}
	c := cutter{prose: &p}
	for i := start; i < len(lines); i++ {
		c.line(strings.TrimRight(lines[i], " \t"), i+1)
	}
	c.flush()
	return p
}

type cutter struct {
	*prose
	heading string
	open    []string
	first   int
	bullet  bool
	blank   bool // the last line was
	fence   string
	comment bool
}

func (c *cutter) line(s string, number int) {
	trimmed := strings.TrimSpace(s)
	indented := s != "" && (s[0] == ' ' || s[0] == '\t')
	switch {
	case c.fence != "":
		if c.add(s, number); strings.HasPrefix(trimmed, c.fence) {
			c.fence = ""
		}
		return
	case c.comment:
		c.comment = !strings.Contains(s, "-->")
		return
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		c.fence = trimmed[:3]
		c.add(s, number)
		return
	case strings.HasPrefix(trimmed, "<!--"):
		c.comment = !strings.Contains(trimmed, "-->")
		return
	case trimmed == "":
		c.blank = true
		return
	case !indented && strings.HasPrefix(s, "#") && strings.HasPrefix(strings.TrimLeft(s, "#"), " "):
		c.flush()
		c.heading = strings.TrimSpace(strings.Trim(s, "#"))
		return
	case strings.Trim(trimmed, "-*_ ") == "" || strings.Trim(trimmed, "=") == "":
		c.flush()
		return
	}
	rest, isBullet := afterMarker(trimmed)
	switch {
	case isBullet && !indented:
		c.flush()
		c.bullet = true
		s = rest
	case c.blank && !(indented && c.bullet):
		c.flush()
	case c.bullet && indented && !isBullet:
		s = trimmed
	}
	c.add(s, number)
}

func (c *cutter) add(s string, number int) {
	if len(c.open) == 0 {
		c.first = number
	}
	c.open, c.blank = append(c.open, s), false
}

func (c *cutter) flush() {
	text := strings.TrimSpace(strings.Join(c.open, "\n"))
	if hasWords(text) {
		c.blocks = append(c.blocks, block{line: c.first, heading: c.heading, text: text, bullet: c.bullet})
	}
	c.open, c.bullet, c.blank = nil, false, false
}

// afterMarker is what follows the marker of a bullet.
func afterMarker(s string) (string, bool) {
	for _, m := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(s, m); ok {
			rest = strings.TrimSpace(rest)
			for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
				rest = strings.TrimPrefix(rest, box)
			}
			return rest, true
		}
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits > 0 && digits < 4 && (strings.HasPrefix(s[digits:], ". ") || strings.HasPrefix(s[digits:], ") ")) {
		return strings.TrimSpace(s[digits+2:]), true
	}
	return "", false
}

// hasWords reports whether a text says anything: three letters, or two
// characters of a script without spaces.
func hasWords(s string) bool {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r), unicode.Is(unicode.Hiragana, r), unicode.Is(unicode.Katakana, r):
			n += 2
		case unicode.IsLetter(r):
			n++
		}
		if n > 2 {
			return true
		}
	}
	return false
}

// markdown makes a fact of every block of a file, under its heading.
func (r *run) markdown(text string) error {
	p := parseMarkdown(text)
	topic := memory.Fact
	for _, name := range []string{"topic", "audience"} {
		// What makes a statement sensitive must not get lost on its way.
		if t := memory.Topic(strings.ToLower(p.front.text(name))); t == memory.Architecture || t == memory.Decision {
			topic = t
		}
	}
	for _, b := range p.blocks {
		r.count("block")
		if err := r.fact(Fact{
			Title: b.heading, Text: b.text, Kind: memory.Semantic, Topic: topic,
			Created: p.front.time("created_at"), Updated: p.front.time("updated_at"),
		}, b.line); err != nil {
			return err
		}
	}
	return nil
}

// time is a time, which YAML may have read as one or as text.
func (f front) time(name string) time.Time {
	switch v := f[name].(type) {
	case time.Time:
		return parseTime(v.Format(time.RFC3339Nano))
	case string:
		return parseTime(v)
	}
	return time.Time{}
}
