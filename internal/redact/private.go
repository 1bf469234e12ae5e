package redact

import "strings"

// Private shows a text, see [Shown], and removes everything between <private> and </private>, the tags
// included, whatever their case. Spans may be nested; one that is never closed
// reaches to the end. The brackets may be escaped as JSON escapes them
// (\u003c), as they are in a document within a document.
func Private(s string) string {
	s = Shown(s)
	for range maxPasses {
		next, found, _ := cutPrivate(s, false)
		if !found {
			return s
		}
		s = next
	}
	// Tags that keep appearing as others go: nothing behind the first is safe.
	if from, _, _ := nextTag(s, 0); from >= 0 {
		return s[:from]
	}
	return s
}

// cutPrivate removes the spans of one reading, but for their line breaks when
// these are kept. A closing tag without an opening one stays where it is.
// Unclosed is where a span begins that reaches to the end, else negative.
func cutPrivate(s string, keepBreaks bool) (clean string, found bool, unclosed int) {
	var b strings.Builder
	depth, kept, begun, i := 0, 0, -1, 0
	leave := func(span string) {
		if keepBreaks {
			b.WriteString(breaks(span))
		}
	}
	for {
		from, to, closing := nextTag(s, i)
		if from < 0 {
			break
		}
		i = to
		switch {
		case !closing && depth == 0:
			b.WriteString(s[kept:from])
			found, begun = true, from
			depth++
		case !closing:
			depth++
		case depth > 0:
			if depth--; depth == 0 {
				leave(s[begun:to])
				kept = to
			}
		}
	}
	if !found {
		return s, false, -1
	}
	if depth > 0 {
		leave(s[begun:])
		return b.String(), true, begun
	}
	b.WriteString(s[kept:])
	return b.String(), true, -1
}

// nextTag finds the next opening or closing tag at or behind i; from is
// negative when there is none.
func nextTag(s string, i int) (from, to int, closing bool) {
	for i < len(s) {
		n := strings.IndexAny(s[i:], `<\`)
		if n < 0 {
			break
		}
		i += n
		if to, closing := tagAt(s, i); to > 0 {
			return i, to, closing
		}
		i++
	}
	return -1, 0, false
}

// tagAt is the end of the tag that begins at i, 0 when none does. Attributes
// are allowed within 200 bytes.
func tagAt(s string, i int) (end int, closing bool) {
	open := bracket(s, i, '<')
	if open == 0 {
		return 0, false
	}
	i += open
	if i < len(s) && s[i] == '/' {
		closing = true
		i++
	}
	const name = "private"
	if !hasFoldedPrefix(s[i:], name) {
		return 0, false
	}
	i += len(name)
	if i == len(s) || bracket(s, i, '>') == 0 && !isSpace(s[i]) {
		return 0, false
	}
	for stop := min(len(s), i+200); i < stop; i++ {
		if n := bracket(s, i, '>'); n > 0 {
			return i + n, closing
		}
		if bracket(s, i, '<') > 0 {
			break
		}
	}
	return 0, false
}

// bracket is the length of the bracket at i, escaped or not, 0 when there is
// none.
func bracket(s string, i int, b byte) int {
	if s[i] == b {
		return 1
	}
	code := `\u003c`
	if b == '>' {
		code = `\u003e`
	}
	if s[i] == '\\' && hasFoldedPrefix(s[i:], code) {
		return len(code)
	}
	return 0
}
