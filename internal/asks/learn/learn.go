// Package learn trains the models of package asks from labelled prompts. It knows no
// files but those of the data; the commands that train and fit call it.
//
// Start with [Learn] and [Folds].
package learn

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"orihon/internal/asks"
	"orihon/internal/lives"
	"orihon/internal/reader"
)

// Settings of a training.
type Settings struct {
	Epochs  int
	Rate    float64 // length of the first steps; of the last it is a tenth
	Drop    float64 // share of the features left out at each step
	Prompts int     // a feature must stand in that many prompts
	Voices  int     // of that many voices
	Seed    uint64
}

// Usual are the settings of the models in the binary.
var Usual = Settings{Epochs: 40, Rate: 0.05, Drop: 0.3, Prompts: 3, Voices: 2, Seed: 1}

// Prompt is one with its label.
type Prompt struct {
	reader.Prompt
	Voice string // who wrote it
	Asks  bool
}

// Read reads all files of a folder, in order of their names; what of a name stands before
// the first "-" or "." is the voice. Errors name the line.
func Read(dir fs.FS) ([]Prompt, error) {
	names, err := fs.Glob(dir, "*.jsonl")
	if err != nil || len(names) == 0 {
		return nil, cmp.Or(err, fmt.Errorf("no data in the folder"))
	}
	var out []Prompt
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
			out = append(out, Prompt{reader.Prepare(line.Text), voice(name), line.Label == "P"})
		}
		_ = f.Close()
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

// Past are prompts of lives for [asks.Past]: those that need something of a past session
// ask for it, those that need nothing do not. What other prompts need was told to be
// remembered.
func Past(all []lives.Life) []Prompt {
	var out []Prompt
	for _, l := range all {
		told := make(map[string]bool)
		for _, m := range l.Memories {
			told[m.ID] = true
		}
		for _, p := range l.Prompts {
			past := slices.ContainsFunc(p.Need, func(id string) bool { return !told[id] })
			if past || len(p.Need) == 0 {
				out = append(out, Prompt{reader.Prepare(p.Text), l.Author, past})
			}
		}
	}
	return out
}

// Memory are prompts of lives for [asks.Memory], those of sessions among them: they ask
// when they need something.
func Memory(all []lives.Life) []Prompt {
	var out []Prompt
	for _, l := range all {
		for _, p := range l.Prompts {
			out = append(out, Prompt{reader.Prepare(p.Text), l.Author, len(p.Need) > 0})
		}
		for _, s := range l.Sessions {
			for _, t := range s.Turns {
				if t.Who == "user" {
					out = append(out, Prompt{reader.Prepare(t.Prompt.Text), l.Author, len(t.Prompt.Need) > 0})
				}
			}
		}
	}
	return out
}

// Kept are prompts of lives for [asks.Forget]: none asks for anything to be forgotten.
func Kept(all []lives.Life) []Prompt {
	out := Memory(all)
	for i := range out {
		out[i].Asks = false
	}
	return out
}

// Sheets are prompts for [asks.Forget], by the rules of train/data/forget: those ask from
// which something is to go.
func Sheets(all []lives.ForgetSheet) []Prompt {
	var out []Prompt
	for _, s := range all {
		for _, p := range s.Prompts {
			out = append(out, Prompt{reader.Prepare(p.Text), voice(s.Name), len(p.Forget) > 0})
		}
	}
	return out
}

// Voices are prompts for [asks.Forget] of those that the reader is trained on, which mark
// what asks for it.
func Voices(all []lives.Voice) []Prompt {
	var out []Prompt
	for _, v := range all {
		for _, p := range v.Prompts {
			asks := slices.ContainsFunc(p.Keep, func(s lives.Statement) bool { return s.Kind == reader.Forget.String() })
			out = append(out, Prompt{reader.Prepare(p.Text), v.Name, asks})
		}
	}
	return out
}

// voice is who wrote a file, by its name.
func voice(name string) string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '.' })[0]
}

// Folds learns without some of the voices each time, and returns for a voice the model
// that has not seen it.
func Folds(data []Prompt, s Settings) func(voice string) *asks.Model {
	const folds = 6
	var voices []string
	for _, p := range data {
		if !slices.Contains(voices, p.Voice) {
			voices = append(voices, p.Voice)
		}
	}
	slices.Sort(voices)
	fold := func(voice string) int {
		at, _ := slices.BinarySearch(voices, voice)
		return at % folds
	}
	models := make([]*asks.Model, folds)
	var wait sync.WaitGroup
	for f := range models {
		wait.Go(func() {
			others := slices.DeleteFunc(slices.Clone(data), func(p Prompt) bool { return fold(p.Voice) == f })
			models[f] = asks.Open(string(Learn(others, s).Pack()))
		})
	}
	wait.Wait()
	return func(voice string) *asks.Model { return models[fold(voice)] }
}

// Learn goes through the data one prompt at a time (Duchi, Hazan and Singer 2011,
// "Adaptive subgradient methods"). The weights are the mean of those after each epoch of
// the second half.
func Learn(data []Prompt, s Settings) *asks.Weights {
	often := vocabulary(data, s)
	l := learner{Settings: s, weights: make(map[uint32]*weight, len(often))}
	for h := range often {
		l.weights[h] = new(weight)
	}
	sum := &asks.Weights{Features: make(map[uint32]float64, len(often))}
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	for e := range s.Epochs {
		rate := s.Rate * (1 - 0.9*float64(e)/float64(s.Epochs))
		for _, i := range rng.Perm(len(data)) {
			l.step(&data[i], rng, rate)
		}
		if e < s.Epochs/2 {
			continue
		}
		share := 1 / float64(s.Epochs-s.Epochs/2)
		sum.Bias += share * l.bias.value
		for d := range l.meaning {
			sum.Meaning[d] += share * l.meaning[d].value
		}
		for h, w := range l.weights {
			sum.Features[h] += share * (1 - s.Drop) * w.value // all are there when it is used
		}
	}
	return sum
}

// vocabulary are the features that are seen often enough to be learnt.
func vocabulary(data []Prompt, s Settings) map[uint32]bool {
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
			by[h][p.Voice] = true
		}
	}
	often := make(map[uint32]bool)
	for h, n := range in {
		if n >= s.Prompts && len(by[h]) >= s.Voices {
			often[h] = true
		}
	}
	return often
}

type learner struct {
	Settings
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
func (l *learner) step(p *Prompt, rng *rand.Rand, rate float64) {
	likely := make([]float64, len(p.Features))
	drawn := make([][]*weight, len(p.Features))
	none := 1.0
	for i, f := range p.Features {
		score := l.bias.value
		for _, h := range f.Hashes {
			if w := l.weights[h]; w != nil && rng.Float64() >= l.Drop {
				drawn[i] = append(drawn[i], w)
				score += w.value
			}
		}
		for d, x := range f.Meaning {
			score += float64(x) * l.meaning[d].value
		}
		likely[i] = asks.Likely(score)
		none *= 1 - likely[i]
	}
	for i, f := range p.Features {
		gradient := -likely[i]
		if p.Asks {
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
