package window

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/tokens"
)

// indexWriter keeps account of a budget.
type indexWriter struct{ budget int }

func (w *indexWriter) reserve(lines []string) []string {
	cost := 0
	for _, l := range lines {
		cost += lineCost(l)
	}
	if cost > w.budget {
		return nil
	}
	w.budget -= cost
	return lines
}

// lineCost is what a line and its break cost at most.
func lineCost(line string) int { return tokens.Estimate(line + "\n") }

// labelled writes entries below a label while they fit: the first of them, or
// the last ones in their order.
func labelled(label string, entries []string, limit int, first bool) []string {
	room := limit - lineCost(label)
	var kept []string
	if !first {
		entries = slices.Clone(entries)
		slices.Reverse(entries)
	}
	for _, e := range entries {
		line := "- " + e
		if room -= lineCost(line); room < 0 {
			break
		}
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return nil
	}
	if !first {
		slices.Reverse(kept)
	}
	return append([]string{label}, kept...)
}

// joined writes entries behind a label on one line, as many as there is room
// for, the last ones first to stay.
func joined(label string, entries []string, limit int) []string {
	for from := range entries {
		line := label + strings.Join(entries[from:], "; ")
		if lineCost(line) <= limit {
			return []string{line}
		}
	}
	return nil
}

// fileLine names files with their counts on one line, as many as there is room
// for, by their paths while these take little of it, and says how many are left
// out.
func fileLine(label string, files []activity.File, limit int, l *words) []string {
	if len(files) == 0 {
		return nil
	}
	render := func(n int, full bool) string {
		var names []string
		for _, f := range files[:n] {
			name := f.Name
			if !full {
				name = path.Base(name)
			}
			if f.Times > 1 {
				name += fmt.Sprintf(" (%d)", f.Times)
			}
			names = append(names, name)
		}
		line := label + strings.Join(names, ", ")
		if more := len(files) - n; more > 0 {
			line += fmt.Sprintf(l.more, more)
		}
		return line
	}
	for n := len(files); n > 0; n-- {
		for _, full := range [...]bool{true, false} {
			if line := render(n, full); lineCost(line) <= limit && (!full || lineCost(line) <= limit*2/5) {
				return []string{line}
			}
		}
	}
	return nil
}

func itemLines(items []activity.Item, l *words) []string {
	var out []string
	for _, it := range items {
		line := oneLine(it.Text)
		if it.Status == "in_progress" {
			line += l.inProgress
		}
		out = append(out, line)
	}
	return out
}

func commitLines(all []activity.Commit) []string {
	var out []string
	for _, c := range all {
		line := clip(oneLine(c.Subject), 120)
		if c.Hash != "" {
			line += " (" + c.Hash + ")"
		}
		out = append(out, line)
	}
	return out
}

func newest[T any](s []T, n int) []T { return s[max(0, len(s)-n):] }

func distinct(all []string) []string { return distinctBy(all, func(s string) string { return s }) }

// distinctBy keeps the first of those with the same key.
func distinctBy[T any](all []T, key func(T) string) []T {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(one T) bool {
		k := key(one)
		twice := seen[k]
		seen[k] = true
		return twice
	})
}

// addLine appends what is not there yet.
func addLine(list []string, line string) []string {
	if line == "" || slices.Contains(list, line) {
		return list
	}
	return append(slices.Clone(list), line)
}

func quoted(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = "“" + s + "”"
	}
	return out
}

func ints(all []int) string {
	out := make([]string, len(all))
	for i, n := range all {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, ", ")
}

// longest is the largest n in a range that fits, by halving; the lowest when
// none does.
func longest(low, high int, fits func(n int) bool) int {
	for low < high {
		mid := (low + high + 1) / 2
		if fits(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}
