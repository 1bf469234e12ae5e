package inspect

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// mostHeading is what stands on two lines of a page, in characters.
const mostHeading = 90

var (
	lineMarks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:#{1,6}\s+|>\s*|[-*+]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+`)
	})
	linkMarks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()\s]*\)`) })
	wordMarks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(^|[^\\pL\\pN`*~])([`*~]{1,3})([^`*~]+)([`*~]{1,3})")
	})
)

// heading is the beginning of a text that somebody asked, as plain text on one
// line: its first line that says something, with the next one where it only
// announces that, without code and the marks of Markdown.
func heading(text string) string {
	out, code := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			code = !code
			continue
		}
		if code || strings.Trim(line, "-=*_|: ") == "" {
			continue
		}
		if line = plain(line); line == "" {
			continue
		}
		if out != "" {
			out += " "
		}
		out += line
		if !strings.HasSuffix(out, ":") && !strings.HasSuffix(out, "：") || utf8.RuneCountInString(out) > mostHeading/2 {
			break
		}
	}
	if out == "" { // nothing but code: better that than nothing
		out = plain(strings.Trim(strings.TrimSpace(text), "`~"))
	}
	return clip(strings.TrimRight(out, ":： "), mostHeading)
}

// plain is a line without the marks of Markdown and what steers a screen.
func plain(line string) string {
	line = lineMarks().ReplaceAllString(line, "")
	line = linkMarks().ReplaceAllString(line, "$1")
	// Twice: marks may stand in marks.
	for range 2 {
		line = wordMarks().ReplaceAllStringFunc(line, func(s string) string {
			m := wordMarks().FindStringSubmatch(s)
			// As Markdown has it, so that *.go and *.js stay.
			if m[2] != m[4] || m[2][0] != '`' && strings.TrimSpace(m[3]) != m[3] {
				return s
			}
			return m[1] + m[3]
		})
	}
	line = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, line)
	return strings.Join(strings.Fields(line), " ")
}

// clip is at most n characters of a text on one line, cut between two words where
// it can be.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	end := n - 1
	for at := end; at > n*2/3; at-- {
		if runes[at] == ' ' {
			end = at
			break
		}
	}
	return strings.TrimRight(string(runes[:end]), " ,;:，；：、") + "…"
}
