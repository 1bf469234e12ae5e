package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"orihon/internal/eval"
)

const pastHelp = "\n\nWith --task past, DATA are a folder of transcripts of Claude Code and a file of questions\n" +
	"about them, one JSON object a line:\n\n" +
	"  {\"question\", \"transcript\": file name, \"turn\": line or [lines] that answer, \"words\": in the answer}\n\n" +
	"A client's folder is made of the transcripts and read by import --found; each question is\n" +
	"the first prompt of a session. What counts is whether the turn, or its session's summary,\n" +
	"stands in what the hook prints."

func (a *app) evalPast(ctx context.Context, data []string, t *livesTask) error {
	if len(data) != 2 {
		return fmt.Errorf("%w: --task past wants a folder of transcripts and a file of questions", errUsage)
	}
	questions, err := eval.ReadPastQuestions(data[1])
	if err != nil {
		return err
	}
	o := &eval.PastOptions{}
	if o.Program, err = a.livesProgram(t.program); err != nil {
		return err
	}
	if o.Dir, err = os.MkdirTemp("", "orihon-eval-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.Dir)
	step, end := a.progress("questions")
	o.Progress = step
	r, err := eval.Past(ctx, data[0], questions, o)
	end()
	if err != nil {
		return err
	}
	if len(r.Missed) > t.missed {
		r.Missed = r.Missed[:t.missed]
	}
	return a.print(map[string]any{"past": r, "version": version()}, func(w io.Writer) {
		fmt.Fprintf(w, "%s: turn %.3f, episode %.3f, either %.3f (with the start %.3f); the words %.3f\n",
			plural(r.Questions, "question"), r.Turn, r.Episode, r.Either, r.WithStart, r.Words)
		for i := range r.Missed {
			fmt.Fprintf(w, "\n%s (%s:%v)\n%s\n", r.Missed[i].Question, r.Missed[i].Transcript, r.Missed[i].Turn, shown(r.Missed[i].Got))
		}
	})
}
