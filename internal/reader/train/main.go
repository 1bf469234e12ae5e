// Command train trains the model of package reader from what lies in data, prints
// what a cross-validation over voices finds, and writes it. From the root of the
// repository:
//
//	go run ./internal/reader/train              # a quarter of an hour on two cores
//	go run ./internal/reader/train -seed 2 -o /tmp/model.bin
//	go run ./internal/reader/train -score FOLDER   # the model of the binary on other voices
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/reader"
)

var usual = settings{epochs: 8, rate: 0.05, drop: 0.5, prompts: 3, voices: 2, slots: 3 << 14, folds: 5, seed: 1}

// parts of the data are reported apart, by the letters with which their voices' names begin.
var parts = [...]struct{ letters, name string }{
	{"stu", "in passing, among what only looks like it"}, {"py", "plainly, on ordinary days"}, {"a", "as lives tell it"}, {"v", "questions and tasks alone"},
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	s := usual
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	dir := flags.String("data", filepath.Join("internal", "reader", "train", "data"), "folder of the data")
	out := flags.String("o", filepath.Join("internal", "reader", "model.bin"), "file of the model")
	plain := flags.String("plain", filepath.Join("internal", "lives", "testdata", "dev"), "folder of lives")
	half := flags.Int("half", -1, "0 or 1: leave out that half of the voices and write a model that has not seen them, for what is fitted on how prompts are read (internal/gate/fit)")
	scored := flags.String("score", "", "folder of voices that the model of the binary was not trained on: read them and train nothing")
	m := marks{kept: 0.80, review: 0.30}
	flags.Float64Var(&m.kept, "kept", m.kept, "for -score: probability from which a statement is kept")
	flags.Float64Var(&m.review, "review", m.review, "for -score: probability from which it waits for a person")
	wrong := flags.Int("wrong", 0, "how many wrong statements to print, likeliest first")
	flags.IntVar(&s.epochs, "epochs", s.epochs, "times through all prompts")
	flags.Uint64Var(&s.seed, "seed", s.seed, "of the order of prompts, and of what is left out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *scored != "" {
		return score(w, *scored, m)
	}
	data, err := read(os.DirFS(*dir))
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return fmt.Errorf("no data in %s", *dir)
	}
	if *plain != "" {
		more, err := plainly(*plain, filepath.Join("internal", "meaning", "train", "data", "voices"))
		if err != nil {
			return err
		}
		data = append(data, more...)
	}
	if *half >= 0 {
		return os.WriteFile(*out, withoutHalf(data, *half, s).Pack(s.slots), 0o600)
	}
	all := validate(data, s)
	judged := picked(all, s)
	for _, part := range parts {
		of := slices.DeleteFunc(slices.Clone(judged), func(f found) bool { return !strings.Contains(part.letters, f.voice[:1]) })
		if len(of) > 0 {
			fmt.Fprintf(w, "== %s\n", part.name)
			report(w, of, s)
		}
	}
	showWrong(w, judged, *wrong)
	model := learn(data, s)
	model.Judgement = judgement(all, s.seed)
	return os.WriteFile(*out, model.Pack(s.slots), 0o600)
}

// withoutHalf learns from the voices of the other half. How candidates are judged is
// taken from the binary: a few dozen numbers that hold no voice.
func withoutHalf(data []*prompt, half int, s settings) *reader.Weights {
	m := learn(slices.DeleteFunc(data, func(p *prompt) bool { return reader.Half(p.voice) == half }), s)
	m.Judgement = reader.Builtin().Judgement()
	return m
}
