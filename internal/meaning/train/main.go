// Command train trains the table of package meaning from what lies in data, and
// writes it. From the root of the repository:
//
//	go run ./internal/meaning/train                  # a quarter of an hour on two cores
//	go run ./internal/meaning/train -epochs 0.2 -o /tmp/short.bin
//	go run ./internal/meaning/train -rank LIVES      # how well lives rank with it, too
//	go run ./internal/meaning/train -extract FOLDER  # the texts of packages, see data/MANIFEST.md
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"orihon/internal/meaning"
)

var (
	dataDir   = filepath.Join("internal", "meaning", "train", "data")
	tableFile = filepath.Join("internal", "meaning", "table.bin")
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	s := usual
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	flags.Float64Var(&s.epochs, "epochs", s.epochs, "times through all samples")
	out := flags.String("o", tableFile, "file of the table")
	lives := flags.String("rank", "", "folder of lives to rank")
	from := flags.String("extract", "", "folder of unpacked packages to read texts from, instead of training")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *from != "" {
		return extract(*from, dataDir, os.Stdout)
	}
	const (
		least      = 22 // how often a word must stand in the texts, by their weight
		neighbours = 9
		nearest    = 0.42 // cosine
	)
	c, err := read(os.DirFS(dataDir), least)
	if err != nil {
		return err
	}
	t := &trained{Words: c.vocabulary, Vectors: learn(c, s, os.Stdout), Dimensions: s.dimensions, Rarity: rarity(c), Twins: c.twins}
	packed := t.pack(neighbours, nearest)
	if *lives != "" {
		if err := rank(os.Stdout, meaning.New(string(packed)), *lives); err != nil {
			return err
		}
	}
	return os.WriteFile(*out, packed, 0o600)
}
