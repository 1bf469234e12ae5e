// Command train trains the model of package reader from what lies in data, prints
// what a cross-validation over voices finds, and writes it. From the root of the
// repository:
//
//	go run ./internal/reader/train              # a few minutes on two cores
//	go run ./internal/reader/train -seed 2 -o /tmp/model.bin
//	go run ./internal/reader/train -grammar     # what package capture finds, instead
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

var usual = settings{epochs: 8, rate: 0.05, drop: 0.5, prompts: 6, voices: 4, bits: 15, folds: 5, seed: 1}

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
	grammar := flags.Bool("grammar", false, "print what the grammar of package capture finds, and train nothing")
	wrong := flags.Int("wrong", 0, "how many wrong statements to print, likeliest first")
	flags.IntVar(&s.epochs, "epochs", s.epochs, "times through all prompts")
	flags.Uint64Var(&s.seed, "seed", s.seed, "of the order of prompts, and of what is left out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data, err := read(os.DirFS(*dir))
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return fmt.Errorf("no data in %s", *dir)
	}
	if *grammar {
		reportGrammar(w, data)
		return nil
	}
	all := validate(data, s)
	judged := picked(all, s)
	report(w, judged, s)
	showWrong(w, judged, *wrong)
	model := learn(data, s)
	model.Judgement = judgement(all, s.seed)
	return os.WriteFile(*out, model.Pack(s.bits), 0o600)
}
