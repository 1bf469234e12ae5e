package journal

import (
	"bytes"
	"unicode/utf8"
)

// maxDepth is how deep a value may be nested, as in the decoder.
const maxDepth = 10_000

// valid reports what [encoding/json.Valid] does, several times as fast: opening
// a long journal is mostly this.
func valid(data []byte) bool {
	rest, ok := skipValue(skipSpace(data), 0)
	return ok && len(skipSpace(rest)) == 0
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// skipValue returns what stands behind the value that b begins with.
func skipValue(b []byte, depth int) (rest []byte, ok bool) {
	if len(b) == 0 || depth > maxDepth {
		return nil, false
	}
	switch b[0] {
	case '"':
		return skipString(b[1:])
	case '{':
		return skipList(skipSpace(b[1:]), depth+1, '}')
	case '[':
		return skipList(skipSpace(b[1:]), depth+1, ']')
	case 't':
		return bytes.CutPrefix(b, []byte("true"))
	case 'f':
		return bytes.CutPrefix(b, []byte("false"))
	case 'n':
		return bytes.CutPrefix(b, []byte("null"))
	}
	return skipNumber(b)
}

// skipString begins behind the opening quote.
func skipString(b []byte) (rest []byte, ok bool) {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return b[i+1:], true
		case c < ' ':
			return nil, false
		case c != '\\':
			continue
		}
		if i++; i >= len(b) {
			return nil, false
		}
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if i+4 >= len(b) || !isHex(b[i+1]) || !isHex(b[i+2]) || !isHex(b[i+3]) || !isHex(b[i+4]) {
				return nil, false
			}
			i += 4
		default:
			return nil, false
		}
	}
	return nil, false
}

func isHex(c byte) bool {
	return c < utf8.RuneSelf && ('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f')
}

// skipList begins behind the opening bracket, or brace: then each value has a
// key.
func skipList(b []byte, depth int, end byte) (rest []byte, ok bool) {
	if len(b) > 0 && b[0] == end {
		return b[1:], depth <= maxDepth
	}
	for {
		if end == '}' {
			if b, ok = skipKey(b); !ok {
				return nil, false
			}
		}
		if b, ok = skipValue(b, depth); !ok {
			return nil, false
		}
		if b = skipSpace(b); len(b) == 0 {
			return nil, false
		}
		switch b[0] {
		case end:
			return b[1:], true
		case ',':
			b = skipSpace(b[1:])
		default:
			return nil, false
		}
	}
}

// skipKey skips a key and the colon behind it.
func skipKey(b []byte) (rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, false
	}
	if b, ok = skipString(b[1:]); !ok {
		return nil, false
	}
	if b = skipSpace(b); len(b) == 0 || b[0] != ':' {
		return nil, false
	}
	return skipSpace(b[1:]), true
}

func skipNumber(b []byte) (rest []byte, ok bool) {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	switch {
	case len(b) == 0 || b[0] < '0' || b[0] > '9':
		return nil, false
	case b[0] == '0':
		b = b[1:]
	default:
		b = skipDigits(b)
	}
	if len(b) > 0 && b[0] == '.' {
		rest := skipDigits(b[1:])
		if len(rest) == len(b)-1 {
			return nil, false
		}
		b = rest
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		b = b[1:]
		if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		rest := skipDigits(b)
		if len(rest) == len(b) {
			return nil, false
		}
		b = rest
	}
	return b, true
}

func skipDigits(b []byte) []byte {
	for len(b) > 0 && '0' <= b[0] && b[0] <= '9' {
		b = b[1:]
	}
	return b
}
