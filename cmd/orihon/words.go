package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"orihon/internal/inert"
	"orihon/internal/redact"
	"orihon/memory"
)

// shortID is the end of an ID, which tells items apart: the beginning of a
// UUIDv7 is its time.
func shortID(id string) string {
	const n = 12
	if len(id) <= n {
		return id
	}
	return id[len(id)-n:]
}

// headline is an item on one line, its title first; what the item says of a request that
// is its title is not said again.
func headline(it *memory.Item) string {
	text := it.Content
	if title := strings.TrimRight(it.Title, "…."); title != "" {
		if _, behind, found := strings.Cut(text, title); found && it.Kind == memory.Episodic {
			if end := strings.IndexAny(behind, "”」"); end >= 0 {
				text = strings.TrimLeft(behind[end:], "”」. 。")
			}
		}
		text = strings.TrimRight(it.Title+": "+text, ": ")
	}
	return clipped(text, 100)
}

// when words a time; none stands for one that is not known.
func when(t time.Time, layout, none string) string {
	if t.IsZero() {
		return none
	}
	return t.Format(layout)
}

// describe names what sort of item it is.
func describe(it *memory.Item) string {
	if it.Topic == "" || string(it.Topic) == string(it.Kind) {
		return string(it.Kind)
	}
	return string(it.Kind) + "/" + string(it.Topic)
}

// plural counts things for people.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func humanBytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

func ago(now, t time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	}
}

// relative shortens a path under the project for people.
func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

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
