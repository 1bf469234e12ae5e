package copies

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"
)

// Clean puts a mark in the place of every copy. Text that is JSON, or has lines
// of it, is looked at string by string, and so is what stands in the strings:
// what was JSON is so afterwards, and what holds no copy stays to the byte.
func (w *Words) Clean(text []byte, mark string) []byte {
	if w.short == nil && len(w.Find(text)) == 0 {
		return text
	}
	if isJSON(text) {
		return w.cleanJSON(text, mark)
	}
	var out, prose []byte
	flush := func() {
		out = append(out, w.cleanText(prose, mark)...)
		prose = prose[:0]
	}
	for line := range bytes.Lines(text) {
		if isDocument(line) {
			flush()
			out = append(out, w.cleanJSON(line, mark)...)
			continue
		}
		prose = append(prose, line...)
	}
	flush()
	return out
}

// isJSON reports whether a text is an object, a list or a string.
func isJSON(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) < 2 {
		return false
	}
	first, last := text[0], text[len(text)-1]
	paired := first == '{' && last == '}' || first == '[' && last == ']' || first == '"' && last == '"'
	return paired && json.Valid(text)
}

// isDocument reports whether a line is JSON by itself: a word in quotes, or a list
// of none, is prose.
func isDocument(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] != '"' && bytes.IndexByte(line, '"') >= 0 && isJSON(line)
}

func (w *Words) cleanJSON(raw []byte, mark string) []byte {
	out, _ := Strings(raw, func(s string) (string, bool) {
		clean := string(w.Clean([]byte(s), mark))
		return clean, clean != s
	})
	return out
}

// apart matches where one string of JSON ends and the next begins, for JSON in
// what is none: a copy does not reach over it.
var apart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\*"\s*[,:\]}][\s\[{]*\\*"`) })

func (w *Words) cleanText(text []byte, mark string) []byte {
	spans := w.Find(text)
	if len(spans) == 0 {
		return text
	}
	var out []byte
	done := 0
	put := func(from, to int) {
		if from < to {
			out = append(append(out, text[done:from]...), mark...)
			done = to
		}
	}
	for _, s := range spans {
		from := s.From
		for _, at := range apart().FindAllIndex(text[s.From:s.To], -1) {
			put(from, s.From+at[0])
			from = s.From + at[1]
		}
		put(from, s.To)
	}
	return append(out, text[done:]...)
}

// Strings gives every string of a JSON text, keys included, to edit and returns
// the text with those for which that returns true replaced, otherwise unchanged to
// the byte, and how many they are.
func Strings(raw []byte, edit func(string) (string, bool)) (out []byte, n int) {
	done := 0 // everything before is in out
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(raw))
		var s string
		if json.Unmarshal(raw[i:end], &s) == nil {
			if t, changed := edit(s); changed {
				out = append(append(out, raw[done:i]...), quoted(t)...)
				done = end
				n++
			}
		}
		i = end - 1
	}
	if n == 0 {
		return raw, 0
	}
	return append(out, raw[done:]...), n
}

// quoted is a string as JSON, with < > and & as they are.
func quoted(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return bytes.TrimRight(b.Bytes(), "\n")
}
