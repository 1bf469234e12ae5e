package main

import (
	"fmt"
	"strings"
	"unicode"

	"orihon/internal/inert"
	"orihon/internal/redact"
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

// oneLine is a text as a line for people.
// It may be kept, as that of a detached process is in hook.log: secrets are out.
func oneLine(s string) string {
	s, _ = redact.Text(redact.Private(s))
	return shown(strings.Join(strings.Fields(s), " "))
}

// clipped is a text on one line of at most n characters.
func clipped(s string, n int) string {
	r := []rune(oneLine(s))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}

// printable keeps foreign text from steering a terminal, or the agent that runs
// the command.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) {
			return r
		}
		return -1
	}, inert.Text(s))
}
