package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"orihon/internal/lives"
)

const keptHelp = "\n\nWith --task kept, DATA are folders of prompts in which what is worth keeping is marked, one\n" +
	"JSON object a line (.gz too):\n\n" +
	"  {\"text\", \"keep\": [{\"span\", \"kind\", \"note\"}]}\n\n" +
	"Each is typed into a memory of its own. What counts is what memory holds behind the\n" +
	"prompt, and behind the answers of an agent that is asked about the rest: --asks writes\n" +
	"the questions, --answers reads what an agent does, by the tools memory_add and\n" +
	"memory_update (which: the place of a statement in the question, from 1):\n\n" +
	"  {\"key\", \"adds\": [{\"content\", \"needed_when\"}], \"updates\": [{\"which\", \"content\"}]}"

// evalKept is "eval --task kept": what of the things that are said by the way stays.
func (a *app) evalKept(ctx context.Context, data []string, t *livesTask) error {
	var voices []lives.Voice
	for _, folder := range data {
		more, err := lives.ReadVoices(folder)
		if err != nil {
			return err
		}
		voices = append(voices, more...)
	}
	o := &lives.Options{Workers: runtime.NumCPU()}
	save, err := t.agent(a, o)
	if err != nil {
		return err
	}
	var r *lives.KeptReport
	if err := a.play(t, o, "prompts", func() (err error) { r, err = lives.RunKept(ctx, voices, o); return err }); err != nil {
		return err
	}
	if err := save(); err != nil {
		return err
	}
	r.Missed, r.Wrong = r.Missed[:min(len(r.Missed), t.missed)], r.Wrong[:min(len(r.Wrong), t.missed)]
	return a.print(map[string]any{"kept": r, "version": version()}, func(w io.Writer) { keptTables(w, r) })
}

// agent gives the projects that are played an agent with the tools, which does what
// --answers says. save writes what it was asked, to --asks.
func (t *livesTask) agent(a *app, o *lives.Options) (save func() error, err error) {
	if o.Server, err = a.measured(t.program); err != nil {
		return nil, err
	}
	if t.answers != "" {
		if o.Answers, err = lives.ReadAnswers(t.answers); err != nil {
			return nil, err
		}
	}
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	out.SetEscapeHTML(false)
	var mu sync.Mutex
	o.Asked = func(ask lives.Asked) {
		mu.Lock()
		defer mu.Unlock()
		_ = out.Encode(ask) // into memory: it cannot fail
	}
	return func() error {
		if t.asks == "" {
			return nil
		}
		return os.WriteFile(t.asks, lines.Bytes(), 0o600)
	}, nil
}

func keptTables(w io.Writer, r *lives.KeptReport) {
	t := table(w)
	fmt.Fprintf(t, "\tstatements\tkept\titems\tright\n")
	row := func(what string, s lives.KeptScore) {
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%d\t%.3f\n", what, r.Statements, float64(s.Found)/float64(max(1, r.Statements)), s.Kept, float64(s.Right)/float64(max(1, s.Kept)))
	}
	row("at once", r.AtOnce)
	row("with the agent's answers", r.With)
	t.Flush()
	fmt.Fprintf(w, "\n%s, %d with a question to the agent (%.0f tokens each), %d answered with something to keep, %d of it not taken; %s for a person\n",
		plural(r.Prompts, "prompt"), r.Asks, r.AskTokens/float64(max(1, r.Asks)), r.Answered, r.Refused, plural(r.Waiting, "statement")+" waiting")
	for _, text := range r.Missed {
		fmt.Fprintf(w, "missed: %s\n", text)
	}
	for _, text := range r.Wrong {
		fmt.Fprintf(w, "wrong:  %s\n", text)
	}
}
