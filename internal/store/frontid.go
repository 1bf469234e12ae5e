package store

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// withID is the file with an ID in its front matter. Every byte that stands
// there stays: a line is added, or the value of an id key that is empty. Where
// that would say anything else than before, the error wraps [memory.ErrRefused]
// and the file is to stay as it is.
func (d *document) withID(id string) ([]byte, error) {
	before, _, err := d.parseFront()
	if err != nil {
		return nil, err
	}
	// Plain UUIDs need no quotes; whatever else an ID is gets those it needs.
	value, err := yaml.Marshal(id)
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(string(value), "\n")
	for _, e := range d.idEdits(before, text) {
		data := slices.Concat(d.raw[:e.from], []byte(e.text), d.raw[e.to:])
		if after := splitDocument(data); after.addsOnlyID(before, id) && bytes.Equal(data[after.bodyAt:], d.raw[d.bodyAt:]) {
			return data, nil
		}
	}
	return nil, fmt.Errorf("%w: no place for it was found in the front matter", memory.ErrRefused)
}

// edit puts a text in the place of some bytes of a file.
type edit struct {
	from, to int
	text     string
}

// idEdits lists the ways to write an ID down, the best first. Some may break
// the front matter: whether one does is for the caller to see.
func (d *document) idEdits(front *yaml.Node, id string) (edits []edit) {
	for i := 0; i+1 < len(front.Content); i += 2 {
		if k, v := front.Content[i], front.Content[i+1]; k.Value == "id" {
			return d.fillings(k, v, id)
		}
	}
	if len(front.Content) == 0 {
		return nil
	}
	if front.Style&yaml.FlowStyle != 0 {
		at := d.lineAt(front.Line)
		line, _ := nextLine(d.raw, at)
		at += strings.IndexByte(line, '{') + 1
		return []edit{{at, at, "id: " + id + ", "}}
	}
	// Keys stand below each other only when they are indented alike.
	at := d.lineAt(front.Content[0].Line)
	line, _ := nextLine(d.raw, at)
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	for _, at := range []int{d.fence, at, d.fenceEnd()} {
		edits = append(edits, edit{at, at, indent + "id: " + id + d.eol()})
	}
	return edits
}

// fillings are the ways to give an id key without a value one.
func (d *document) fillings(k, v *yaml.Node, id string) (edits []edit) {
	at := d.lineAt(k.Line)
	line, _ := nextLine(d.raw, at)
	// A key may be quoted; nothing else that ends in a colon can stand before.
	colon := strings.Index(line, ":")
	if colon < 0 || strings.TrimSpace(v.Value) != "" && v.Tag != "!!null" {
		return nil
	}
	rest := line[colon+1:]
	gap := len(rest) - len(strings.TrimLeft(rest, " \t"))
	from := at + colon + 1
	for _, empty := range []string{`""`, "''", "~", "null", "Null", "NULL"} {
		if strings.HasPrefix(rest[gap:], empty) {
			edits = append(edits, edit{from + gap, from + gap + len(empty), id})
		}
	}
	return append(edits, edit{from, from, " " + id})
}

// addsOnlyID reports whether the front matter says what it said before and
// has the ID.
func (d *document) addsOnlyID(before *yaml.Node, id string) bool {
	front, _, err := d.parseFront()
	if err != nil || !d.hasFront {
		return false
	}
	v := value(front, "id")
	if v == nil {
		return false
	}
	got, err := text(v)
	return err == nil && got == id && sameNode(withoutID(before), withoutID(front), 0)
}

// withoutID is a mapping without its first id key.
func withoutID(front *yaml.Node) *yaml.Node {
	out := *front
	for i := 0; i+1 < len(front.Content); i += 2 {
		if front.Content[i].Value == "id" {
			out.Content = slices.Delete(slices.Clone(front.Content), i, i+2)
			break
		}
	}
	return &out
}

// sameNode compares what two YAML values say. An alias is compared by its
// name: what it stands for is compared where it is defined.
func sameNode(a, b *yaml.Node, depth int) bool {
	const deepest = 10_000 // as deep as the parser goes
	if depth > deepest || a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, func(x, y *yaml.Node) bool { return sameNode(x, y, depth+1) })
}

// lineAt is the offset in the file of a line of the front matter, counted from 1.
func (d *document) lineAt(n int) int {
	at := d.fence
	for ; n > 1 && at < d.bodyAt; n-- {
		_, at = nextLine(d.raw, at)
	}
	return at
}

// fenceEnd is the offset of the line that closes the front matter.
func (d *document) fenceEnd() int {
	at := d.fence
	for {
		if _, next := nextLine(d.raw, at); next >= d.bodyAt {
			return at
		} else {
			at = next
		}
	}
}
