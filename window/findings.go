package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/terms"
	"orihon/internal/tokens"
)

// findings are the sentences of the assistant that say most about the names the
// work is about and that nothing else in the text names, in their order, each
// with its iteration.
func (r *record) findings(ranked []name, limit int, sofar string, l *words) []string {
	label := l.found
	weight := map[string]float64{}
	for _, n := range ranked[:min(len(ranked), 200)] {
		if !strings.Contains(sofar, n.text) {
			weight[n.text] = n.score
		}
	}
	all := r.candidates(weight)
	room := limit - lineCost(label)
	var chosen []candidate
	covered := map[string]bool{}
	for len(all) > 0 {
		best, at := 0.0, -1
		for i, c := range all {
			if c.cost > room {
				continue
			}
			if gain := c.gain(weight, covered); gain/float64(c.cost) > best {
				best, at = gain/float64(c.cost), i
			}
		}
		if at < 0 {
			break
		}
		c := all[at]
		chosen = append(chosen, c)
		room -= c.cost
		for _, n := range c.names {
			covered[n] = true
		}
		all = slices.Delete(all, at, at+1)
	}
	if len(chosen) == 0 {
		return nil
	}
	slices.SortStableFunc(chosen, func(a, b candidate) int { return a.order - b.order })
	lines := []string{label}
	for i, c := range chosen {
		if i > 0 && chosen[i-1].iter == c.iter {
			lines[len(lines)-1] += "; " + c.sentence
		} else {
			lines = append(lines, c.line())
		}
	}
	return lines
}

// candidate is a sentence that could be a finding.
type candidate struct {
	iter     int
	sentence string
	names    []string // of those that count, each once
	cost     int
	order    int
	worth    float64 // factor of its gain
}

func (c *candidate) line() string { return fmt.Sprintf("- [%d] %s", c.iter, c.sentence) }

// maxCandidates bounds how many sentences are weighed.
const maxCandidates = 600

// candidates are the sentences that name what counts; the newest where there
// are very many.
func (r *record) candidates(weight map[string]float64) []candidate {
	var out []candidate
	seen := map[string]bool{}
	for order, s := range r.spoken {
		for _, sentence := range sentences(s.text) {
			if size := len(sentence); size < 25 || size > 260 {
				continue
			}
			key := terms.Fold(sentence)
			if seen[key] {
				continue
			}
			seen[key] = true
			c := candidate{iter: s.iter, sentence: sentence, order: order, worth: 1}
			if intends(sentence) {
				c.worth = 0.3
			}
			for n := range weight {
				if strings.Contains(sentence, n) {
					c.names = append(c.names, n)
				}
			}
			if len(c.names) > 0 {
				slices.Sort(c.names)
				c.cost = lineCost(c.line())
				out = append(out, c)
			}
		}
	}
	return out[max(0, len(out)-maxCandidates):]
}

// gain is the weight of the names that are not yet covered, and a tenth of that of
// the others: where there is room, the work is told in sentences.
func (c *candidate) gain(weight map[string]float64, covered map[string]bool) float64 {
	sum := 0.0
	for _, n := range c.names {
		if !covered[n] {
			sum += weight[n]
		} else {
			sum += weight[n] / 10
		}
	}
	return sum * c.worth
}

// worth is how much a token that is spent on a name is worth.
func (n *name) worth() float64 { return n.score / float64(tokens.Estimate(n.text+", ")) }

// nameLines spends tokens on the names of code that are not yet in the text,
// grouped by the file they belong to.
func nameLines(ranked []name, limit int, sofar string, l *words) []string {
	type group struct {
		file  string
		names []string
	}
	var groups []group
	at := map[string]int{}
	label := l.names
	room := limit - lineCost(label)
	text := sofar
	ranked = slices.Clone(ranked)
	slices.SortStableFunc(ranked, func(a, b name) int { return cmp.Compare(b.worth(), a.worth()) })
	for _, n := range ranked {
		if room < 8 {
			break
		}
		if strings.Contains(text, n.text) {
			continue
		}
		file := n.file
		if file == n.text {
			file = ""
		}
		i, known := at[file]
		cost := tokens.Estimate(n.text + ", ")
		if !known {
			cost += lineCost("- elsewhere " + file + ": ")
		}
		if cost > room {
			continue
		}
		room -= cost
		if !known {
			i = len(groups)
			at[file] = i
			groups = append(groups, group{file: file})
		}
		groups[i].names = append(groups[i].names, n.text)
		text += "\n" + n.text
	}
	if len(groups) == 0 {
		return nil
	}
	out := []string{label}
	var rest []string
	for _, g := range groups {
		// A group of one is no group.
		if g.file == "" || len(g.names) == 1 {
			rest = append(rest, g.names...)
			continue
		}
		out = append(out, "- "+g.file+": "+strings.Join(g.names, ", "))
	}
	if len(rest) > 0 {
		out = append(out, l.elsewhere+strings.Join(rest, ", "))
	}
	return out
}
