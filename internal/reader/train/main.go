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

var usual = settings{epochs: 6, rate: 0.05, drop: 0.5, prompts: 6, voices: 4, bits: 15, folds: 5, seed: 1}

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
	flags.IntVar(&s.epochs, "epochs", s.epochs, "times through all prompts")
	flags.Uint64Var(&s.seed, "seed", s.seed, "of the order of prompts, and of what is left out")
	flags.Float64Var(&s.rate, "rate", s.rate, "")
	flags.Float64Var(&s.drop, "drop", s.drop, "")
	flags.IntVar(&s.prompts, "prompts", s.prompts, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data, err := read(os.DirFS(*dir))
	if err != nil {
		return err
	}
	if *grammar {
		reportGrammar(w, data)
		return nil
	}
	all := validate(data, s)
	report(w, picked(all, s), s)
	model := learn(data, s)
	model.Judgement = judgement(all, s.seed)
	return os.WriteFile(*out, model.Pack(s.bits), 0o600)
}
