package checkpoint

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// counter counts tests from what test programs print, line by line: Go's events,
// and the totals of cargo, pytest, unittest, Maven, Jest, Vitest, Mocha and TAP.
type counter struct {
	passed, failed, skipped int

	ran int // by unittest, which says only how many were not fine
}

func (c *counter) sum() int { return c.passed + c.failed + c.skipped }

func (c *counter) line(line string) {
	if strings.HasPrefix(line, "{") {
		c.event(line)
		return
	}
	head := strings.TrimLeft(line, "#=ℹ[]INFOERWAG ")
	switch {
	case strings.HasPrefix(line, "test result: "): // cargo, once for each target
		c.pairs(line)
	case strings.HasPrefix(head, "Tests run: ") && !strings.Contains(line, "Time elapsed"): // Maven's total, once for each module
		c.maven(head)
	case strings.HasPrefix(line, "Ran ") && strings.Contains(line, " test"):
		c.ran, _ = strconv.Atoi(strings.Fields(line)[1])
	case c.ran > 0 && (line == "OK" || strings.HasPrefix(line, "OK (") || strings.HasPrefix(line, "FAILED (")):
		c.unittest(line)
	case strings.HasPrefix(head, "Tests:"), strings.HasPrefix(head, "Tests  "): // Jest, Vitest
		c.pairs(head)
	case (strings.Contains(line, " passed") || strings.Contains(line, " failed") || strings.Contains(line, " skipped")) && strings.Contains(line, " in ") && startsWithNumber(head): // pytest
		c.pairs(line)
	case startsWithNumber(head) && hasAny(head, " passing", " failing", " pending"): // Mocha
		c.pairs(head)
	case hasPrefix(head, "pass ", "fail ", "skipped ", "todo ") && head != line && len(strings.Fields(head)) == 2: // TAP and Node's own
		f := strings.Fields(head)
		c.pairs(f[1] + " " + f[0])
	}
}

// event is a line of go test -json.
func (c *counter) event(line string) {
	var e struct{ Action, Test string }
	if json.Unmarshal([]byte(line), &e) != nil || e.Test == "" {
		return
	}
	c.add(1, e.Action)
}

// pairs are numbers with a word behind each, as in "1 failed, 5 passed".
func (c *counter) pairs(line string) {
	words := strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|=()", r) })
	for i := 0; i+1 < len(words); i++ {
		if n, err := strconv.Atoi(words[i]); err == nil && n >= 0 {
			c.add(n, words[i+1])
		}
	}
}

func (c *counter) add(n int, word string) {
	switch word {
	case "pass", "passed", "passing":
		c.passed += n
	case "fail", "failed", "failing", "error", "errors":
		c.failed += n
	case "skip", "skipped", "ignored", "pending", "todo", "xfailed":
		c.skipped += n
	}
}

// named are numbers behind their names, as in "failures=1, errors=2".
func named(line, between string) map[string]int {
	out := make(map[string]int)
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(",()", r) }) {
		name, number, ok := strings.Cut(strings.TrimSpace(part), between)
		if n, err := strconv.Atoi(strings.TrimSpace(number)); ok && err == nil {
			out[strings.ToLower(name)] = n
		}
	}
	return out
}

func (c *counter) maven(line string) {
	n := named(line, ":")
	bad := n["failures"] + n["errors"]
	c.failed += bad
	c.skipped += n["skipped"]
	c.passed += max(0, n["tests run"]-bad-n["skipped"])
}

func (c *counter) unittest(line string) {
	n := named(strings.TrimPrefix(strings.TrimPrefix(line, "FAILED"), "OK"), "=")
	bad := n["failures"] + n["errors"] + n["unexpected successes"]
	out := n["skipped"] + n["expected failures"]
	c.failed += bad
	c.skipped += out
	c.passed += max(0, c.ran-bad-out)
	c.ran = 0
}

func startsWithNumber(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func hasAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// percentage is a coverage as programs print it: the total of a table, or the last
// percentage there is. What is called a total counts more.
type percentage struct {
	value float64
	found bool
	total bool
}

func (p *percentage) line(line string) {
	total := hasPrefix(line, "TOTAL", "All files", "Lines ", "total:", "Total")
	if p.total && !total {
		return
	}
	shares := percents(line)
	if strings.HasPrefix(line, "All files") { // Istanbul: statements, branches, functions, lines, without signs
		shares = numbers(line)
	}
	if len(shares) == 0 {
		return
	}
	v := shares[len(shares)-1]
	if strings.HasPrefix(line, "TOTAL") && len(shares) > 2 { // llvm-cov: regions, functions, lines
		v = shares[2]
	} else if strings.HasPrefix(line, "All files") {
		v = shares[0]
	}
	if v >= 0 && v <= 100 {
		p.value, p.found, p.total = v, true, total
	}
}

// percents are the numbers with a sign behind them.
func percents(line string) (out []float64) {
	for {
		before, after, found := strings.Cut(line, "%")
		if !found {
			return out
		}
		before = strings.TrimRight(before, " ")
		start := len(before)
		for start > 0 && (before[start-1] >= '0' && before[start-1] <= '9' || before[start-1] == '.') {
			start--
		}
		if v, err := strconv.ParseFloat(before[start:], 64); err == nil {
			out = append(out, v)
		}
		line = after
	}
}

// numbers are the cells of a line that hold a number alone.
func numbers(line string) (out []float64) {
	for cell := range strings.SplitSeq(line, "|") {
		if v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// profile reads Go's profile of coverage: lines that end in the number of
// statements and how often they ran. Blocks of several packages' tests stand
// there more than once.
func (p *percentage) profile(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	ran, size := make(map[string]bool), make(map[string]int)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		if len(w) != 3 {
			continue
		}
		n, err := strconv.Atoi(w[1])
		if err != nil {
			continue
		}
		size[w[0]] = n
		ran[w[0]] = ran[w[0]] || w[2] != "0"
	}
	all, covered := 0, 0
	for block, n := range size {
		all += n
		if ran[block] {
			covered += n
		}
	}
	if all > 0 {
		p.value, p.found, p.total = 100*float64(covered)/float64(all), true, true
	}
}
