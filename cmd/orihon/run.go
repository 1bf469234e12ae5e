package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/agent"
	"orihon/follow"
	"orihon/internal/claudecode"
	"orihon/journal"
	"orihon/llm"
	"orihon/llm/gateway"
	"orihon/memory"
	"orihon/window"
)

// running are the flags of run.
type running struct {
	agent, task, resume, continueFrom string
	ephemeral                         bool
}

func (a *app) runCommand() *cobra.Command {
	var f running
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run an agent: a folder with a prompt, commands and a loop",
		Long: "Run the agent in a folder with config.yaml and system_prompt.md on a task. It asks\n" +
			"the models of your config.yaml, recalls from memory in each turn, and keeps a journal\n" +
			"as every session does. Ctrl-C leaves a run that --resume goes on with; what was done\n" +
			"is not repeated.\n\n" +
			"The commands of an agent run with your rights, without asking: run agents that you\n" +
			"have read. An agent is named by its folder, as @scope/name when it is installed (orihon\n" +
			"agents), or as one of " + strings.Join(window.Summarizers(), ", ") + ".",
		Example: "  orihon run --agent agents/coder --task \"make the tests pass\"\n" +
			"  orihon run --resume 0199\n" +
			"  orihon run --agent @team/reviewer --continue-from 0199 --task \"review what was done\"",
		Args: args(cobra.NoArgs),
		PreRunE: func(*cobra.Command, []string) error {
			switch {
			case f.resume == "" && (f.agent == "" || f.task == ""):
				return fmt.Errorf("%w: give --agent and --task, or --resume RUN", errUsage)
			case f.resume != "" && (f.ephemeral || f.continueFrom != ""):
				return fmt.Errorf("%w: --resume goes on with a run as it is: without --ephemeral and --continue-from", errUsage)
			}
			return nil
		},
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			return a.run(cmd.Context(), m, &f)
		}),
	}
	cmd.Flags().StringVar(&f.agent, "agent", "", "folder of the agent, or the name of an installed or standard one")
	cmd.Flags().StringVar(&f.task, "task", "", "what it is to do, - for the standard input")
	cmd.Flags().StringVar(&f.resume, "resume", "", "go on with this run, by its ID or the beginning of it")
	cmd.Flags().StringVar(&f.continueFrom, "continue-from", "", "begin with what this run came to; its journal can be read")
	cmd.Flags().BoolVar(&f.ephemeral, "ephemeral", false, "work in a temporary folder, which is removed afterwards, and leave no session")
	return cmd
}

// run runs an agent, or goes on with a run.
func (a *app) run(ctx context.Context, m *orihon.Memory, f *running) error {
	task := agent.Task{Text: f.task}
	if f.task == "-" {
		data, err := a.readInput("-", mostRequest)
		if err != nil {
			return err
		}
		task.Text = string(data)
	}
	o := a.agentOptions(m)
	var err error
	if o.Work, err = filepath.Abs(cmp.Or(a.dir, ".")); err != nil {
		return err
	}
	if f.resume != "" {
		if err := goOn(ctx, m, f, &task, &o); err != nil {
			return err
		}
	}
	if isStandard(f.agent) {
		return a.runSummarizer(ctx, m, f.agent, task.Text)
	}
	dir, err := agentFolder(m, f.agent)
	if err != nil {
		return err
	}
	if o.Definition, err = agent.Read(dir); err != nil {
		return err
	}
	if f.continueFrom != "" {
		r, err := m.Runs().Session(ctx, f.continueFrom)
		if err != nil {
			return err
		}
		task.ContinueFrom = m.Project().Session(r.Name)
	}
	if f.ephemeral {
		remove, err := a.ephemeral(&o)
		if err != nil {
			return err
		}
		defer remove()
	}
	if o.Model, err = modelFor(m, &o.Definition.LLM); err != nil {
		return err
	}
	show := a.watchRun(m)
	o.Observe = show.event
	runner, err := agent.New(o)
	if err != nil {
		return err
	}
	out, err := runner.Run(ctx, task)
	show.end()
	if err != nil {
		return err
	}
	if !f.ephemeral {
		a.leave(ctx, o.Work)
	}
	return show.outcome(out, f.ephemeral)
}

// agentOptions are what all runs have of this command line and its memory.
func (a *app) agentOptions(m *orihon.Memory) agent.Options {
	o := agent.Options{
		Folder: func(id string) string { return m.Project().Session(id) },
		Memory: m, Redact: m.Redact, PluginHost: pluginHost(), WindowTokens: m.Models().CallTokens(), Logger: quiet(),
		Installed:     func(name string) (string, error) { return agentFolder(m, name) },
		ShortMessages: number(m, "memory.short_messages"), ShortTokens: number(m, "memory.short_tokens"), FlushTokens: number(m, "memory.flush_tokens"),
	}
	o.Flush = func(ctx context.Context, id string) error {
		// A session of its own: the run goes on with the other one meanwhile.
		s, err := m.Session(ctx, id, follow.Client{Name: "orihon", CWD: o.Work})
		if err != nil {
			return err
		}
		return s.Flush(ctx)
	}
	o.Session = func(ctx context.Context, id string) (agent.Session, error) {
		return m.Session(ctx, id, follow.Client{Name: "orihon", CWD: o.Work})
	}
	return o
}

// goOn finds the run to go on with, and what it was of.
func goOn(ctx context.Context, m *orihon.Memory, f *running, task *agent.Task, o *agent.Options) error {
	r, err := m.Runs().Session(ctx, f.resume)
	if err != nil {
		return err
	}
	task.Run, task.Resume = r.Name, true
	name, dir, work, err := agent.Recorded(m.Project().Session(r.Name))
	if err != nil {
		return err
	}
	f.agent, o.Work = cmp.Or(f.agent, dir, name), work
	return nil
}

// ephemeral has a run work in a temporary folder. Its journal goes to that of the
// run which started it, if there is one.
func (a *app) ephemeral(o *agent.Options) (remove func(), err error) {
	dir, err := os.MkdirTemp("", "orihon-run-")
	if err != nil {
		return nil, err
	}
	o.Work, o.Session, o.Flush = filepath.Join(dir, "work"), nil, nil
	runs := filepath.Join(dir, "runs")
	if parent, ok := a.env(window.JournalPathVar); ok && parent != "" {
		runs = filepath.Join(journal.Folder(parent), "io", "sub_agents")
	}
	o.Folder = func(id string) string { return filepath.Join(runs, id) }
	return func() { os.RemoveAll(dir) }, os.Mkdir(o.Work, 0o700)
}

// modelFor is the model that an agent asks: the backend it names before the
// others.
func modelFor(m *orihon.Memory, want *agent.LLM) (llm.Model, error) {
	first := want.Backend
	known := m.Models().States()
	if first == "" && want.Model != "" {
		if i := slices.IndexFunc(known, func(s gateway.State) bool { return slices.Contains(strings.Fields(s.Identity), want.Model) }); i >= 0 {
			first = known[i].Name
		}
	}
	model := m.Models().Model(gateway.Purpose{Feature: "run", First: first})
	if model == nil {
		return nil, noModel(known)
	}
	return model, nil
}

// noModel says why there is nobody to ask.
func noModel(known []gateway.State) error {
	if len(known) == 0 {
		return fmt.Errorf("%w: list one under models: in your config.yaml (orihon config, orihon model list)", llm.ErrUnavailable)
	}
	var why []string
	for _, s := range known {
		why = append(why, s.Name+": "+s.Off)
	}
	return fmt.Errorf("%w: %s (orihon model list)", llm.ErrUnavailable, strings.Join(why, "; "))
}

func isStandard(name string) bool { return slices.Contains(window.Summarizers(), name) }

// agentFolder is where an agent lies: one that is installed, or a folder.
func agentFolder(m *orihon.Memory, name string) (string, error) {
	if !strings.HasPrefix(name, "@") {
		return name, nil
	}
	return agentsOf(m).Find(name)
}

// runSummarizer runs a standard summariser on the journal that the environment
// names, or a request on the standard input.
func (a *app) runSummarizer(ctx context.Context, m *orihon.Memory, name, task string) error {
	req := window.SummaryRequest{Query: strings.TrimSpace(task)}
	if strings.HasPrefix(req.Query, "{") {
		var err error
		if req, err = window.ReadSummaryRequest([]byte(task), a.env); err != nil {
			return err
		}
	} else if req.JournalPath, _ = a.env(window.JournalPathVar); req.JournalPath == "" {
		return fmt.Errorf("%w %s: name the journal in %s, or give the task as {\"journal_path\": …, \"query\": \"iterations:50-100\"}", memory.ErrInvalid, name, window.JournalPathVar)
	}
	o := agent.SummaryOptions{Redact: m.Redact}
	if model, err := modelFor(m, &agent.LLM{}); err == nil {
		o.Model = model
	}
	got, err := agent.Summarize(ctx, name, req, o)
	if err != nil {
		return err
	}
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	return e.Encode(got)
}

// leave has a process of its own do what the run left for memory.
func (a *app) leave(ctx context.Context, work string) {
	o, err := a.options()
	if err == nil {
		err = a.detach(context.WithoutCancel(ctx), o, &claudecode.Left{Dir: work})
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		a.warn("what the run left for memory waits for the next session: " + err.Error())
	}
}
