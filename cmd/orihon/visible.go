package main

import (
	"fmt"
	"strings"
	"unicode"

	"orihon/internal/inert"
)

// visible writes out what would steer a terminal or turn the order of what it
// shows: control characters but for line breaks and tabs, and those of
// bidirectional text. It is for people; JSON has escapes of its own.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// shown is stored text for people and for the agents that run a command: as
// [visible] has it, and nothing in it can be taken for the edge of a frame.
func shown(s string) string { return inert.Text(visible(s)) }

func hidden(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}
