package claudecode

import (
	"fmt"
	"strings"
)

// Diff shows the change as a unified diff, and nothing when there is none.
func (c Change) Diff() string {
	if !c.Changed() {
		return ""
	}
	from, to := c.Path, c.Path
	if c.Created {
		from = noFile
	}
	if c.Deleted {
		to = noFile
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	script := compare(splitLines(c.Before), splitLines(c.After))
	for start := 0; start < len(script); {
		if script[start].op == ' ' {
			start++
			continue
		}
		// A hunk goes on while changes are at most twice the context apart.
		first, end := max(0, start-contextLines), start
		for i := start; i < len(script) && i <= end+2*contextLines; i++ {
			if script[i].op != ' ' {
				end = i
			}
		}
		hunk := script[first:min(len(script), end+1+contextLines)]
		var removed, added int
		for _, l := range hunk {
			if l.op != '+' {
				removed++
			}
			if l.op != '-' {
				added++
			}
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(hunk[0].old, removed), span(hunk[0].new, added))
		for _, l := range hunk {
			b.WriteByte(l.op)
			b.WriteString(strings.TrimRight(l.text, "\r\n"))
			b.WriteByte('\n')
			if !strings.HasSuffix(l.text, "\n") {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
		start = first + len(hunk)
	}
	return b.String()
}

const (
	contextLines = 3
	noFile       = "/dev/null" // as tools for diffs expect it everywhere
)

func span(line, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", line)
	}
	return fmt.Sprintf("%d,%d", line+1, count)
}

func splitLines(data []byte) []string {
	var lines []string
	for line := range strings.Lines(string(data)) {
		lines = append(lines, line)
	}
	return lines
}

// step is one line of an edit script; old and new count the lines before it.
type step struct {
	op       byte // ' ', '-' or '+'
	text     string
	old, new int
}

// compare finds a shortest script from a to b by their longest common
// subsequence. Settings are short, and their common ends are left out.
func compare(a, b []string) []step {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	n, m := len(a)-tail, len(b)-tail
	common := make([][]int, n-head+1) // common[i][j]: of a[head+i:n] and b[head+j:m]
	for i := range common {
		common[i] = make([]int, m-head+1)
	}
	for i := n - 1; i >= head; i-- {
		for j := m - 1; j >= head; j-- {
			if a[i] == b[j] {
				common[i-head][j-head] = common[i-head+1][j-head+1] + 1
			} else {
				common[i-head][j-head] = max(common[i-head+1][j-head], common[i-head][j-head+1])
			}
		}
	}
	var script []step
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case (i < n) == (j < m) && a[i] == b[j]:
			script = append(script, step{' ', a[i], i, j})
			i, j = i+1, j+1
		case j < m && (i >= n || common[i-head][j-head+1] > common[i-head+1][j-head]):
			script = append(script, step{'+', b[j], i, j})
			j++
		default:
			script = append(script, step{'-', a[i], i, j})
			i++
		}
	}
	return script
}
