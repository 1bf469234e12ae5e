// Command train trains a model of package asks from what lies in data, prints what a
// cross-validation over voices finds, and writes it. From the root of the repository:
//
//	go run ./internal/asks/train -model past     # half a minute
//	go run ./internal/asks/train -model memory   # two minutes
//	go run ./internal/asks/train -model forget   # three minutes
//	go run ./internal/asks/train -model back     # a minute
//	go run ./internal/asks/train -model past -score FOLDER   # the model of the binary on other voices
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/asks"
	"orihon/internal/asks/learn"
	"orihon/internal/lives"
	"orihon/internal/reader"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// kinds of models: what the program has, and what lives say.
var kinds = map[string]struct {
	builtin func(reader.Prompt) float64
	lives   func([]lives.Life) []learn.Prompt
	folders string // of lives
}{
	"past":   {asks.Past, learn.Past, "dev"},
	"memory": {asks.Memory, learn.Memory, "dev,scored"},
	"forget": {func(p reader.Prompt) float64 { return asks.Forget(p) }, learn.Kept, "dev"},
	"back":   {asks.TakesBack, learn.Kept, "none"},
}

func run(args []string, w io.Writer) error {
	s := learn.Usual
	root := filepath.Join("internal", "asks")
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	model := flags.String("model", "memory", "past, memory, forget or back")
	dir := flags.String("data", "", "folder of the data; the model's if empty")
	out := flags.String("o", "", "file of the model; that of the program if empty")
	livesDir := flags.String("lives", "", "folders of lives, with commas between; the model's if empty, none for none")
	scored := flags.String("score", "", "folder of voices that the model of the binary was not trained on: read them and train nothing")
	from := flags.Float64("from", 0.5, "likelihood from which a prompt is counted as one that asks")
	wrong := flags.Int("wrong", 0, "how many wrong prompts to print, the surest first")
	flags.IntVar(&s.Epochs, "epochs", s.Epochs, "times through all prompts")
	flags.Float64Var(&s.Rate, "rate", s.Rate, "length of the first steps")
	flags.Float64Var(&s.Drop, "drop", s.Drop, "share of the features left out at each step")
	flags.Uint64Var(&s.Seed, "seed", s.Seed, "of the order of prompts, and of what is left out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	kind, ok := kinds[*model]
	if !ok {
		return fmt.Errorf("-model %s: want past, memory, forget or back", *model)
	}
	data, err := labelled(*model, cmp.Or(*scored, *dir, filepath.Join(root, "train", "data", *model)))
	if err != nil {
		return err
	}
	if *scored != "" {
		report(w, data, func(p *learn.Prompt) float64 { return kind.builtin(p.Prompt) }, *from, *wrong)
		return nil
	}
	switch *model {
	case "forget":
		data, err = amongVoices(data)
	case "back":
		data, err = amongOthers(data)
	}
	if err != nil {
		return err
	}
	for folder := range strings.SplitSeq(cmp.Or(*livesDir, kind.folders), ",") {
		if folder == "none" {
			break
		}
		if *livesDir == "" {
			folder = filepath.Join("internal", "lives", "testdata", folder)
		}
		all, err := lives.Read(folder)
		if err != nil {
			return err
		}
		data = append(data, kind.lives(all)...)
	}
	unseen := learn.Folds(data, s)
	report(w, data, func(p *learn.Prompt) float64 { return unseen(p.Voice).P(p.Prompt) }, *from, *wrong)
	return os.WriteFile(cmp.Or(*out, filepath.Join(root, *model+".bin")), learn.Learn(data, s).Pack(), 0o600)
}

// labelled are the prompts of a folder of a model's data.
func labelled(model, folder string) ([]learn.Prompt, error) {
	if model != "forget" {
		return learn.Read(os.DirFS(folder))
	}
	sheets, err := lives.ReadForgets(folder)
	return learn.Sheets(sheets), err
}

// amongVoices adds the prompts of the reader's voices to those of sheets. The latter are
// few among them, and everyday: each counts three times.
func amongVoices(sheets []learn.Prompt) ([]learn.Prompt, error) {
	voices, err := lives.ReadVoices(filepath.Join("internal", "reader", "train", "data"))
	var out []learn.Prompt
	for _, p := range sheets {
		out = append(out, p, p, p)
	}
	return append(out, learn.Voices(voices)...), err
}

// amongOthers adds the prompts of the model of what needs memory: none takes anything back.
func amongOthers(data []learn.Prompt) ([]learn.Prompt, error) {
	others, err := labelled("memory", filepath.Join("internal", "asks", "train", "data", "memory"))
	for i := range others {
		others[i].Asks = false
	}
	return append(data, others...), err
}

// judged is a prompt with how likely it asks.
type judged struct {
	*learn.Prompt
	p float64
}

// report says, for each voice and for all, how well a model tells what asks.
func report(w io.Writer, data []learn.Prompt, likely func(*learn.Prompt) float64, from float64, wrong int) {
	voices := map[string][]judged{}
	var all []judged
	for i := range data {
		j := judged{&data[i], likely(&data[i])}
		voices[j.Voice] = append(voices[j.Voice], j)
		all = append(all, j)
	}
	voices["all"] = all
	fmt.Fprintf(w, "%-8s %8s %6s %10s %8s %6s\n", "voice", "prompts", "asks", "precision", "recall", "area")
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(voices)), func(v string) bool { return v == "all" })
	for _, voice := range append(names, "all") {
		of := voices[voice]
		wanted, found, right := 0, 0, 0
		for _, p := range of {
			wanted += bit(p.Asks)
			found += bit(p.p >= from)
			right += bit(p.Asks && p.p >= from)
		}
		fmt.Fprintf(w, "%-8s %8d %6d %10.3f %8.3f %6.3f\n", voice, len(of), wanted, float64(right)/float64(max(1, found)), float64(right)/float64(max(1, wanted)), area(of))
	}
	off := func(p judged) float64 { return math.Abs(float64(bit(p.Asks)) - p.p) }
	worst := slices.SortedStableFunc(slices.Values(all), func(a, b judged) int { return cmp.Compare(off(b), off(a)) })
	for _, p := range worst[:min(wrong, len(worst))] {
		fmt.Fprintf(w, "%.2f %v %s %q\n", p.p, p.Asks, p.Voice, p.Text)
	}
}

// area under the curve: how often one that asks is likelier than one that does not.
func area(data []judged) float64 {
	above, pairs := 0.0, 0
	for _, a := range data {
		for _, b := range data {
			if a.Asks && !b.Asks {
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
