package redact

import (
	"strings"
	"unicode/utf8"
)

// Shown is text as a terminal shows it: without what only steers it, such as
// colours, the cursor, titles and links, and without what was struck over. Line
// breaks and tabs stay. All that looks for secrets looks at text that is shown so:
// a colour within a word must not hide it.
func Shown(s string) string { return shown(s, false) }

// shown also knows the sequences whose escape is escaped itself, where that is asked
// for: source code has them without meaning to steer anything.
func shown(s string, escaped bool) string {
	if !strings.ContainsAny(s, "\x1b\b\u009b\u009d\u0090\u0098\u009e\u009f") && (!escaped || !strings.Contains(s, "u001")) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		within := s[i] == '\\' && (!escaped || i > 0 && s[i-1] == '\\')
		switch n := 0; {
		case s[i] == '\b':
			if _, size := utf8.DecodeLastRune(out); size > 0 && out[len(out)-1] != '\n' {
				out = out[:len(out)-size]
			}
			i++
		case !within:
			if n = Sequence(s[i:]); n > 0 {
				i += n
				break
			}
			fallthrough
		default:
			out = append(out, s[i])
			i++
		}
	}
	return string(out)
}

// Sequence is the length of the control sequence of a terminal that a text begins
// with, 0 where it begins with none. One that is broken off goes as far as it is
// one. The escape may itself be escaped, as in a document within a document; only
// colours and their like are known then.
func Sequence(s string) int {
	switch {
	case s == "":
	case s[0] == 0x1b:
		return 1 + escapeSequence(s[1:])
	case s[0] == '\\':
		n := 1
		for n < len(s) && s[n] == '\\' {
			n++
		}
		if hasFoldedPrefix(s[n:], "u001b[") {
			n += len("u001b[")
			return n + controlSequence(s[n:])
		}
	case s[0] == 0xc2 && len(s) > 1 && 0x80 <= s[1] && s[1] < 0xa0:
		// The same in one character, whose second byte is the escape's next one.
		switch next := s[1] - 0x40; next {
		case '[', ']', 'P', 'X', '^', '_':
			return 2 + behindEscape(next, s[2:])
		}
	}
	return 0
}

// escapeSequence is the length of what belongs to an escape before s.
func escapeSequence(s string) int {
	if s == "" {
		return 0
	}
	switch next := s[0]; {
	case ' ' <= next && next <= '/': // a character set
		n := 1
		for n < len(s) && ' ' <= s[n] && s[n] <= '/' {
			n++
		}
		if n < len(s) && '0' <= s[n] && s[n] <= '~' {
			n++
		}
		return n
	case strings.IndexByte("[]PX^_", next) >= 0:
		return 1 + behindEscape(next, s[1:])
	case strings.IndexByte(`78=>DEHMNOZc\`, next) >= 0:
		return 1
	}
	return 0
}

// behindEscape is the length of what follows an escape and its next byte.
func behindEscape(next byte, s string) int {
	if next == '[' {
		return controlSequence(s)
	}
	return controlString(s)
}

// controlSequence is the length of the numbers and the letter that end a sequence.
func controlSequence(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '?' {
		n++
	}
	for n < len(s) && ' ' <= s[n] && s[n] <= '/' {
		n++
	}
	if n < len(s) && '@' <= s[n] && s[n] <= '~' {
		n++
	}
	return n
}

// controlString is the length of a title, a link or another text for the terminal,
// with its end; 0 where it is not ended on its line, so that no more than its
// beginning goes.
func controlString(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\a':
			return i + 1
		case 0x1b:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 0
		case '\n':
			return 0
		case 0xc2:
			if i+1 < len(s) && s[i+1] < 0xa0 { // only U+009C ends one
				if s[i+1] == 0x9c {
					return i + 2
				}
				return 0
			}
		}
	}
	return 0
}
