package window

import (
	"regexp"
	"strings"
	"sync"
)

// withoutFrames is a text without the frames of stack traces: they name what was
// running, and of that mostly the runtime and the standard library, not what the
// work is about. What was thrown and why stays.
func withoutFrames(text string) string {
	lines := strings.SplitAfter(text, "\n")
	kept := lines[:0:0]
	numbered := false // a trace of Rust, whose frames are a number and a name
	code := -1        // indent of a frame under which its code stands; -1 for none
	for _, line := range lines {
		s := strings.TrimSpace(line)
		indent := strings.Index(line, s)
		switch {
		case code >= 0 && indent > code && s != "":
			continue
		case strings.HasPrefix(s, `File "`) && strings.Contains(s, ", line "), strings.HasPrefix(s, "from ") && strings.Contains(s, ":in "):
			code = indent
			continue
		}
		code = -1
		numbered = s == "stack backtrace:" || numbered && s != "" && ('0' <= s[0] && s[0] <= '9' || strings.HasPrefix(s, "at "))
		switch {
		case indent > 0 && goPlace().MatchString(s):
			// Its call stands in the line before.
			if n := len(kept) - 1; n >= 0 && (strings.HasSuffix(strings.TrimSpace(kept[n]), ")") || strings.HasPrefix(kept[n], "created by ")) {
				kept = kept[:n]
			}
		case numbered, frame().MatchString(s):
		default:
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// goPlace is where a frame of Go is, frame whatever else shows one by itself: of
// JavaScript, Java and C# by its place, of Go by its arguments in memory, of gdb, PHP
// and Dart by its number.
var (
	goPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\S+\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?$`) })
	frame   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^at .*(?:\(|:\d)|^\S*@\S+:\d+:\d+$|^❯ .*:\d+:\d+$|^\.\.\. \d+ more$` +
			`|\(\{?0x|\(\.\.\.\)$| \+0x[0-9a-f]+$|^goroutine \d+ .*:$` +
			`|^#\d+ .*(?:0x[0-9a-f]|:\d+|\(\d+\))`)
	})
)
