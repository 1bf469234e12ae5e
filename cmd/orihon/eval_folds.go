package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"orihon/internal/claudecode"
	"orihon/internal/eval"
	"orihon/runs"
)

// foldTask is what "eval --task folds" was asked for: what the folds of compacted
// sessions keep.
type foldTask struct {
	out, transcripts string
	budget           int
	handoff          bool
}

const foldsHelp = "\n\nWith --task folds, DATA has points at which sessions were compacted, one a line:\n\n" +
	"  {\"id\", \"file\", \"start\", \"end\", \"probes\": [{\"type\", \"text\" | \"words\"}]}\n\n" +
	"Lines start to end (from 0, end not included) of the transcript go through what the\n" +
	"client's hook does before and after a compaction. What the agent would get is\n" +
	"scored without a model: which of the probes still stand in it."

func (t *foldTask) flags(f *pflag.FlagSet) {
	f.IntVar(&t.budget, "budget", runs.BriefTokens, "folds: tokens that a fold may have")
	f.BoolVar(&t.handoff, "handoff", false, "folds: score what orihon handoff would write at these points")
	f.StringVar(&t.out, "out", "", "folds: write them to this file, one JSON object per line: id, fold")
	f.StringVar(&t.transcripts, "transcripts", "", "folds: folder of the transcripts (default transcripts/ beside DATA, else that of DATA)")
}

func (a *app) evalFolds(ctx context.Context, data string, t *foldTask) error {
	if t.budget <= 0 {
		return fmt.Errorf("%w: --budget %d: want a number of tokens", errUsage, t.budget)
	}
	o, err := a.options()
	if err != nil {
		return err
	}
	probes, err := eval.ReadFoldProbes(data)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "orihon-eval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	step, end := a.progress("folds")
	folds, err := eval.Folds(ctx, probes, &eval.FoldOptions{
		Dir: dir, Transcripts: t.folder(data), Budget: t.budget, Handoff: t.handoff, Tell: claudecode.CatchUp, Settings: o.Settings, Logger: o.Logger,
		Progress: func(done, all int) { step(done+1, all) },
	})
	end()
	if err != nil {
		return err
	}
	if t.out != "" {
		if err := createHere(t.out, func(w io.Writer) error { return writeFolds(w, probes, folds) }); err != nil {
			return err
		}
	}
	scores := eval.ScoreFolds(probes, folds, t.budget)
	return a.print(map[string]any{"data": filepath.Base(data), "budget": t.budget, "scores": scores, "version": version()}, func(w io.Writer) {
		fmt.Fprintf(w, "events %d mean tokens %.0f\n", scores.Events, scores.Tokens)
		for _, k := range scores.Kinds {
			fmt.Fprintf(w, "%-20s %.3f (events %d)\n", k.Kind, k.Kept, k.Events)
		}
		foldTable(w, scores)
	})
}

// folder is where the transcripts lie.
func (t *foldTask) folder(data string) string {
	if t.transcripts != "" {
		return t.transcripts
	}
	beside := filepath.Join(filepath.Dir(data), "transcripts")
	if info, err := os.Stat(beside); err == nil && info.IsDir() {
		return beside
	}
	return filepath.Dir(data)
}

func writeFolds(to io.Writer, probes []eval.FoldProbe, folds map[string]string) error {
	w := bufio.NewWriter(to)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range probes {
		if err := enc.Encode(struct {
			ID   string `json:"id"`
			Fold string `json:"fold"`
		}{probes[i].ID, folds[probes[i].ID]}); err != nil {
			return err
		}
	}
	return w.Flush()
}

// foldTable prints the shares of each point.
func foldTable(w io.Writer, s *eval.FoldScores) {
	kinds := map[string]bool{}
	for _, p := range s.Points {
		for k := range p.Kept {
			kinds[k] = true
		}
	}
	names := slices.Sorted(maps.Keys(kinds))
	t := rightTable(w)
	defer t.Flush()
	fmt.Fprint(w, "\n")
	fmt.Fprint(t, "point\ttokens\t")
	for _, k := range names {
		fmt.Fprint(t, k, "\t")
	}
	fmt.Fprintln(t)
	for _, p := range s.Points {
		fmt.Fprintf(t, "%s\t%.0f\t", p.ID, p.Tokens)
		for _, k := range names {
			if v, ok := p.Kept[k]; ok {
				fmt.Fprintf(t, "%.3f\t", v)
			} else {
				fmt.Fprint(t, "-\t")
			}
		}
		fmt.Fprintln(t)
	}
}
