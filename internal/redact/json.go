package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// JSON cleans the strings of a document, keys included: each is unescaped,
// loses its private spans and its secrets, and is escaped again only if
// something was found. All other bytes stay as they are. A value is also
// judged by the key it stands under, by the option before it in a list of
// arguments, and by a "name" beside a "value". What is not JSON is treated as
// text.
func (r *Redactor) JSON(raw json.RawMessage) (json.RawMessage, []Finding) {
	if plain(raw) {
		return raw, nil
	}
	if !json.Valid(raw) {
		s, found := r.Text(Private(string(raw)))
		if s == string(raw) {
			return raw, nil
		}
		return json.RawMessage(s), found
	}
	d := document{raw: raw, r: r}
	d.walk()
	if d.out == nil {
		return raw, nil
	}
	return append(d.out, raw[d.kept:]...), findings(&d.counts)
}

// Call is [Redactor.JSON] for what a tool is called with. What is written into a file
// that holds credentials loses its values.
func (r *Redactor) Call(input json.RawMessage) (json.RawMessage, []Finding) {
	if !ShowsCredentials(input) {
		return r.JSON(input)
	}
	d := document{raw: input, r: r, settings: true}
	d.walk()
	if d.out == nil {
		return input, nil
	}
	return append(d.out, input[d.kept:]...), findings(&d.counts)
}

// plain reports whether nothing in raw can be of interest: no cue, no private
// tag, and no escape that could hide one.
func plain(raw []byte) bool {
	if bytes.Contains(raw, []byte(`\/`)) || bytes.Contains(raw, []byte(`\u`)) || bytes.Contains(raw, []byte(`\b`)) {
		return false
	}
	s := string(raw)
	seen := false
	machine().each(s, func(_, _, _ int) { seen = true })
	if seen {
		return false
	}
	from, _, _ := nextTag(s, 0)
	return from < 0
}

// document is one walk over a valid document.
type document struct {
	raw    []byte
	r      *Redactor
	counts [ruleCount]int
	out    []byte // nil until something was found
	kept   int    // raw before it is already in out
	levels []level
	// settings says that its strings stand in a file that holds credentials.
	settings bool
}

// level is an open object or array.
type level struct {
	object bool
	value  bool   // the next string is a value
	key    string // of the object's current member; of the array itself
	name   string // what a member called "name" or "key" said
	before string // the string before, in an array
}

func (d *document) walk() {
	raw := d.raw
	for i := 0; i < len(raw); {
		top := d.top()
		switch b := raw[i]; b {
		case '{':
			d.levels = append(d.levels, level{object: true, name: nameOf(top)})
			i++
		case '[':
			key := ""
			if top != nil {
				key = top.key
			}
			d.levels = append(d.levels, level{key: key, value: true})
			i++
		case '}', ']':
			d.levels = d.levels[:len(d.levels)-1]
			i++
		case ':':
			top.value = true
			i++
		case ',':
			top.value = !top.object
			i++
		case '"':
			end := stringEnd(raw, i)
			d.text(i, end, top)
			i = end
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := i
			for end < len(raw) && (isDigit(raw[end]) || bytes.IndexByte([]byte("+-.eE"), raw[end]) >= 0) {
				end++
			}
			d.number(i, end, top)
			i = end
		default:
			i++
		}
	}
}

func (d *document) top() *level {
	if len(d.levels) == 0 {
		return nil
	}
	return &d.levels[len(d.levels)-1]
}

// stringEnd is the place behind the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// text cleans the string from..to.
func (d *document) text(from, to int, top *level) {
	s := unquote(d.raw[from:to])
	was := s
	s = Private(shown(s, true))
	isKey := top != nil && top.object && !top.value
	if k := unnamed; !isKey && s != "" {
		if name := nameOf(top); name != "" {
			k = keyKind(name)
		}
		if k != unnamed && !d.r.off[credential] && secretValue(k, s, inQuotes) {
			s = d.named(s)
		}
	}
	s, found := d.clean(s, top, isKey)
	for _, f := range found {
		d.counts[slices.Index(names[:], f.Rule)] += f.Count
	}
	d.remember(s, top, isKey)
	if s != was {
		d.replace(from, to, s)
	}
}

// clean takes the secrets out of a string.
func (d *document) clean(s string, top *level, isKey bool) (string, []Finding) {
	if !d.settings || isKey || placeKey(nameOf(top)) {
		return d.r.Text(s)
	}
	return d.r.Settings(s)
}

// named replaces a value that its key gives away. A shape within it may still
// give the better name.
func (d *document) named(s string) string {
	if clean, found := d.r.Text(s); len(found) == 1 && markAt(clean, 0) == len(strings.TrimSpace(clean)) {
		return s
	}
	d.counts[credential]++
	return mark(credential)
}

// number replaces a password of digits alone; other credentials are never
// plain numbers.
func (d *document) number(from, to int, top *level) {
	if d.r.off[credential] || keyKind(nameOf(top)) != password || !digits.all(string(d.raw[from:to])) || to-from < 4 {
		return
	}
	d.counts[credential]++
	d.replace(from, to, mark(credential))
}

// nameOf is what names the value that comes next.
func nameOf(top *level) string {
	switch {
	case top == nil:
		return ""
	case !top.object && strings.HasPrefix(top.before, "-"):
		return strings.TrimLeft(top.before, "-")
	case top.object && top.name != "" && strings.EqualFold(top.key, "value"):
		return top.name
	}
	return top.key
}

// remember keeps what the next string may need.
func (d *document) remember(s string, top *level, isKey bool) {
	const longest = 96 // a longer text is no name
	if len(s) > longest {
		s = ""
	}
	switch {
	case top == nil:
	case isKey:
		top.key = s
	case !top.object:
		top.before = s
	case strings.EqualFold(top.key, "name") || strings.EqualFold(top.key, "key"):
		top.name = s
	}
}

func (d *document) replace(from, to int, s string) {
	if d.out == nil {
		d.out = make([]byte, 0, len(d.raw)+64)
	}
	d.out = append(d.out, d.raw[d.kept:from]...)
	d.out = append(d.out, quote(s)...)
	d.kept = to
}

// unquote reads a valid JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw[1 : len(raw)-1])
	}
	return s
}

// quote writes a JSON string, leaving < > & as they are.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // strings always encode
		return []byte(`""`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
