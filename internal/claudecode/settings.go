package claudecode

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"orihon/memory"
)

// document is a settings file that is changed by cutting and inserting text, so
// that not a byte of what others wrote moves: comments, order, indentation,
// line ends and trailing commas stay.
type document struct {
	path string
	src  []byte
	root hujson.Value
}

// edit replaces src[from:to].
type edit struct {
	from, to int
	text     string
}

// maxBrackets bounds the brackets of a settings file: the parser goes as deep as
// they do, and a project's settings may come from strangers.
const maxBrackets = 20_000

func parseSettings(path string, src []byte) (*document, error) {
	if bytes.Count(src, []byte("["))+bytes.Count(src, []byte("{")) > maxBrackets {
		return nil, fmt.Errorf("%w: %s has more than %d brackets; nothing was written", memory.ErrRefused, path, maxBrackets)
	}
	root, err := hujson.Parse(src)
	if err != nil {
		var line, column int
		_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column)
		if reason := errors.Unwrap(err); reason != nil {
			err = reason
		}
		return nil, fmt.Errorf("%w: %s:%d:%d is not valid JSON (%v); mend that line and try again, nothing was written",
			memory.ErrRefused, path, line, column, err)
	}
	d := &document{path: path, src: src, root: root}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, d.mismatch(root, "the settings", "an object")
	}
	return d, nil
}

func (d *document) mismatch(v hujson.Value, what, want string) error {
	line := 1 + bytes.Count(d.src[:v.StartOffset], []byte("\n"))
	return fmt.Errorf("%w: %s:%d: %s must be %s; mend that line and try again, nothing was written",
		memory.ErrRefused, d.path, line, what, want)
}

// apply returns the text with the edits, which must not overlap.
func (d *document) apply(edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, d.src[at:e.from]...)
		out = append(out, e.text...)
		at = e.to
	}
	return append(out, d.src[at:]...)
}

// members yields the values that an object has under a name, in order; the
// client goes by the last.
func members(v hujson.Value, name string) []hujson.Value {
	var found []hujson.Value
	if o, ok := v.Value.(*hujson.Object); ok {
		for _, m := range o.Members {
			if text(m.Name) == name {
				found = append(found, m.Value)
			}
		}
	}
	return found
}

func last(v hujson.Value, name string) (hujson.Value, bool) {
	found := members(v, name)
	if len(found) == 0 {
		return hujson.Value{}, false
	}
	return found[len(found)-1], true
}

func elements(v hujson.Value) []hujson.Value {
	if a, ok := v.Value.(*hujson.Array); ok {
		return a.Elements
	}
	return nil
}

// text is the value of a string, and empty for anything else.
func text(v hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok && l.Kind() == '"' {
		return l.String()
	}
	return ""
}

// child is where an element or member stands.
type child struct {
	before     int // start of the blanks and comments before it
	start, end int
	comma      int // the comma behind it, -1 when there is none
}

func children(v hujson.Value) []child {
	var out []child
	add := func(first, value hujson.Value) {
		c := child{
			before: first.StartOffset - len(first.BeforeExtra),
			start:  first.StartOffset, end: value.EndOffset,
			comma: value.EndOffset + len(value.AfterExtra),
		}
		out = append(out, c)
	}
	trailing := false
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			add(m.Name, m.Value)
			trailing = m.Value.AfterExtra != nil
		}
	case *hujson.Array:
		for _, e := range c.Elements {
			add(e, e)
			trailing = e.AfterExtra != nil
		}
	}
	// A last value has something behind it only when a comma follows that.
	if n := len(out); n > 0 && !trailing {
		out[n-1].comma = -1
	}
	return out
}

// insert appends a child to an object or array, in the layout that the
// container already has.
func (d *document) insert(into hujson.Value, render func(l layout) string) []edit {
	l := d.layout()
	kids := children(into)
	closing := into.EndOffset - 1
	if len(kids) == 0 {
		inner := string(d.src[into.StartOffset+1 : closing])
		kept := strings.TrimRight(inner, " \t\r\n")
		at := into.StartOffset + 1 + len(kept)
		if l.newline == "" && strings.Contains(kept, "//") {
			l.newline = "\n"
		}
		outer := d.indent(into.StartOffset)
		l.indent = outer + l.unit
		body := l.lineStart() + render(l)
		if l.newline != "" && !strings.Contains(inner[len(kept):], "\n") {
			body += l.newline + outer
		}
		return []edit{{at, at, body}}
	}

	end := kids[len(kids)-1]
	var edits []edit
	tail, comma := end.end, ","
	if end.comma >= 0 {
		tail = end.comma + 1
	} else {
		edits, comma = append(edits, edit{end.end, end.end, ","}), ""
	}
	kept := strings.TrimRight(string(d.src[tail:closing]), " \t\r\n")
	if lead := string(d.src[end.before:end.start]); strings.Contains(lead, "\n") {
		l.newline = cmp.Or(l.newline, "\n")
		l.indent = d.indent(end.start)
	} else {
		l.newline, l.gap = "", lead
		if strings.TrimSpace(lead) != "" || (lead == "" && l.colon == ": ") {
			l.gap = " "
		}
		if strings.Contains(kept, "//") {
			l.gap = "\n"
		}
	}
	at := tail + len(kept)
	return append(edits, edit{at, at, l.lineStart() + render(l) + comma})
}

// remove takes child i out of its container, with one comma and the blanks
// before it. Comments stay.
func (d *document) remove(from hujson.Value, i int) []edit {
	kids := children(from)
	k := kids[i]
	lead := string(d.src[k.before:k.start])
	kept := strings.TrimRight(lead, " \t\r\n")
	cut := edit{from: k.before + len(kept), to: k.end}
	var edits []edit
	switch {
	case k.comma >= 0:
		cut.to = k.comma + 1
	case i > 0:
		edits = append(edits, edit{kids[i-1].comma, kids[i-1].comma + 1, ""})
	}
	// What follows must not slip into a line comment.
	after := bytes.TrimLeft(d.src[cut.to:], " \t\r")
	if strings.Contains(kept, "//") && !bytes.HasPrefix(after, []byte("\n")) {
		cut.text = "\n"
	}
	return append(edits, cut)
}

// inner is the text between the brackets of a container.
func (d *document) inner(v hujson.Value) string {
	return string(d.src[v.StartOffset+1 : v.EndOffset-1])
}

// indent is the white space at the beginning of the line of an offset.
func (d *document) indent(at int) string {
	line := d.src[bytes.LastIndexByte(d.src[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// layout is how a file is written.
type layout struct {
	newline string // "" when everything stands on one line
	unit    string // one step of indentation
	indent  string // of the child being written
	colon   string
	gap     string // before an inline child
}

func (l layout) lineStart() string {
	if l.newline == "" {
		return l.gap
	}
	return l.newline + l.indent
}

func (d *document) layout() layout {
	l := layout{newline: "\n", unit: "  ", colon: ": "}
	if i := bytes.IndexByte(d.src, '\n'); i > 0 && d.src[i-1] == '\r' {
		l.newline = "\r\n"
	}
	root, ok := d.root.Value.(*hujson.Object)
	if !ok || len(root.Members) == 0 {
		return l
	}
	first := root.Members[0]
	if len(first.Value.BeforeExtra) == 0 {
		l.colon = ":"
	}
	if !bytes.Contains(d.src[d.root.StartOffset:d.root.EndOffset], []byte("\n")) {
		l.newline = ""
	} else if step := d.indent(first.Name.StartOffset); step != "" && bytes.Contains(first.Name.BeforeExtra, []byte("\n")) {
		l.unit = step
	}
	return l
}

// member and the values below are what Orihon writes: just enough JSON.
type member struct {
	name  string
	value any // object, []any, string or int
}

type object []member

func (l layout) write(v any) string {
	var open, shut string
	var parts []string
	in := l
	in.indent += l.unit
	switch v := v.(type) {
	case object:
		open, shut = "{", "}"
		for _, m := range v {
			parts = append(parts, in.member(m))
		}
	case []any:
		open, shut = "[", "]"
		for _, e := range v {
			parts = append(parts, in.write(e))
		}
	case int:
		return strconv.Itoa(v)
	case string:
		return string(hujson.String(v))
	}
	if l.newline == "" {
		return open + strings.Join(parts, ","+strings.TrimPrefix(l.colon, ":")) + shut
	}
	return open + in.lineStart() + strings.Join(parts, ","+in.lineStart()) + l.lineStart() + shut
}

func (l layout) member(m member) string {
	return string(hujson.String(m.name)) + l.colon + l.write(m.value)
}
