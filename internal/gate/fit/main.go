// Command fit fits the model of package gate: it plays lives, notes what recall
// measured of every statement for every prompt, and fits trees to what people
// judged. From the root of the repository:
//
//	go run ./internal/gate/fit $(sed 's|^|internal/lives/testdata/|' internal/gate/fit/lives.txt)
//
// It plays each life without phrases by which its memories may be looked for, with those
// that an agent gave, and with some of them. It prints what the model is worth on authors that it was not fitted on, and
// writes internal/gate/statements.txt. How likely a prompt needs anything is said by models
// of package asks that have not seen its writer. With -turns it does the same for what was said
// in other sessions: every memory as its developer first put it, among prompts that
// hold nothing to keep, see internal/reader/train/data; it writes turns.txt. How likely
// a turn holds something is said by readers that have not seen its writer:
//
//	go run ./internal/reader/train -half 0 -o /tmp/half0.bin
//	go run ./internal/reader/train -half 1 -o /tmp/half1.bin
//	go run ./internal/gate/fit -turns -readers /tmp/half0.bin,/tmp/half1.bin $(head -42 internal/gate/fit/lives.txt | sed 's|^|internal/lives/testdata/|')
package main

import (
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"orihon/internal/gate/boost"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("fit", flag.ContinueOnError)
	b := boost.Settings{Trees: 200, Depth: 4, Rate: 0.09, Leaf: 25, Penalty: 20}
	flags.IntVar(&b.Trees, "trees", b.Trees, "trees of the model")
	flags.IntVar(&b.Depth, "depth", b.Depth, "questions of a tree")
	flags.Float64Var(&b.Rate, "rate", b.Rate, "learning rate")
	flags.Float64Var(&b.Leaf, "leaf", b.Leaf, "weight that a value needs")
	flags.Float64Var(&b.Penalty, "penalty", b.Penalty, "on values")
	keep := flags.String("rows", "", "file to keep the rows in, or to read them from when it is there")
	check := flags.Bool("check", true, "say what a model is worth on other authors")
	write := flags.Bool("write", true, "write the model")
	leave := flags.String("leave", "", "authors to leave out, with commas between, so that a program can be measured on them")
	turns := flags.Bool("turns", false, "fit the model of what was said")
	readers := flags.String("readers", "", "for -turns: the readers without a half of the voices, see go run ./internal/reader/train -h")
	without := flags.String("without", "", "signals to leave out, by number, for an ablation")
	if err := flags.Parse(args); err != nil {
		return err
	}
	name, collect := "statements.txt", func() ([]set, error) { return collect(ctx, flags.Args()) }
	if *turns {
		name, collect = "turns.txt", func() ([]set, error) { return collectSaid(ctx, flags.Args(), strings.Split(*readers, ",")) }
	}
	sets, err := kept(*keep, collect)
	if err != nil {
		return err
	}
	if err := unseen(sets); err != nil {
		return err
	}
	sets = slices.DeleteFunc(sets, func(s set) bool { return slices.Contains(strings.Split(*leave, ","), s.Author) })
	for _, n := range strings.FieldsFunc(*without, func(r rune) bool { return r == ',' }) {
		i, err := strconv.Atoi(n)
		if err != nil || i < 0 {
			return fmt.Errorf("-without %s: no signal has that number", n)
		}
		for _, s := range sets {
			for _, r := range s.Rows {
				if i < len(r.Signals) {
					r.Signals[i] = 0
				}
			}
		}
	}
	if *check {
		along := 0.5 // of the threshold is enough for statements that come with another
		if *turns {
			along = 1
		}
		crossValidate(out, b, sets, along)
	}
	if !*write {
		return nil
	}
	return os.WriteFile(filepath.Join("internal", "gate", name), []byte(b.Fit(rowsOf(sets)).String()), 0o600)
}

// kept are the sets of a file, or those of lives, which are then kept in it; an
// empty name keeps nothing.
func kept(name string, collect func() ([]set, error)) ([]set, error) {
	var sets []set
	f, err := os.Open(name)
	if err == nil {
		defer f.Close()
		err = gob.NewDecoder(f).Decode(&sets)
		return sets, err
	}
	if sets, err = collect(); err != nil || name == "" {
		return sets, err
	}
	if f, err = os.Create(name); err != nil {
		return nil, err
	}
	return sets, errors.Join(gob.NewEncoder(f).Encode(sets), f.Close())
}

// set is one prompt with what was found for it.
type set struct {
	Author, Note, Store, Text string
	Needed                    int // statements it needs
	Rows                      []Row
}

// Row is one statement found for a prompt.
type Row struct {
	Signals    []float64
	Needed, OK bool
}

func rowsOf(sets []set) []boost.Example {
	const (
		fine = 0.3 // weight of what is on the matter but not needed: it is not wanted much
		near = 2   // of the signal of the place; further down one needless row stands for several, which saves time
		many = 4
	)
	var out []boost.Example
	far := 0
	for _, s := range sets {
		for _, r := range s.Rows {
			weight := 1.0
			switch {
			case r.OK:
				weight = fine
			case !r.Needed && r.Signals[rankSignal] > near:
				if far++; far%many != 0 {
					continue
				}
				weight = many
			}
			out = append(out, boost.Example{Signals: r.Signals, Wanted: r.Needed, Weight: weight})
		}
	}
	return out
}

// crossValidate prints what a model is worth on authors it was not fitted on: by
// threshold how much of what is needed is injected, how much of what is injected
// is no junk, and of how many prompts that need nothing get something.
func crossValidate(out io.Writer, b boost.Settings, sets []set, along float64) {
	authors := map[string]int{}
	for _, s := range sets {
		if _, ok := authors[s.Author]; !ok {
			authors[s.Author] = len(authors)
		}
	}
	const folds = 5
	probability := make([][]float64, len(sets))
	var wait sync.WaitGroup
	for fold := range folds {
		wait.Go(func() {
			var fit []set
			for _, s := range sets {
				if authors[s.Author]%folds != fold {
					fit = append(fit, s)
				}
			}
			m := b.Fit(rowsOf(fit))
			for i, s := range sets {
				if authors[s.Author]%folds == fold {
					for _, r := range s.Rows {
						probability[i] = append(probability[i], m.Probability(r.Signals))
					}
				}
			}
		})
	}
	wait.Wait()
	calibration(out, sets, probability)
	for _, store := range stores(sets) {
		places(out, sets, probability, store)
		fmt.Fprintf(out, "%s\n%9s %6s %9s %6s %6s\n", store, "threshold", "need", "precision", "junk", "texts")
		for t := 0.1; t < 0.51; t += 0.05 {
			var needed, found, injected, good, empty, junk float64
			byNote := map[string][2]float64{}
			for i, s := range sets {
				if s.Store != store {
					continue
				}
				needed += float64(s.Needed)
				got, hit := 0.0, 0.0
				least := t
				if len(s.Rows) > 0 && slices.Max(probability[i]) >= t {
					least = along * t
				}
				for k, r := range s.Rows {
					if probability[i][k] < least {
						continue
					}
					got++
					if r.Needed {
						hit++
						found++
					}
					if r.Needed || r.OK {
						good++
					}
				}
				injected += got
				n := byNote[s.Note]
				byNote[s.Note] = [2]float64{n[0] + hit, n[1] + float64(s.Needed)}
				if s.Needed == 0 {
					empty++
					if got > 0 {
						junk++
					}
				}
			}
			fmt.Fprintf(out, "%9.2f %6.3f %9.3f %6.3f %6.2f ", t, found/needed, good/math.Max(1, injected), junk/empty, injected/float64(len(sets)))
			var notes []string
			for n, v := range byNote {
				if v[1] > 50 {
					notes = append(notes, fmt.Sprintf("%s %.2f", n, v[0]/v[1]))
				}
			}
			slices.Sort(notes)
			fmt.Fprintln(out, strings.Join(notes, " · "))
		}
	}
}

// stores are the ways in which lives were played, in order of appearance.
func stores(sets []set) []string {
	var out []string
	for _, s := range sets {
		if !slices.Contains(out, s.Store) {
			out = append(out, s.Store)
		}
	}
	return out
}

// calibration prints how far probabilities are from shares, in ten bins of equal
// count among candidates of .1 and more.
func calibration(out io.Writer, sets []set, probability [][]float64) {
	type judged struct{ p, y float64 }
	var all []judged
	for i, s := range sets {
		for k, r := range s.Rows {
			if p := probability[i][k]; p >= 0.1 {
				y := 0.0
				if r.Needed {
					y = 1
				}
				if !r.OK {
					all = append(all, judged{p, y})
				}
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].p < all[j].p })
	var off float64
	const n = 10
	for k := range n {
		part := all[k*len(all)/n : (k+1)*len(all)/n]
		var p, y float64
		for _, j := range part {
			p += j.p
			y += j.y
		}
		off += math.Abs(p-y) / float64(len(all))
	}
	fmt.Fprintf(out, "calibration error %.3f over %d candidates\n", off, len(all))
}

// places prints how much of what is needed was found at all, and among the first
// three and five by probability.
func places(out io.Writer, sets []set, probability [][]float64, store string) {
	type sums struct{ needed, found, three, five float64 }
	by := map[string]*sums{"": {}}
	for i, s := range sets {
		if s.Store != store || s.Needed == 0 {
			continue
		}
		if by[s.Note] == nil {
			by[s.Note] = new(sums)
		}
		for _, n := range []*sums{by[""], by[s.Note]} {
			n.needed += float64(s.Needed)
			for k, r := range s.Rows {
				if !r.Needed {
					continue
				}
				better := 0
				for _, p := range probability[i] {
					if p > probability[i][k] {
						better++
					}
				}
				n.found++
				n.three += one(better < 3)
				n.five += one(better < 5)
			}
		}
	}
	for _, note := range slices.Sorted(maps.Keys(by)) {
		if n := by[note]; n.needed > 50 {
			fmt.Fprintf(out, "%-14s of %4.0f found %.3f R@3 %.3f R@5 %.3f\n", note, n.needed, n.found/n.needed, n.three/n.needed, n.five/n.needed)
		}
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
