package evolve

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"orihon/internal/terms"
)

//go:embed words.txt
var wordsText string

// lists are those of words.txt, read when they are first asked for.
var lists = sync.OnceValue(func() *terms.Kept { return terms.Lists(wordsText).Keep() })

// How alike two habits are: shares of trigger, action and domain, and from where
// on they belong together.
const (
	triggerShare = 0.4
	actionShare  = 0.3
	domainShare  = 0.3
	alike        = 0.6
)

// bag are the terms of a text.
type bag map[string]bool

// newBag takes the terms of a text, without those that say little, such as
// "write" and 修改, unless it has no others.
func newBag(text string) bag {
	all, telling := make(bag), make(bag)
	for _, t := range terms.Query(text) {
		all[t] = true
		if !light()[t] {
			telling[t] = true
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// light are the terms that say little about when something is done.
var light = sync.OnceValue(func() bag {
	out := make(bag)
	for w := range lists().Words("light") {
		for _, t := range terms.Query(w) {
			out[t] = true
		}
	}
	return out
})

// overlap is how much of the smaller bag the other one holds too, 0..1.
func overlap(a, b bag) float64 {
	least := min(len(a), len(b))
	if least == 0 {
		return 0
	}
	return float64(a.both(b)) / float64(least)
}

// both counts the terms that stand in both.
func (a bag) both(b bag) (n int) {
	for t := range a {
		if b[t] {
			n++
		}
	}
	return n
}

// words are the bags of a habit.
type words struct{ trigger, action bag }

func wordsOf(habits []Habit) []words {
	out := make([]words, len(habits))
	for i := range habits {
		out[i] = words{newBag(habits[i].Trigger), newBag(habits[i].Action)}
	}
	return out
}

// groups puts habits together that are alike, directly or through others, and
// keeps groups of so many at least, the largest first. Each is in the order of
// IDs. It compares all pairs.
func groups(habits []Habit, least int) [][]Habit {
	said := wordsOf(habits)
	group := make([]int, len(habits)) // the first habit of the group that one is in
	for i := range group {
		group[i] = i
	}
	for i := range habits {
		for j := range i {
			if group[i] == group[j] || similarity(habits, said, i, j) < alike {
				continue
			}
			from, to := max(group[i], group[j]), min(group[i], group[j])
			for k := range group {
				if group[k] == from {
					group[k] = to
				}
			}
		}
	}
	byFirst := make(map[int][]Habit)
	for i, first := range group {
		byFirst[first] = append(byFirst[first], habits[i])
	}
	var out [][]Habit
	for _, g := range byFirst {
		if len(g) >= least {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b []Habit) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a[0].ID, b[0].ID))
	})
	return out
}

func similarity(habits []Habit, said []words, i, j int) float64 {
	s := triggerShare*overlap(said[i].trigger, said[j].trigger) + actionShare*overlap(said[i].action, said[j].action)
	if habits[i].Domain == habits[j].Domain {
		s += domainShare
	}
	return s + 1e-9 // 0.3 + 0.3 is no less than 0.6
}

// triggersAlike is the mean overlap of the triggers of a group.
func triggersAlike(group []Habit) float64 {
	said := wordsOf(group)
	sum, n := 0.0, 0
	for i := range said {
		for j := range i {
			sum += overlap(said[i].trigger, said[j].trigger)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
