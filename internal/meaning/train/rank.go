package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"orihon/internal/lives"
	"orihon/internal/terms"
)

// table is a trained one with which texts are compared.
type table struct {
	id      map[string]int32
	vectors []float32
	d       int
	units   []float32
	near    map[int32][]neighbour
}

func (t *table) row(i int32) []float32 { return t.vectors[int(i)*t.d : int(i)*t.d+t.d] }

func (t *table) cut(text string) []int32 { return cut(text, t.id) }

func (t *table) encode(words []int32) []float32 {
	out := make([]float32, t.d)
	for _, w := range words {
		for k, v := range t.row(w) {
			out[k] += v
		}
	}
	unit(out)
	return out
}

// neighbours are the k words nearest to a word, of those at least as near as least.
func (t *table) neighbours(word int32, k int, least float32) []neighbour {
	if near, ok := t.near[word]; ok {
		return near
	}
	n := len(t.vectors) / t.d
	if t.units == nil {
		t.units = slices.Clone(t.vectors)
		for i := range n {
			unit(t.units[i*t.d : i*t.d+t.d])
		}
	}
	scores := make([]float32, n)
	product(scores, t.units[int(word)*t.d:int(word)*t.d+t.d], t.units, 0, 1, n, t.d)
	var best []neighbour
	for j, s := range scores {
		if s >= least && j != int(word) {
			best = nearer(best, neighbour{int32(j), s}, k)
		}
	}
	if t.near == nil {
		t.near = make(map[int32][]neighbour)
	}
	t.near[word] = best
	return best
}

// quantize rounds every row to 4 bits a dimension with a scale of its own.
func (t *table) quantize() {
	n := len(t.vectors) / t.d
	for i := range n {
		row := t.row(int32(i))
		var most float32
		for _, x := range row {
			most = max(most, float32(math.Abs(float64(x))))
		}
		for k, x := range row {
			row[k] = float32(math.Round(float64(x/most*7))) * most / 7
		}
	}
}

// rank prints how well the memories that a prompt needs rank on lives, by words
// alone, by the table alone and by both.
func (t *table) rank(out io.Writer, folders ...string) error {
	all, err := lives.Read(folders...)
	if err != nil {
		return err
	}
	legs := []string{"bm25", "dense", "soft", "bm25+dense", "bm25+soft", "all"}
	weights := [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1.5, 0}, {1, 0, 1}, {1, 1.5, 1}}
	sums := make(map[string][][4]float64)
	for _, life := range all {
		ids := make([]string, len(life.Memories))
		docs := make([][]string, len(ids))
		dense := make([][]float32, len(ids))
		df := make(map[string]float64)
		var avg float64
		for i, m := range life.Memories {
			ids[i], docs[i] = m.ID, terms.Index(m.Text)
			dense[i] = t.encode(t.cut(m.Text))
			avg += float64(len(docs[i])) / float64(len(ids))
			for _, w := range slices.Compact(slices.Sorted(slices.Values(docs[i]))) {
				df[w]++
			}
		}
		n := float64(len(ids))
		idf := func(w string) float64 { return math.Log(1 + (n-df[w]+0.5)/(df[w]+0.5)) }
		words := sorted(t.id)
		for _, p := range life.Prompts {
			if len(p.Need) == 0 {
				continue
			}
			asked := terms.Query(p.Text)
			q := t.encode(t.cut(p.Text))
			scores := make([][3]float64, len(ids))
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
					if id, ok := t.id[w]; ok {
						for _, o := range t.neighbours(id, 16, 0.45) {
							if c := count[words[o.id]]; c > 0 {
								best = max(best, float64(o.cosine*o.cosine)*idf(words[o.id])*tf(words[o.id]))
							}
						}
					}
					scores[i][2] += best
				}
				scores[i][1] = float64(dot(q, dense[i]))
			}
			standardize(scores)
			for k, w := range weights {
				order := make([]int, 0, len(ids))
				for i := range ids {
					if !slices.Contains(p.AlsoOK, ids[i]) {
						order = append(order, i)
					}
				}
				score := func(i int) float64 { return scores[i][0]*w[0] + scores[i][1]*w[1] + scores[i][2]*w[2] }
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

func standardize(scores [][3]float64) {
	for k := range 3 {
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
