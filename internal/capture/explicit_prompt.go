package capture

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// promptLines yields the lines of a prompt that its writer wrote as such, in
// order. A blank line stands for whatever was left out: what the client put
// in, fenced or indented code, quotations, log lines.
func promptLines(prompt string) iter.Seq[string] {
	return func(yield func(string) bool) {
		fence := ""
		for line := range strings.SplitSeq(withoutInserts(prompt), "\n") {
			trimmed := strings.TrimSpace(line)
			switch {
			case fence != "":
				if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
					fence = ""
				}
				trimmed = ""
			case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
				n := len(trimmed) - len(strings.TrimLeft(trimmed, trimmed[:1]))
				if !strings.Contains(trimmed[n:], trimmed[:3]) {
					fence = trimmed[:n]
				}
				trimmed = ""
			case strings.HasPrefix(trimmed, ">"), strings.HasPrefix(trimmed, "|"), indented(line), logged(trimmed):
				trimmed = ""
			}
			if !yield(trimmed) {
				return
			}
		}
	}
}

// withoutInserts blanks out the elements that clients put into a prompt. One
// that is not closed reaches to the end.
func withoutInserts(s string) string {
	var b strings.Builder
	kept := 0
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			break
		}
		i += n
		name := insertName(s[i+1:])
		if name == "" {
			i++
			continue
		}
		b.WriteString(s[kept:i])
		b.WriteByte('\n')
		closing := "</" + name + ">"
		end := strings.Index(s[i:], closing)
		if end < 0 {
			return b.String()
		}
		i += end + len(closing)
		kept = i
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

// insertName is the name of the client's element that opens at s, which begins
// behind the bracket; empty when it is none.
func insertName(s string) string {
	n := strings.IndexFunc(s, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n <= 0 || s[n] != '>' && s[n] != ' ' && s[n] != '\n' || !slices.ContainsFunc(lists.Phrases("insert"), func(known string) bool {
		stem, open := strings.CutSuffix(known, "*")
		return s[:n] == known || open && strings.HasPrefix(s[:n], stem)
	}) {
		return ""
	}
	return s[:n]
}

// indented reports whether a line is indented as code is, and no point of a
// list.
func indented(line string) bool {
	if !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t") {
		return false
	}
	_, point := bullet(strings.TrimSpace(line))
	return !point
}

// logged reports whether a line was pasted from a log or a terminal.
func logged(line string) bool {
	if line == "" {
		return false
	}
	if startsWithAny(line, "$ ", "% ", "at ", "+++ ", "--- ", "@@ ", "ERROR", "WARN", "INFO", "DEBUG", "TRACE", "FATAL", "Traceback", "panic:", "goroutine ", "E ", "error:", "warning:", "FAIL", "PASS", "=== ") {
		return !startsWithAny(line, "at the ")
	}
	// A date or a time at the start, perhaps in brackets.
	head := strings.TrimLeft(line, "[(")
	if head == "" || head[0] < '0' || head[0] > '9' {
		return len(head) < len(line) && startsWithAny(strings.ToUpper(head), "ERROR", "WARN", "INFO", "DEBUG")
	}
	digits, signs := 0, 0
	for i := 0; i < len(head) && i < 19; i++ {
		switch c := head[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == ':' || c == '-' || c == '/':
			signs++
		case c == 'T' || c == ' ' || c == '.' || c == ',':
		default:
			i = len(head)
		}
	}
	return digits >= 6 && signs >= 2
}
