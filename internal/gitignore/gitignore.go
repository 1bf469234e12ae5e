// Package gitignore says which paths git would ignore: it reads the patterns of
// .gitignore files and matches paths against them, as gitignore(5) describes.
//
// It never runs git and reads no files; whoever walks a tree hands over the
// text of each file it meets. Whether a file is tracked all the same, which
// git's own answer depends on, is not known here.
//
// Start with [Parse] for one file, [Tree] for the files of a whole tree.
package gitignore

import (
	"strings"
)

// List is the patterns of one file, in its order.
type List struct{ patterns []pattern }

type pattern struct {
	// prefix is what the path begins with, word for word, before the segments:
	// git compares the letters before the first wildcard by themselves, so that
	// "a**/b" means what begins with "a" and goes on with "**/b".
	prefix   string
	segments []string // between slashes; "**" stands for any number of them
	negated  bool
	folder   bool // matches folders only
}

// Parse reads the text of a .gitignore. There are no errors: a line that means
// nothing matches nothing.
func Parse(text string) *List {
	l := &List{}
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\ufeff"), "\ufffd")
	for line := range strings.SplitSeq(text, "\n") {
		if p, ok := parse(strings.TrimSuffix(line, "\r")); ok {
			l.patterns = append(l.patterns, p)
		}
	}
	return l
}

// Patterns is Parse for lines that are at hand already.
func Patterns(lines ...string) *List { return Parse(strings.Join(lines, "\n")) }

// Empty reports whether nothing can match.
func (l *List) Empty() bool { return l == nil || len(l.patterns) == 0 }

func parse(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = withoutTrailingBlanks(line)
	if strings.HasPrefix(line, "!") {
		p.negated, line = true, line[1:]
	}
	if rest, cut := strings.CutSuffix(line, "/"); cut {
		p.folder, line = true, rest
	}
	// A slash at the beginning or in the middle ties the pattern to the folder
	// of its file.
	tied := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" || endsInEscape(line) {
		return p, false
	}
	if !tied {
		if strings.Trim(line, "*") == "" { // stars are more than one star only between slashes
			line = "*"
		}
		p.segments = []string{"**", line}
		return p, true
	}
	if at := strings.IndexAny(line, `*?[\`); at > 0 && line[at-1] != '/' {
		stars := len(line) - at - len(strings.TrimLeft(line[at:], "*"))
		if rest := line[at+stars:]; stars > 1 && (rest == "" || rest[0] == '/') {
			p.prefix, line = line[:at], line[at:]
		}
	}
	p.segments = strings.Split(line, "/")
	for i, s := range p.segments {
		if len(s) > 1 && strings.Trim(s, "*") == "" {
			p.segments[i] = "**"
		}
	}
	return p, true
}

// withoutTrailingBlanks drops blanks at the end, but not one behind a
// backslash.
func withoutTrailingBlanks(line string) string {
	for strings.HasSuffix(line, " ") && !endsInEscape(line[:len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

// endsInEscape reports whether a text ends in a backslash that escapes what
// would follow.
func endsInEscape(s string) bool {
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// Match looks a path up: relative to the folder of the list's file, with
// slashes. The last pattern that matches decides; decided says whether one did.
// A file in an ignored folder is ignored whatever is said of it: that is for
// the caller, who must not descend.
func (l *List) Match(path string, folder bool) (ignored, decided bool) {
	if l.Empty() {
		return false, false
	}
	names := strings.Split(path, "/")
	for i := len(l.patterns) - 1; i >= 0; i-- {
		p := &l.patterns[i]
		if p.folder && !folder {
			continue
		}
		if p.prefix != "" {
			rest, begins := strings.CutPrefix(path, p.prefix)
			if begins && matchPath(p.segments, strings.Split(rest, "/")) {
				return !p.negated, true
			}
			continue
		}
		if matchPath(p.segments, names) {
			return !p.negated, true
		}
	}
	return false, false
}

// matchPath matches the segments of a pattern against the names of a path.
// Only the last ** met needs to be taken back: what stood before it has
// matched, and a longer stretch for an earlier one gains nothing.
func matchPath(segments, names []string) bool {
	s, n := 0, 0
	star, from := -1, 0
	for n < len(names) {
		switch {
		case s < len(segments) && segments[s] == "**":
			if s == len(segments)-1 {
				return true // everything inside, of which there is something
			}
			star, from = s, n
			s++
		case s < len(segments) && matchName(segments[s], names[n]):
			s++
			n++
		case star >= 0:
			from++
			s, n = star+1, from
		default:
			return false
		}
	}
	return s == len(segments)
}

// matchName matches one name: * is any run, ? any character, [a-z] one of a
// set, a backslash takes the next character as it is.
func matchName(pattern, name string) bool {
	p, n := 0, 0
	star, from := -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, from = p, n
			p++
			continue
		}
		if p < len(pattern) {
			if used, size, ok := matchOne(pattern[p:], name[n:]); ok {
				p += used
				n += size
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		p, n = star+1, from
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchOne matches the first character of a name; used is the length of the
// pattern for it, size that of the character.
func matchOne(pattern, name string) (used, size int, ok bool) {
	size = 1
	if name[0] >= 0x80 {
		for size < len(name) && name[size]&0xc0 == 0x80 {
			size++
		}
	}
	char := name[:size]
	switch pattern[0] {
	case '?':
		return 1, size, true
	case '[':
		if in, used := matchSet(pattern, char); used > 0 {
			return used, size, in
		}
	case '\\':
		pattern = pattern[1:]
		return 1 + size, size, strings.HasPrefix(pattern, char)
	}
	return size, size, strings.HasPrefix(pattern, char)
}

// matchSet matches a character against the set a pattern begins with. used is 0
// when the set is not closed, which makes its bracket an ordinary character.
func matchSet(pattern, char string) (in bool, used int) {
	r := []rune(pattern)
	c := []rune(char)[0]
	i, negated := 1, false
	if i < len(r) && (r[i] == '!' || r[i] == '^') {
		negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(r) {
			return false, 0
		}
		if r[i] == ']' && !first {
			break
		}
		if r[i] == '[' && i+1 < len(r) && r[i+1] == ':' {
			if name, length := className(r[i:]); length > 0 {
				in = in || inClass(name, c)
				i += length
				continue
			}
		}
		if r[i] == '\\' && i+1 < len(r) {
			i++
		}
		low, high := r[i], r[i]
		i++
		if i+1 < len(r) && r[i] == '-' && r[i+1] != ']' {
			i++
			if r[i] == '\\' && i+1 < len(r) {
				i++
			}
			high = r[i]
			i++
		}
		in = in || low <= c && c <= high
	}
	return in != negated, len(string(r[:i+1]))
}

// className is the name in [:name:] and the length of it all.
func className(r []rune) (name string, length int) {
	for i := 2; i+1 < len(r); i++ {
		if r[i] == ':' && r[i+1] == ']' {
			return string(r[2:i]), i + 2
		}
	}
	return "", 0
}

func inClass(name string, c rune) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r'
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	}
	return false
}
