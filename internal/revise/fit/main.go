// Command fit fits the models of package revise to prompts that change kept statements,
// or only touch them, and to prompts of lives, which change nothing. From the root of
// the repository:
//
//	go run ./internal/revise/fit
//
// It prints what the models are worth on writers they were not fitted on, and writes
// model.txt.gz and words.bin. With -score FOLDER it scores the models of the binary on
// sheets of other writers instead.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"orihon/internal/gate"
	"orihon/internal/gate/boost"
	"orihon/internal/lives"
	"orihon/internal/revise"
)

const folder = "internal/revise"

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	flags := flag.NewFlagSet("fit", flag.ContinueOnError)
	b := boost.Settings{Trees: 250, Depth: 4, Rate: 0.08, Leaf: 6, Penalty: 4}
	flags.IntVar(&b.Trees, "trees", b.Trees, "trees of the model")
	flags.IntVar(&b.Depth, "depth", b.Depth, "questions of a tree")
	flags.Float64Var(&b.Rate, "rate", b.Rate, "learning rate")
	flags.Float64Var(&b.Leaf, "leaf", b.Leaf, "weight that a value needs")
	flags.Float64Var(&b.Penalty, "penalty", b.Penalty, "on values")
	words := flags.Float64("words", 0.01, "penalty on weights of words")
	write := flags.Bool("write", true, "write the models")
	score := flags.String("score", "", "folder of sheets to score the models of the binary on")
	short := flags.Float64("short", 4, "weight of sheets of short prompts")
	show := flags.Int("show", 0, "how many mistakes to show")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *score != "" {
		sheets, err := openSheets(*score)
		if err != nil {
			return err
		}
		report(out, builtin(sheets), *show)
		return nil
	}
	sheets, err := openSheets(filepath.Join(folder, "fit", "data"))
	if err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(folder, "fit", "lives.txt"))
	if err != nil {
		return err
	}
	var paths []string
	for name := range strings.FieldsSeq(string(list)) {
		paths = append(paths, filepath.Join("internal", "lives", "testdata", name))
	}
	all, err := lives.Read(paths...)
	if err != nil {
		return err
	}
	for i := range all {
		sheets = append(sheets, fromLife(&all[i]))
	}
	told, err := lives.ReadPairs(filepath.Join("internal", "lives", "testdata", "pairs"))
	if err != nil {
		return err
	}
	for _, of := range told {
		sheets = append(sheets, fromPairs(of)...)
	}
	l := sayWords(sheets, *words)
	judged := crossValidate(b, sheets, *short)
	for _, kind := range []string{"sheets", "short", "pairs"} {
		fmt.Fprintf(out, "%s: ", kind)
		report(out, slices.DeleteFunc(slices.Clone(judged), func(v verdict) bool { return v.in.kind != kind && !v.in.life }), *show)
	}
	if !*write {
		return nil
	}
	if err := os.WriteFile(filepath.Join(folder, "words.bin"), l.quantized(), 0o600); err != nil {
		return err
	}
	return writePacked(filepath.Join(folder, "model.txt.gz"), b.Fit(examples(sheets, *short)).String())
}

func writePacked(path, text string) error {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(z, text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o600)
}

func openSheets(folder string) ([]*sheet, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	sheets := make([]*sheet, 0, len(files))
	for _, f := range files {
		s, err := openSheet(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		sheets = append(sheets, s)
	}
	return sheets, nil
}

// examples are the runs that say a change best, and all that say none. Those of a
// prompt count together as much as three at least.
func examples(sheets []*sheet, short float64) []boost.Example {
	const least = 0.3
	var out []boost.Example
	for _, s := range sheets {
		times := 1.0
		if s.kind == "short" {
			times = short
		}
		for i := range s.Prompts {
			p := &s.Prompts[i]
			weight := times * max(least, 1/float64(max(1, len(p.runs))))
			for k := range p.known {
				span, over := p.over[k]
				best := -1
				if over {
					best = p.best(span)
				}
				for n, r := range p.runs {
					switch {
					case n == best:
						out = append(out, boost.Example{Signals: r.Signals[k], Wanted: true, Weight: times})
					case !over:
						out = append(out, boost.Example{Signals: r.Signals[k], Weight: weight})
					}
				}
			}
		}
	}
	return out
}

// verdict is how likely a prompt changes a memory.
type verdict struct {
	p    float64
	over bool
	in   *prompt
	k    int
}

func judge(m *gate.Model, s *sheet) []verdict {
	var out []verdict
	for i := range s.Prompts {
		p := &s.Prompts[i]
		for k := range p.known {
			v := verdict{in: p, k: k}
			_, v.over = p.over[k]
			for _, r := range p.runs {
				v.p = max(v.p, m.Probability(r.Signals[k]))
			}
			out = append(out, v)
		}
	}
	return out
}

func builtin(sheets []*sheet) []verdict {
	var out []verdict
	for _, s := range sheets {
		for i := range s.Prompts {
			p := &s.Prompts[i]
			for _, c := range revise.Against(p.known).Read(p.Text) {
				_, over := p.over[c.Known]
				out = append(out, verdict{p: c.P, over: over, in: p, k: c.Known})
			}
		}
	}
	return out
}

// crossValidate judges prompts by models that have not seen their writers.
func crossValidate(b boost.Settings, sheets []*sheet, short float64) []verdict {
	const folds = 4
	var writers []string
	for _, s := range sheets {
		if !slices.Contains(writers, s.writer) {
			writers = append(writers, s.writer)
		}
	}
	found := make([][]verdict, folds)
	var wait sync.WaitGroup
	for fold := range folds {
		wait.Go(func() {
			inFold := func(s *sheet) bool { return slices.Index(writers, s.writer)%folds == fold }
			m := b.Fit(examples(slices.DeleteFunc(slices.Clone(sheets), inFold), short))
			for _, s := range sheets {
				if inFold(s) {
					found[fold] = append(found[fold], judge(m, s)...)
				}
			}
		})
	}
	wait.Wait()
	return slices.Concat(found...)
}

// report prints how many of the changes are found when so many of those found are right,
// and to how many prompts that change nothing something is said: those that touch a
// memory or hold another statement, and the ordinary ones of lives.
func report(out io.Writer, all []verdict, show int) {
	slices.SortFunc(all, func(a, b verdict) int { return cmp.Compare(b.p, a.p) })
	most := map[*prompt]float64{}
	var total, right, n float64
	var idle, ordinary []*prompt
	for _, v := range all {
		if _, seen := most[v.in]; !seen {
			total += float64(len(v.in.over) + v.in.lost)
			switch {
			case v.in.life:
				ordinary = append(ordinary, v.in)
			case len(v.in.Changes) == 0:
				idle = append(idle, v.in)
			}
		}
		most[v.in] = max(most[v.in], v.p)
	}
	share := func(of []*prompt, p float64) float64 {
		told := 0
		for _, x := range of {
			if most[x] >= p {
				told++
			}
		}
		return float64(told) / float64(max(1, len(of)))
	}
	fmt.Fprintf(out, "%.0f changes; %d prompts that change nothing, %d of lives\n", total, len(idle), len(ordinary))
	fmt.Fprintf(out, "%6s %6s %6s %9s %6s\n", "from", "found", "right", "no change", "lives")
	mark := 0.9
	for i, v := range all {
		if !v.in.life {
			if n++; v.over {
				right++
			}
		}
		for mark > 0.05 && (i+1 == len(all) || all[i+1].p < mark) {
			fmt.Fprintf(out, "%6.2f %6.3f %6.3f %9.3f %6.3f\n", mark, right/total, right/max(n, 1), share(idle, mark), share(ordinary, mark))
			mark -= 0.1
		}
	}
	for _, v := range all[:min(len(all), show)] {
		if !v.over {
			fmt.Fprintf(out, "wrong %.2f %s: %q\n\t%s\n", v.p, v.in.Why, v.in.Text, v.in.known[v.k])
		}
	}
}
