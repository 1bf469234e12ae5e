package terms

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// groupTerms are the groups of groups.txt as terms, a group a line, made by
// go test ./internal/terms -run Groups -update: cutting them into terms would cost
// every process some milliseconds.
//
//go:embed groups.terms
var groupTerms string

// Alike returns the terms that mean about the same as one, in English and in
// Chinese, without it: deploy gives ship, 部署 and 上线. They stand in groups.txt, a
// group a line; only what is one term by itself counts.
func Alike(term string) []string {
	g := groups()
	var out []string
	for _, n := range g.of[term] {
		for _, t := range g.terms[n] {
			if t != term && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

type grouped struct {
	terms [][]string
	of    map[string][]int
}

var groups = sync.OnceValue(func() grouped {
	g := grouped{of: make(map[string][]int)}
	for line := range strings.Lines(groupTerms) {
		list := strings.Fields(line)
		for _, t := range list {
			g.of[t] = append(g.of[t], len(g.terms))
		}
		g.terms = append(g.terms, list)
	}
	return g
})
