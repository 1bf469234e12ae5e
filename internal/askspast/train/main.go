// Command train trains the model of package askspast from what lies in data, prints what
// a cross-validation over voices finds, and writes it. From the root of the repository:
//
//	go run ./internal/askspast/train              # seconds
//	go run ./internal/askspast/train -score FOLDER   # the model of the binary on other voices
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/askspast"
	"orihon/internal/lives"
	"orihon/internal/reader"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings of the training.
type settings struct {
	epochs  int
	rate    float64 // length of the first steps; of the last it is a tenth
	drop    float64 // share of the features left out at each step
	prompts int     // a feature must stand in that many prompts
	voices  int     // of that many voices
	seed    uint64
}

var usual = settings{epochs: 40, rate: 0.05, drop: 0.3, prompts: 3, voices: 2, seed: 1}

func run(args []string, w io.Writer) error {
	s := usual
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	dir := flags.String("data", filepath.Join("internal", "askspast", "train", "data"), "folder of the data")
	out := flags.String("o", filepath.Join("internal", "askspast", "model.bin"), "file of the model")
	livesDir := flags.String("lives", filepath.Join("internal", "lives", "testdata", "dev"), "folder of lives, none for \"\"")
	scored := flags.String("score", "", "folder of voices that the model of the binary was not trained on: read them and train nothing")
	from := flags.Float64("from", 0.5, "likelihood from which a prompt is counted as one that asks")
	wrong := flags.Int("wrong", 0, "how many wrong prompts to print, the surest first")
	flags.IntVar(&s.epochs, "epochs", s.epochs, "times through all prompts")
	flags.Float64Var(&s.rate, "rate", s.rate, "length of the first steps")
	flags.Float64Var(&s.drop, "drop", s.drop, "share of the features left out at each step")
	flags.Uint64Var(&s.seed, "seed", s.seed, "of the order of prompts, and of what is left out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data, err := read(os.DirFS(cmp.Or(*scored, *dir)))
	if err != nil {
		return err
	}
	if *scored != "" {
		for _, p := range data {
			p.p = askspast.P(p.Text)
		}
		report(w, data, *from, *wrong)
		return nil
	}
	if *livesDir != "" {
		more, err := ofLives(*livesDir)
		if err != nil {
			return err
		}
		data = append(data, more...)
	}
	for voice := range voices(data) {
		m := askspast.Open(string(learn(slices.DeleteFunc(slices.Clone(data), func(p *prompt) bool { return p.voice == voice }), s).Pack()))
		for _, p := range data {
			if p.voice == voice {
				p.p = m.P(p.Prompt)
			}
		}
	}
	report(w, data, *from, *wrong)
	return os.WriteFile(*out, learn(data, s).Pack(), 0o600)
}

// prompt is one of the data.
type prompt struct {
	reader.Prompt
	voice string
	asks  bool
	p     float64 // how likely it asks, as a model has it that has not seen its voice
}

func voices(data []*prompt) map[string]bool {
	out := make(map[string]bool)
	for _, p := range data {
		out[p.voice] = true
	}
	return out
}

// read reads all files, in order of their names; what of a name stands before the first
// "-" or "." is the voice.
func read(dir fs.FS) ([]*prompt, error) {
	names, err := fs.Glob(dir, "*.jsonl")
	if err != nil || len(names) == 0 {
		return nil, cmp.Or(err, fmt.Errorf("no data in the folder"))
	}
	var out []*prompt
	for _, name := range names {
		f, err := dir.Open(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			var line struct{ Text, Label string }
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Text == "" || line.Label != "P" && line.Label != "N" {
				return nil, fmt.Errorf("%s:%d: no prompt with a text and a label, P or N", name, n)
			}
			out = append(out, &prompt{Prompt: reader.Prepare(line.Text), voice: strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '.' })[0], asks: line.Label == "P"})
		}
		_ = f.Close()
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

// ofLives makes prompts of lives: those that need something of a past session ask for it,
// those that need nothing do not. What other prompts need was told to be remembered.
func ofLives(dir string) ([]*prompt, error) {
	all, err := lives.Read(dir)
	if err != nil {
		return nil, err
	}
	var out []*prompt
	for _, l := range all {
		told := make(map[string]bool)
		for _, m := range l.Memories {
			told[m.ID] = true
		}
		for _, p := range l.Prompts {
			asks := slices.ContainsFunc(p.Need, func(id string) bool { return !told[id] })
			if asks || len(p.Need) == 0 {
				out = append(out, &prompt{Prompt: reader.Prepare(p.Text), voice: "lives " + l.Author, asks: asks})
			}
		}
	}
	return out, nil
}

// learn goes through the data one prompt at a time (Duchi, Hazan and Singer 2011,
// "Adaptive subgradient methods"). The weights are the mean of those after each epoch of
// the second half.
func learn(data []*prompt, s settings) *askspast.Weights {
	often := vocabulary(data, s)
	l := learner{settings: s, weights: make(map[uint32]*weight, len(often))}
	for h := range often {
		l.weights[h] = new(weight)
	}
	sum := &askspast.Weights{Features: make(map[uint32]float64, len(often))}
	rng := rand.New(rand.NewPCG(s.seed, 1))
	for e := range s.epochs {
		rate := s.rate * (1 - 0.9*float64(e)/float64(s.epochs))
		for _, i := range rng.Perm(len(data)) {
			l.step(data[i], rng, rate)
		}
		if e < s.epochs/2 {
			continue
		}
		share := 1 / float64(s.epochs-s.epochs/2)
		sum.Bias += share * l.bias.value
		for d := range l.meaning {
			sum.Meaning[d] += share * l.meaning[d].value
		}
		for h, w := range l.weights {
			sum.Features[h] += share * (1 - s.drop) * w.value // all are there when it is used
		}
	}
	return sum
}

// vocabulary are the features that are seen often enough to be learnt.
func vocabulary(data []*prompt, s settings) map[uint32]bool {
	in, by := make(map[uint32]int), make(map[uint32]map[string]bool)
	for _, p := range data {
		seen := make(map[uint32]bool)
		for _, f := range p.Features {
			for _, h := range f.Hashes {
				seen[h] = true
			}
		}
		for h := range seen {
			in[h]++
			if by[h] == nil {
				by[h] = make(map[string]bool)
			}
			by[h][p.voice] = true
		}
	}
	often := make(map[uint32]bool)
	for h, n := range in {
		if n >= s.prompts && len(by[h]) >= s.voices {
			often[h] = true
		}
	}
	return often
}

type learner struct {
	settings
	bias    weight
	meaning [reader.Dimensions]weight
	weights map[uint32]*weight
}

// weight is one number and the squares of all its gradients so far: one that was moved
// much is moved less.
type weight struct{ value, squares float64 }

func (w *weight) move(gradient, rate float64) {
	w.squares += gradient * gradient
	w.value += rate * gradient / math.Sqrt(w.squares+0.1)
}

// step goes one step along the gradient of the likelihood of a prompt's label.
func (l *learner) step(p *prompt, rng *rand.Rand, rate float64) {
	likely := make([]float64, len(p.Features))
	drawn := make([][]*weight, len(p.Features))
	none := 1.0
	for i, f := range p.Features {
		score := l.bias.value
		for _, h := range f.Hashes {
			if w := l.weights[h]; w != nil && rng.Float64() >= l.drop {
				drawn[i] = append(drawn[i], w)
				score += w.value
			}
		}
		for d, x := range f.Meaning {
			score += float64(x) * l.meaning[d].value
		}
		likely[i] = askspast.Likely(score)
		none *= 1 - likely[i]
	}
	for i, f := range p.Features {
		gradient := -likely[i]
		if p.asks {
			gradient = likely[i] * none / max(1-none, 1e-6)
		}
		l.bias.move(gradient, rate)
		for _, w := range drawn[i] {
			w.move(gradient, rate)
		}
		for d, x := range f.Meaning {
			l.meaning[d].move(gradient*float64(x), rate)
		}
	}
}

// report says, for each voice and for all, how well a model tells what asks.
func report(w io.Writer, data []*prompt, from float64, wrong int) {
	fmt.Fprintf(w, "%-8s %8s %6s %10s %8s %6s\n", "voice", "prompts", "asks", "precision", "recall", "area")
	for _, voice := range append(slices.Sorted(maps.Keys(voices(data))), "all") {
		of := slices.DeleteFunc(slices.Clone(data), func(p *prompt) bool { return voice != "all" && p.voice != voice })
		asks, found, right := 0, 0, 0
		for _, p := range of {
			asks += bit(p.asks)
			found += bit(p.p >= from)
			right += bit(p.asks && p.p >= from)
		}
		fmt.Fprintf(w, "%-8s %8d %6d %10.3f %8.3f %6.3f\n", voice, len(of), asks, float64(right)/float64(max(1, found)), float64(right)/float64(max(1, asks)), area(of))
	}
	off := func(p *prompt) float64 { return math.Abs(float64(bit(p.asks)) - p.p) }
	worst := slices.SortedStableFunc(slices.Values(data), func(a, b *prompt) int { return cmp.Compare(off(b), off(a)) })
	for _, p := range worst[:min(wrong, len(worst))] {
		fmt.Fprintf(w, "%.2f %v %s %q\n", p.p, p.asks, p.voice, p.Text)
	}
}

// area under the curve: how often one that asks is likelier than one that does not.
func area(data []*prompt) float64 {
	above, pairs := 0.0, 0
	for _, a := range data {
		for _, b := range data {
			if a.asks && !b.asks {
				pairs++
				above += float64(bit(a.p > b.p)) + float64(bit(a.p == b.p))/2
			}
		}
	}
	return above / float64(max(1, pairs))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
