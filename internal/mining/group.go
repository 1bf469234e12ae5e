package mining

import (
	"cmp"
	"maps"
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
	slices.SortStableFunc(links, func(x, y link) int { return cmp.Compare(y.p, x.p) })
	near := make([]map[occurrence]float64, n)
	for _, l := range links {
		for _, x := range [][2]occurrence{{l.a, l.b}, {l.b, l.a}} {
			if near[x[0]] == nil {
				near[x[0]] = make(map[occurrence]float64)
			}
			near[x[0]][x[1]] = l.p
		}
	}
	var out []group
	free := make([]bool, n)
	for i := range free {
		free[i] = true
	}
	for k, level := range levels {
		found := joined(near, links, free, level)
		for i, m := range found {
			if k == 0 {
				found[i] = append(m, besides(near, m, level)...)
			}
		}
		for _, m := range found {
			for _, i := range m {
				free[i] = false
			}
			slices.Sort(m)
			out = append(out, groupOf(m, near))
		}
	}
	return out
}

// besides are the occurrences outside of a group that are as near to it as a level.
func besides(near []map[occurrence]float64, m []occurrence, level float64) (out []occurrence) {
	sum := make(map[occurrence]float64)
	for _, i := range m {
		for j, p := range near[i] {
			sum[j] += p
		}
	}
	for j, p := range sum {
		if !slices.Contains(m, j) && p >= level*float64(len(m)) {
			out = append(out, j)
		}
	}
	return out
}

// joined are the groups of one level, of those that have none. sums are the links
// between groups, each known by its first occurrence.
func joined(near []map[occurrence]float64, links []link, free []bool, level float64) [][]occurrence {
	n := len(near)
	of, members, sums := make([]int, n), make([][]occurrence, n), make([]map[int]float64, n)
	for i := range n {
		of[i], members[i] = i, []occurrence{i}
		if free[i] {
			sums[i] = maps.Clone(near[i])
		}
	}
	for _, l := range links {
		if l.p < level {
			break
		}
		x, y := of[l.a], of[l.b]
		if !free[l.a] || !free[l.b] || x == y || sums[x][y] < level*float64(len(members[x])*len(members[y])) {
			continue
		}
		for _, m := range members[y] {
			of[m] = x
		}
		members[x], members[y] = append(members[x], members[y]...), nil
		for z, p := range sums[y] {
			if z != x {
				sums[x][z] += p
				if sums[z] != nil {
					sums[z][x] += p
					delete(sums[z], y)
				}
			}
		}
		delete(sums[x], y)
		sums[y] = nil
	}
	return slices.DeleteFunc(members, func(m []occurrence) bool { return len(m) < 2 })
}

func groupOf(m []occurrence, near []map[occurrence]float64) group {
	g := group{members: m, weakest: 1}
	pairs := 0
	for i, a := range m {
		for _, b := range m[i+1:] {
			x := near[a][b]
			g.p += x
			g.weakest = min(g.weakest, x)
			pairs++
		}
	}
	g.p /= float64(pairs)
	return g
}
