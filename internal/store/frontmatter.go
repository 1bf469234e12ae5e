package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// document is a Markdown file taken apart without losing a byte of its body.
type document struct {
	front    []byte // between the fences, line ends as LF; nil without front matter
	hasFront bool
	body     string // line ends as LF
	bodyLine int    // number of its first line
	raw      []byte // the file
	fence    int    // offset in raw behind the opening fence line
	bodyAt   int    // offset in raw of the body
	crlf     bool
	broken   bool // an opening fence without a closing one
}

// splitDocument separates the front matter between two --- lines from the body.
func splitDocument(raw []byte) document {
	d := document{raw: raw, bodyLine: 1}
	start := 0
	if bytes.HasPrefix(raw, []byte("\ufeff")) {
		start = len("\ufeff")
	}
	if i := bytes.IndexByte(raw, '\n'); i > 0 && raw[i-1] == '\r' {
		d.crlf = true
	}
	d.bodyAt = start
	line, next := nextLine(raw, start)
	if strings.TrimRight(line, " \t\r") == "---" && next > start {
		d.fence = next
		for at, n := next, 2; at < len(raw); n++ {
			line, next := nextLine(raw, at)
			if t := strings.TrimRight(line, " \t\r"); t == "---" || t == "..." {
				d.hasFront, d.front = true, unixLines(raw[d.fence:at])
				d.bodyAt, d.bodyLine = next, n+1
				break
			}
			at = next
		}
		d.broken = !d.hasFront
	}
	d.body = string(unixLines(raw[d.bodyAt:]))
	return d
}

func (d *document) eol() string {
	if d.crlf {
		return "\r\n"
	}
	return "\n"
}

// parseFront reads the front matter as the YAML mapping it must be. An error
// names the line of the file.
func (d *document) parseFront() (front *yaml.Node, line int, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(d.front, &doc); err != nil {
		text := strings.TrimPrefix(oneLine(err.Error()), "yaml: ")
		line = 1
		if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
			line++ // the opening fence
			_, text, _ = strings.Cut(text, ": ")
		}
		return nil, line, errors.New(text)
	}
	if doc.Kind == 0 {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, 0, nil
	}
	front = doc.Content[0]
	if front.Kind != yaml.MappingNode {
		return nil, front.Line + 1, errors.New("is not a list of keys and values")
	}
	return front, 0, nil
}

// withFront is the file with other front matter and, when body is not nil,
// another body. The bytes of a body that stays are not touched.
func (d *document) withFront(front *yaml.Node, body *string) ([]byte, error) {
	var buf bytes.Buffer
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	if err := enc.Encode(front); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	text := "---\n" + buf.String() + "---\n"
	if body != nil {
		text += "\n" + *body + "\n"
	}
	if d.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if body != nil {
		return []byte(text), nil
	}
	return append([]byte(text), d.raw[d.bodyAt:]...), nil
}

// setKey sets a key of a mapping, keeping its place and its comments; a nil
// value takes the key away.
func setKey(front *yaml.Node, key string, value *yaml.Node) {
	kept := front.Content[:0:0]
	done := value == nil
	for i := 0; i+1 < len(front.Content); i += 2 {
		k, v := front.Content[i], front.Content[i+1]
		if k.Value == key {
			if done {
				continue
			}
			value.LineComment, value.HeadComment, value.FootComment = v.LineComment, v.HeadComment, v.FootComment
			v, done = value, true
		}
		kept = append(kept, k, v)
	}
	if !done {
		kept = append(kept, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	}
	front.Content = kept
}

func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// scalar is a value that reads back as the same string.
func scalar(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

// bare is a number or a time, which needs no quotes.
func bare(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// given is scalar, and nil for no text.
func given(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return scalar(s)
}

// list is nil without values.
func list(values []string) *yaml.Node {
	if len(values) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, v := range values {
		n.Content = append(n.Content, scalar(v))
	}
	return n
}

// field is a key of the front matter; a nil value leaves it out.
type field struct {
	key   string
	value *yaml.Node
}

// fields lists the front matter of an item, in the order in which a new file
// has it.
func fields(it *memory.Item) []field {
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
	m := &it.Metadata
	return []field{
		{"id", given(it.ID)},
		{"kind", given(string(it.Kind))},
		{"topic", given(string(it.Topic))},
		{"title", given(it.Title)},
		{"tier", given(string(it.Tier))},
		{"confidence", bare(strconv.FormatFloat(m.Confidence, 'g', -1, 64))},
		{"confirmations", num(m.Confirmations)},
		{"source", given(string(m.Source))},
		{"created_at", at(m.CreatedAt)},
		{"updated_at", at(m.UpdatedAt)},
		{"reworded_at", at(m.RewordedAt)},
		{"valid_from", at(it.ValidFrom)},
		{"valid_to", at(it.ValidTo)},
		{"supersedes", given(it.Relations.Supersedes)},
		{"related_to", list(it.Relations.RelatedTo)},
		{"tags", list(m.Tags)},
		{"triggers", list(it.Triggers)},
		{"aliases", list(it.Aliases)},
		{"needed_when", list(it.NeededWhen)},
		{"audience", given(it.Audience)},
		{"session", given(m.Session)},
		{"evidence", list(m.Evidence)},
		{"access_count", num(m.AccessCount)},
		{"last_accessed", at(m.LastAccessed)},
	}
}

// frontOf is the front matter of an item that has none yet.
func frontOf(it *memory.Item) *yaml.Node {
	front := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range fields(it) {
		setKey(front, f.key, f.value)
	}
	return front
}

func same(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, same)
}
