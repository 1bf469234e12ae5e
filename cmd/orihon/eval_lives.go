package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"orihon/internal/lives"
	"orihon/internal/mcptools"
)

// livesTask is what "eval --task lives" was asked for.
type livesTask struct {
	program         string
	start, together bool
	said            bool
	idle            string
	phrases         bool
	among           int
	others          []string
	missed, given   int
	asks, answers   string
}

const livesHelp = "\n\nWith --task lives, DATA are lives: what one person's agent was told, and what they typed\n" +
	"later, with what an expert colleague would have wanted it to be given:\n\n" +
	"  {\"memories\": [{\"id\", \"text\"}], \"prompts\": [{\"text\", \"need\": [ids], \"also_ok\": [ids], \"note\"}],\n" +
	"   \"past\": [{\"id\", \"turns\"}], \"sessions\": [{\"id\", \"branch\", \"turns\"}]}\n\n" +
	"They are played through the client's hooks, everything on, each prompt in a session\n" +
	"of its own; what the hooks print is what counts. --start adds what a session begins with.\n" +
	"--said remembers nothing on purpose: each memory is typed as its \"said\", in earlier\n" +
	"sessions of eight prompts, half of them other people's that hold nothing to keep.\n" +
	"--among 10000 plays each life in a store of so many memories of others besides."

func (t *livesTask) flags(f *pflag.FlagSet) {
	f.StringVar(&t.program, "program", "", "lives, pairs, kept, forget, past, habits: the program to measure (default this one)")
	f.BoolVar(&t.start, "start", false, "lives, pairs: count what a session begins with as well")
	f.BoolVar(&t.together, "together", false, "lives: put all of them into one project")
	f.BoolVar(&t.said, "said", false, "lives: type what was told in earlier sessions, and remember nothing on purpose")
	f.StringVar(&t.idle, "idle", filepath.FromSlash("internal/reader/train/data"), "lives --said: folder of prompts in which statements are marked")
	f.BoolVar(&t.phrases, "phrases", false, "lives: give each memory the phrases that an agent gave when it saved it, of NAME.phrases.jsonl beside the life")
	f.IntVar(&t.among, "among", 0, "lives: put this many memories of others into each store, with other names and values")
	opened := []string{filepath.FromSlash("internal/lives/testdata/dev"), filepath.FromSlash("internal/lives/testdata/scored")}
	f.StringSliceVar(&t.others, "others", opened, "lives --among: lives of others; those that are played are left out")
	f.IntVar(&t.given, "given", 0, "lives: print this many passages that prompts got, spread over all of them")
	f.StringVar(&t.asks, "asks", "", "kept, pairs: write what an agent that has the tools is shown and asked to this file")
	f.StringVar(&t.answers, "answers", "", "kept, pairs: what an agent that has the tools did, one JSON object a line")
	f.IntVar(&t.missed, "missed", 0, "lives, pairs, kept, forget, past, habits: print this many that were missed")
}

func (a *app) evalLives(ctx context.Context, data []string, t *livesTask) error {
	all, err := lives.Read(data...)
	if err != nil {
		return err
	}
	if t.phrases {
		if all, err = lives.Phrased(all); err != nil {
			return fmt.Errorf("--phrases: %w", err)
		}
	}
	if t.said {
		voices, err := lives.ReadVoices(t.idle)
		if err != nil {
			return fmt.Errorf("--idle: %w", err)
		}
		for i := range all {
			if all[i], err = all[i].Said(voices); err != nil {
				return err
			}
		}
	}
	o := &lives.Options{Start: t.start, Together: t.together, Workers: runtime.NumCPU()}
	if o.Others, err = t.strangers(all); err != nil {
		return err
	}
	var r *lives.Report
	if err := a.play(t, o, "lives", func() (err error) { r, err = lives.Run(ctx, all, o); return err }); err != nil {
		return err
	}
	r.Given = spread(r.Given, t.given)
	if len(r.Missed) > t.missed {
		r.Missed = r.Missed[:t.missed]
	}
	return a.print(map[string]any{"lives": r, "start": t.start, "said": t.said, "version": version()}, func(w io.Writer) { livesTables(w, r) })
}

// spread takes n of a list, at even distances.
func spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	out := make([]T, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}

// strangers are the memories of others among which lives are played.
func (t *livesTask) strangers(played []lives.Life) ([]lives.Memory, error) {
	if t.among == 0 {
		return nil, nil
	}
	others, err := lives.Read(t.others...)
	if err == nil && t.phrases {
		others, err = lives.Phrased(others)
	}
	if err != nil {
		return nil, fmt.Errorf("--others: %w", err)
	}
	others = slices.DeleteFunc(others, func(l lives.Life) bool {
		return slices.ContainsFunc(played, func(p lives.Life) bool { return p.Name == l.Name })
	})
	out := lives.Strangers(others, t.among)
	if len(out) < t.among {
		return nil, fmt.Errorf("%w: --among %d: the lives of --others make %d", errUsage, t.among, len(out))
	}
	return out, nil
}

// play runs a task with the program that is measured, in a folder of its own, and shows
// how far it is.
func (a *app) play(t *livesTask, o *lives.Options, what string, run func() error) (err error) {
	if o.Program, err = a.livesProgram(t.program); err != nil {
		return err
	}
	if o.Dir, err = os.MkdirTemp("", "orihon-eval-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.Dir)
	step, end := a.progress(what)
	defer end()
	o.Progress = step
	return run()
}

// livesProgram runs a program with the settings of the command line, in a process
// of its own that does itself the work it would leave to another.
func (a *app) livesProgram(program string) (func(context.Context, string, string, []byte, ...string) ([]byte, error), error) {
	command, err := a.measured(program)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, home, project string, stdin []byte, args ...string) ([]byte, error) {
		var out, failed bytes.Buffer
		c := command(home, project, args...)
		cmd := exec.CommandContext(ctx, c.Path, c.Args...)
		cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, bytes.NewReader(stdin), &out, &failed
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%s %s: %w: %s", c.Path, args[0], err, strings.TrimSpace(failed.String()))
		}
		return out.Bytes(), nil
	}, nil
}

// measured is how the program that is measured is started in a project, with a home of
// its own; an empty name is this one.
func (a *app) measured(program string) (func(home, project string, args ...string) mcptools.Command, error) {
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		program = self
	}
	flags := []string{"--set", "hooks.detach=false"}
	for _, s := range a.settings {
		flags = append(flags, "--set", s)
	}
	return func(home, project string, args ...string) mcptools.Command {
		return mcptools.Command{
			Path: program, Args: append([]string{args[0], "--home", home + "/.orihon"}, append(flags, args[1:]...)...), Dir: project,
			Env: append(os.Environ(), "HOME="+home, "ORIHON_HOME=", "GIT_CONFIG_GLOBAL="+os.DevNull),
		}
	}, nil
}

func livesTables(w io.Writer, r *lives.Report) {
	t := rightTable(w)
	fmt.Fprintln(t, "prompts\tneeding\tothers\tneed\t95 %\thit\tprecision\tjunk\t95 %\tpassages\ttokens\t")
	row := func(s *lives.Score) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.3f\t%.2f–%.2f\t%.3f\t%.3f\t%.3f\t%.2f–%.2f\t%.2f\t%.0f\t\n", s.Name, s.Prompts, s.None,
			s.Need, s.NeedCI.Low, s.NeedCI.High, s.Hit, s.Precision, s.Junk, s.JunkCI.Low, s.JunkCI.High, s.Passages, s.Tokens)
	}
	for _, list := range [][]lives.Score{r.Each, r.Sizes, r.Notes, {r.All, r.Plain}} {
		for i := range list {
			row(&list[i])
		}
	}
	t.Flush()
	fmt.Fprintf(w, "\nlength alone tells prompts that need something from others with an area of %.3f\n", r.ByLength)
	if r.Tools.Calls > 0 {
		fmt.Fprintf(w, "%d tool calls, %d need something: need %.3f (by the call itself %.3f), noise %.3f of all calls, %.0f tokens a call\n",
			r.Tools.Calls, r.Tools.Needy, r.Tools.Need, r.Tools.Acted, r.Tools.Noise, r.Tools.Tokens)
	}
	for _, g := range r.Given {
		fmt.Fprintf(w, "\n%s %s, %s: %s\n  %s: %s\n", g.Life, g.ID, g.Note, g.Prompt, g.Label, g.Passage)
	}
	for _, m := range r.Missed {
		fmt.Fprintf(w, "\n%s, %s: %s\n", m.Life, m.Note, m.Prompt)
		for _, n := range m.Need {
			fmt.Fprintf(w, "  needs: %s\n", n)
		}
		for _, g := range m.Got {
			fmt.Fprintf(w, "  got:   %s\n", g)
		}
	}
}
