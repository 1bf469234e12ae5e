package capture

import (
	"strings"
	"unicode/utf8"

	"orihon/internal/terms"
)

// bullet takes the sign of a list's point off a trimmed line and reports
// whether there was one.
func bullet(line string) (text string, point bool) {
	for _, sign := range [...]string{"- ", "* ", "+ ", "• ", "・", "· ", "– "} {
		if strings.HasPrefix(line, sign) {
			text = strings.TrimSpace(line[len(sign):])
			for _, box := range [...]string{"[ ] ", "[x] ", "[X] "} {
				text = strings.TrimPrefix(text, box)
			}
			return text, true
		}
	}
	if n, size := numeral(line); n >= 0 {
		return strings.TrimSpace(line[size:]), true
	}
	return line, false
}

// points parts a line that counts, as "remember: 1) this 2) that", into what stands
// before it, a line for each point, and what follows the first sentence of the last.
func points(line string) []string {
	starts := counted(line)
	if len(starts) == 0 {
		return []string{line}
	}
	head := strings.TrimSpace(line[:starts[0]])
	announced := head != "" && listOpens(head)
	if len(starts) < 2 && !announced {
		return []string{line}
	}
	if head != "" && !announced {
		head += ":"
	}
	out := []string{head}
	for i, at := range starts[1:] {
		out = append(out, strings.TrimRight(line[starts[i]:at], " ;,；，、"))
	}
	last := line[starts[len(starts)-1]:]
	_, size := numeral(last)
	for sentence := range terms.Sentences(last[size:]) {
		end := size + strings.Index(last[size:], sentence) + len(sentence)
		out = append(out, last[:end])
		if rest := strings.TrimSpace(last[end:]); rest != "" {
			out = append(out, rest)
		}
		return out
	}
	return append(out, last)
}

// counted lists where the points 1, 2 and so on begin in a line: those of its last
// list.
func counted(line string) (starts []int) {
	before := ' '
	for at, r := range line {
		if r >= utf8.RuneSelf || strings.ContainsRune(" :;,.：；，。、", before) {
			switch n, _ := numeral(line[at:]); n {
			case 1:
				if strings.HasPrefix(line[at:], "1. ") && !listOpens(line[:at]) {
					break // "in week 1. The next"
				}
				starts = []int{at}
			case len(starts) + 1:
				starts = append(starts, at)
			}
		}
		before = r
	}
	return starts
}

// listOpens reports whether a list may begin behind a text.
func listOpens(before string) bool {
	before = strings.TrimSpace(before)
	return before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "：")
}

// numeral reads the sign of a numbered point at the start of a text: its number, 0
// to 999, and how long the sign is in bytes; -1 where there is none. It may be
// "1. ", "2) ", "(3) ", "d) ", 5、, （六）, 七、 or ⑧.
func numeral(s string) (n, size int) {
	r, width := utf8.DecodeRuneInString(s)
	if '①' <= r && r <= '⑳' {
		return int(r-'①') + 1, width
	}
	at := 0
	open := r == '(' || r == '（'
	if open {
		at = width
	}
	n, width = digits(s[at:])
	if width == 0 {
		return -1, 0
	}
	signs := []string{") ", "）", ". ", "、", "．"}
	switch letter := 'a' <= s[at] && s[at] <= 'z'; {
	case open:
		signs = []string{")", "）"}
	case letter:
		signs = []string{") "}
	}
	at += width
	if width = prefix(s[at:], signs...); width == 0 {
		return -1, 0
	}
	return n, at + width
}

// digits reads up to three digits, a letter up to j, or a Chinese number up to ten.
func digits(s string) (n, size int) {
	for size < len(s) && size < 3 && '0' <= s[size] && s[size] <= '9' {
		n = 10*n + int(s[size]-'0')
		size++
	}
	switch {
	case size > 0:
		return n, size
	case s != "" && 'a' <= s[0] && s[0] <= 'j':
		return int(s[0]-'a') + 1, 1
	}
	r, width := utf8.DecodeRuneInString(s)
	for i, c := range [...]rune{'一', '二', '三', '四', '五', '六', '七', '八', '九', '十'} {
		if r == c {
			return i + 1, width
		}
	}
	return 0, 0
}
