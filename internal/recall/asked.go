package recall

import "strings"

// asking returns the paragraphs of a prompt that ask, where others are pasted: what
// people type stands before code, logs and documents, or behind them. There is
// none when all of the prompt is typed, or all of it pasted.
func asking(prompt string) []string {
	lines := strings.Split(strings.TrimSpace(prompt), "\n")
	head := typed(len(lines), func(i int) string { return lines[i] })
	tail := typed(len(lines), func(i int) string { return lines[len(lines)-1-i] })
	if head+tail >= len(lines) || !pasted(lines[head:len(lines)-tail]) {
		return nil
	}
	var out []string
	for _, part := range [][]string{lines[:head], lines[len(lines)-tail:]} {
		if len(part) > 0 {
			out = append(out, strings.Join(part, "\n"))
		}
	}
	return out
}

// pasted reports whether lines are more than one types, or code.
func pasted(lines []string) bool {
	const much = 600 // bytes
	size, code := 0, 0
	for _, l := range lines {
		size += len(l)
		if !prose(l) {
			code += len(l)
		}
	}
	return size > much || 2*code > size
}

// pastedIn reports whether a log or code makes up much of a prompt.
func pastedIn(prompt string) bool {
	const least, share = 5, 12 // lines; at least one byte of code in so many
	lines := strings.Split(prompt, "\n")
	code := 0
	for _, l := range lines {
		if !prose(l) {
			code += len(l)
		}
	}
	return len(lines) >= least && share*code >= len(prompt)
}

// typed is how many of n lines make a paragraph that somebody typed, 0 when the
// paragraph is code or too long.
func typed(n int, line func(i int) string) int {
	const most = 300 // bytes
	size := 0
	for i := range n {
		l := line(i)
		if strings.TrimSpace(l) == "" || !prose(l) {
			return i
		}
		if size += len(l); size > most {
			return 0
		}
	}
	return n
}

// prose reports whether a line is neither code nor output: those have many signs,
// or begin indented.
func prose(line string) bool {
	if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "```") {
		return false
	}
	signs, all := 0, 0
	for _, r := range line {
		switch {
		case r == ' ':
			continue
		case strings.ContainsRune(`{}[]()<>=;|\$*&+%`, r):
			signs++
		}
		all++
	}
	const share = 8 // at most one sign in so many characters
	return signs*share <= all
}
