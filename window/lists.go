package window

import (
	"slices"
	"strconv"
	"strings"
)

func newest(s []string, n int) []string { return s[max(0, len(s)-n):] }

func distinct(all []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(s string) bool {
		twice := seen[s]
		seen[s] = true
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
