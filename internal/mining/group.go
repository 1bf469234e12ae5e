package mining

import (
	"cmp"
	"slices"
)

// occurrence is a place at which a habit may show, by its number among its like.
type occurrence = int

// link is how likely two occurrences are of the same habit.
type link struct {
	a, b occurrence
	p    float64
}

// group is a set of occurrences that may be one habit.
type group struct {
	members []occurrence
	p       float64 // the mean of its links
	weakest float64
}

// groups puts together what is linked, the likeliest first, as long as the mean of
// all links between two groups stays at or above a level, of several from strict to
// lax: what has no group by a strict one may have one by a lax one. What is not linked
// counts as nothing. An occurrence that is as near to another group as its own members
// are belongs to both: people say two things at once.
func groups(n int, links []link, levels ...float64) []group {
	p := make(map[[2]int]float64, len(links))
	for _, l := range links {
		p[[2]int{min(l.a, l.b), max(l.a, l.b)}] = l.p
	}
	slices.SortStableFunc(links, func(x, y link) int { return cmp.Compare(y.p, x.p) })
	between := func(x, y []occurrence) float64 {
		sum := 0.0
		for _, a := range x {
			for _, b := range y {
				sum += p[[2]int{min(a, b), max(a, b)}]
			}
		}
		return sum / float64(len(x)*len(y))
	}
	var out []group
	free := make([]bool, n)
	for i := range free {
		free[i] = true
	}
	for _, level := range levels {
		var found [][]occurrence
		for _, m := range joined(n, links, free, level, between) {
			for i := range n {
				if level == levels[0] && !slices.Contains(m, i) && between(m, []occurrence{i}) >= level {
					m = append(m, i)
				}
			}
			found = append(found, m)
		}
		for _, m := range found {
			for _, i := range m {
				free[i] = false
			}
			slices.Sort(m)
			out = append(out, groupOf(m, p))
		}
	}
	return out
}

// joined are the groups of one level, of those that have none.
func joined(n int, links []link, free []bool, level float64, between func(x, y []occurrence) float64) [][]occurrence {
	of, members := make([]int, n), make([][]occurrence, n)
	for i := range n {
		of[i], members[i] = i, []occurrence{i}
	}
	for _, l := range links {
		if l.p < level {
			break
		}
		x, y := of[l.a], of[l.b]
		if !free[l.a] || !free[l.b] || x == y || between(members[x], members[y]) < level {
			continue
		}
		for _, m := range members[y] {
			of[m] = x
		}
		members[x], members[y] = append(members[x], members[y]...), nil
	}
	return slices.DeleteFunc(members, func(m []occurrence) bool { return len(m) < 2 })
}

func groupOf(m []occurrence, p map[[2]int]float64) group {
	g := group{members: m, weakest: 1}
	pairs := 0
	for i, a := range m {
		for _, b := range m[i+1:] {
			x := p[[2]int{a, b}]
			g.p += x
			g.weakest = min(g.weakest, x)
			pairs++
		}
	}
	g.p /= float64(pairs)
	return g
}
