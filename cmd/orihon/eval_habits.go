package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"orihon/internal/planted"
)

const habitsHelp = "\n\nWith --task habits, DATA are folders of scripted sessions in which habits are planted\n" +
	"(AUTHOR-NN.jsonl and AUTHOR-labels.jsonl). Each author's sessions are played through the\n" +
	"client's hooks in a home of their own. An instinct is a planted habit when at least half\n" +
	"of its evidence, and two pieces of it, lie at the habit's places. Instincts at 0.5 and\n" +
	"above that are none are listed, so that one can judge them; --missed N lists so many\n" +
	"habits that were not found."

func (a *app) evalHabits(ctx context.Context, data []string, t *livesTask) error {
	program, err := a.livesProgram(t.program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "orihon-eval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var reports []planted.Report
	for _, d := range data {
		authors, err := planted.Read(d)
		if err != nil {
			return err
		}
		for i := range authors {
			step, end := a.progress("sessions of " + authors[i].Name)
			found, err := planted.Play(ctx, &authors[i], &planted.Options{Dir: dir, Program: program, Progress: step})
			end()
			if err != nil {
				return err
			}
			reports = append(reports, planted.Score(&authors[i], found))
		}
	}
	sum := planted.Sum(reports)
	return a.print(map[string]any{"authors": reports, "all": sum, "version": version()}, func(w io.Writer) {
		for i := range reports {
			r := &reports[i]
			fmt.Fprintln(w, r.Line())
			r.Missed = first(r.Missed, max(t.missed, 0))
			if t.missed == 0 {
				r.Missed = nil
			}
			r.Details(w)
		}
		fmt.Fprintln(w, sum.Line())
	})
}
