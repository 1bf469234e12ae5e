package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"orihon/internal/lives"
	"orihon/internal/meaning"
	"orihon/internal/terms"
)

// rank prints how well the memories that a prompt needs rank on lives, by words
// alone, by a table alone and by both.
func rank(out io.Writer, table *meaning.Table, folders ...string) error {
	all, err := lives.Read(folders...)
	if err != nil {
		return err
	}
	legs := []string{"bm25", "dense", "soft", "cover", "bm25+dense", "all"}
	weights := [][4]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {1, 3, 0, 0}, {1, 3, 1, 1}}
	sums := make(map[string][][4]float64)
	for _, life := range all {
		ids := make([]string, len(life.Memories))
		docs, words := make([][]string, len(ids)), make([][]string, len(ids))
		dense := make([]meaning.Vector, len(ids))
		df := make(map[string]float64)
		var avg float64
		for i, m := range life.Memories {
			ids[i], docs[i], words[i] = m.ID, terms.Index(m.Text), terms.Query(m.Text)
			dense[i] = table.Encode(words[i], nil)
			avg += float64(len(docs[i])) / float64(len(ids))
			for _, w := range slices.Compact(slices.Sorted(slices.Values(docs[i]))) {
				df[w]++
			}
		}
		n := float64(len(ids))
		idf := func(w string) float64 { return math.Log(1 + (n-df[w]+0.5)/(df[w]+0.5)) }
		for _, p := range life.Prompts {
			if len(p.Need) == 0 {
				continue
			}
			asked := terms.Query(p.Text)
			q, each := table.Encode(asked, nil), table.Asked(asked)
			scores := make([][4]float64, len(ids))
			for i := range ids {
				count := make(map[string]float64)
				for _, w := range docs[i] {
					count[w]++
				}
				tf := func(w string) float64 {
					c := count[w]
					return c * 2.2 / (c + 1.2*(0.5+0.5*float64(len(docs[i]))/avg))
				}
				for _, w := range asked {
					scores[i][0] += idf(w) * tf(w)
					best := idf(w) * tf(w)
					for _, o := range table.Neighbours(w) {
						if c := count[o.Word]; c > 0 {
							best = max(best, o.Cosine*o.Cosine*idf(o.Word)*tf(o.Word))
						}
					}
					scores[i][2] += best
				}
				scores[i][1], scores[i][3] = q.Cosine(dense[i]), each.Cover(words[i])
			}
			standardize(scores)
			for k, w := range weights {
				order := make([]int, 0, len(ids))
				for i := range ids {
					if !slices.Contains(p.AlsoOK, ids[i]) {
						order = append(order, i)
					}
				}
				score := func(i int) float64 {
					return scores[i][0]*w[0] + scores[i][1]*w[1] + scores[i][2]*w[2] + scores[i][3]*w[3]
				}
				sort.SliceStable(order, func(a, b int) bool { return score(order[a]) > score(order[b]) })
				var r3, r5, rr, found float64
				for _, need := range p.Need {
					at := slices.IndexFunc(order, func(i int) bool { return ids[i] == need })
					if at < 0 {
						continue
					}
					found++
					if at < 3 {
						r3++
					}
					if at < 5 {
						r5++
					}
					rr = max(rr, 1/float64(at+1))
				}
				if found == 0 {
					continue
				}
				for _, group := range []string{" all", p.Note} {
					key := group
					if sums[key] == nil {
						sums[key] = make([][4]float64, len(legs))
					}
					s := &sums[key][k]
					s[0] += r3 / found
					s[1] += r5 / found
					s[2] += rr
					s[3]++
				}
			}
		}
	}
	for _, group := range sorted(sums) {
		fmt.Fprintf(out, "%-14s", strings.TrimSpace(group))
		for k, name := range legs {
			s := sums[group][k]
			fmt.Fprintf(out, "  %s %.3f %.3f", name, s[0]/s[3], s[1]/s[3])
			if k == 0 {
				fmt.Fprintf(out, " (%d)", int(s[3]))
			}
		}
		fmt.Fprintln(out)
	}
	return nil
}

func standardize(scores [][4]float64) {
	for k := range 4 {
		var mean, square float64
		for i := range scores {
			mean += scores[i][k] / float64(len(scores))
		}
		for i := range scores {
			square += (scores[i][k] - mean) * (scores[i][k] - mean) / float64(len(scores))
		}
		for i := range scores {
			scores[i][k] = (scores[i][k] - mean) / (math.Sqrt(square) + 1e-9)
		}
	}
}
