package guard

import (
	"slices"
	"strings"
	"unicode"
)

// failure is at what a run failed, so that two runs can be held against each
// other: numbers, which change with every run and every edit, are left out.
type failure struct {
	Tests []string `json:"t,omitempty"` // by name
	Lines []string `json:"l,omitempty"` // what is said to be wrong
	Head  string   `json:"h,omitempty"` // the first of it, as it stands
}

// Bounds of what is read and kept of a failure.
const (
	maxRead    = 32 << 10 // bytes at either end of an output
	maxLine    = 160      // characters of a line
	maxEntries = 24       // tests, and lines
)

// readFailure reads what a command printed. It is empty when nothing says what
// is wrong.
func readFailure(output string) failure {
	var f failure
	for line := range lines(output) {
		if name := testName(line); name != "" {
			f.add(&f.Tests, name, line)
			continue
		}
		folded := strings.ToLower(line)
		same := unnumbered(folded)
		if !placed(line) && !holds("wrong", same) || listed("noise", same) || listed("noise", folded) {
			continue
		}
		f.add(&f.Lines, clip(same, maxLine), line)
	}
	return f
}

// failsPlainly reports output that says by itself that a check failed.
func failsPlainly(output string) bool {
	for line := range lines(output) {
		if begins("plain", line) != "" || strings.HasSuffix(line, " ... FAILED") {
			return true
		}
	}
	return false
}

func (f *failure) add(to *[]string, entry, line string) {
	if f.Head == "" || len(f.Tests) == 0 && to == &f.Tests {
		f.Head = clip(line, 100)
	}
	if len(*to) < maxEntries && !slices.Contains(*to, entry) {
		*to = append(*to, entry)
	}
}

func (f *failure) empty() bool { return len(f.Tests) == 0 && len(f.Lines) == 0 }

// within reports whether a later run fails at all that this one failed at.
func (f *failure) within(later *failure) bool {
	if len(f.Tests) > 0 {
		return subset(f.Tests, later.Tests) && (len(f.Lines) == 0 || len(later.Lines) == 0 || meet(f.Lines, later.Lines))
	}
	return len(f.Lines) > 0 && subset(f.Lines, later.Lines)
}

// touches reports whether two runs fail at anything that is the same.
func (f *failure) touches(other *failure) bool {
	if len(f.Tests) > 0 || len(other.Tests) > 0 {
		return meet(f.Tests, other.Tests)
	}
	return meet(f.Lines, other.Lines)
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// lines are those of both ends of an output, without blanks around them, colours
// and control characters.
func lines(output string) func(yield func(string) bool) {
	if len(output) > 2*maxRead {
		output = output[:maxRead] + "\n" + output[len(output)-maxRead:]
	}
	return func(yield func(string) bool) {
		for line := range strings.Lines(output) {
			if line = plain(line); line != "" && !yield(line) {
				return
			}
		}
	}
}

// plain is a line without escape sequences and blanks around it. A tab inside
// stays.
func plain(line string) string {
	line = strings.TrimSpace(line)
	if printable(line) && !strings.Contains(line, "tool_use_error>") {
		return clip(line, 4*maxLine)
	}
	if strings.ContainsRune(line, 0x1b) {
		var b strings.Builder
		inside := false
		for _, r := range line {
			switch {
			case r == 0x1b:
				inside = true
			case inside:
				inside = r == '[' || r == ';' || '0' <= r && r <= '9'
			default:
				b.WriteRune(r)
			}
		}
		line = b.String()
	}
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return -1
		}
		return r
	}, line)
	line = strings.TrimSpace(line)
	for _, tag := range [...]string{"<tool_use_error>", "</tool_use_error>"} {
		line = strings.ReplaceAll(line, tag, "")
	}
	return clip(line, 4*maxLine)
}

// printable reports a line of ASCII without control characters.
func printable(line string) bool {
	for i := range len(line) {
		if c := line[i]; c < ' ' && c != '\t' || c > '~' {
			return false
		}
	}
	return true
}

// testName is the name of a test that a line says has failed; empty for any
// other line. What tools add behind the name is left out.
func testName(line string) string {
	name, ok := strings.CutSuffix(line, " ... FAILED") // cargo
	if ok {
		return clip(strings.TrimPrefix(name, "test "), maxLine)
	}
	mark := begins("tests", line)
	if mark == "" {
		return ""
	}
	name = strings.TrimSpace(line[len(mark):])
	if before, _, ok := strings.Cut(name, " - "); ok {
		name = before
	}
	if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, ")") {
		name = name[:i]
	}
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	return clip(name, maxLine)
}

// placed reports a line that begins with a place in a file: "a/b.go:12: ".
func placed(line string) bool {
	file, rest, ok := strings.Cut(line, ":")
	if !ok || file == "" || strings.ContainsAny(file, " \t") || !strings.Contains(file, ".") {
		return false
	}
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	return n > 0 && n < len(rest) && (rest[n] == ':' || rest[n] == ' ')
}

// unnumbered is a folded line with each number and each hash as one sign, and
// each run of blanks as one.
func unnumbered(folded string) string {
	out := make([]byte, 0, len(folded))
	for w := range strings.FieldsSeq(folded) {
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = withoutNumbers(out, w)
	}
	return string(out)
}

// withoutNumbers adds a word to a line.
func withoutNumbers(to []byte, w string) []byte {
	if !strings.ContainsAny(w, "0123456789") {
		return append(to, w...)
	}
	if len(w) >= 7 && strings.Trim(w, "0123456789abcdef") == "" {
		return append(to, '#')
	}
	in := false
	for i := range len(w) {
		digit := '0' <= w[i] && w[i] <= '9'
		if !digit {
			to = append(to, w[i])
		} else if !in {
			to = append(to, '#')
		}
		in = digit || in && w[i] == '.'
	}
	return to
}

// testFile reports a file of tests, by its name.
func testFile(path string) bool {
	low := "/" + strings.ToLower(path)
	base := low[strings.LastIndexByte(low, '/')+1:]
	return strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") ||
		strings.Contains(low, "/test/") || strings.Contains(low, "/tests/") || strings.Contains(low, "_test/") || strings.Contains(low, "/testdata/")
}

// clip is as much of a text as n characters hold.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
