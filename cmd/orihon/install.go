package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orihon/internal/claudecode"
	"orihon/internal/project"
)

func (a *app) installCommand() *cobra.Command {
	var f wiring
	var plugin string
	var yes bool
	cmd := &cobra.Command{
		Use: "install CLIENT", Short: "Give a coding agent this memory (claude-code)",
		Long: "Write hooks into the client's settings, beside what is there; orihon uninstall\n" +
			"takes exactly them away again. Settings that git shares name orihon by PATH and stay\n" +
			"silent on a machine that has none.\n\n" +
			"With --plugin a plugin is written instead: hooks, the MCP server, skills and slash\n" +
			"commands in one folder, for Claude Code, Codex and Copilot.\n\n" +
			"Past sessions that lie on this machine are shown, and read after one yes.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			scope, err := f.scope()
			switch {
			case err != nil:
				return err
			case cmd.Flags().Changed("plugin") && scope != "":
				return fmt.Errorf("%w: a plugin belongs to no settings: give --plugin or --%s", errUsage, scope)
			case cmd.Flags().Changed("plugin"):
				return a.installPlugin(cmd.Context(), plugin, f.dryRun, yes)
			case scope == "":
				scope = claudecode.ProjectScope
			}
			return a.install(cmd.Context(), scope, f.dryRun, yes)
		},
	}
	f.flags(cmd)
	cmd.Args = func(_ *cobra.Command, clients []string) error {
		if len(clients) == 1 && clients[0] == client {
			return nil
		}
		return fmt.Errorf("%w: give orihon install %s; with --plugin it writes a plugin that Codex and Copilot take, too", errUsage, client)
	}
	cmd.Flags().StringVar(&plugin, "plugin", "", "write a plugin into this folder (default plugin in the home of Orihon)")
	cmd.Flags().Lookup("plugin").NoOptDefVal = " "
	cmd.Flags().BoolVar(&yes, "yes", false, "read past sessions without a question")
	return cmd
}

func (a *app) install(ctx context.Context, scope claudecode.Scope, dryRun, yes bool) error {
	// The persistent --project names a folder; here the flag of the same name
	// chooses the settings, and the working directory is the project.
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	o, err := a.settingsOptions(m, scope)
	if err != nil {
		return err
	}
	o.DryRun = dryRun
	if o.Command, err = hookCommandFor(scope); err != nil {
		return err
	}
	change, err := claudecode.Install(o)
	if err != nil {
		return err
	}
	past, offer, err := a.pastOffer(m)
	if err != nil {
		return err
	}
	if err := a.print(map[string]any{"path": change.Path, "changed": change.Changed(), "dry_run": dryRun, "diff": change.Diff(), "past": past}, func(w io.Writer) {
		switch {
		case dryRun && change.Changed():
			fmt.Fprint(w, change.Diff())
		case !change.Changed():
			fmt.Fprintf(w, "nothing to change in %s\n", change.Path)
		default:
			fmt.Fprintf(w, "%s %s\n", a.bold("installed in"), change.Path)
			fmt.Fprintf(w, "next     begin a new session in Claude Code\n         %s   (lets the agent search and save by itself)\n", addServer(scope))
		}
	}); err != nil || dryRun {
		return err
	}
	for other, path := range a.settingsFiles(m.Project().Root) {
		if w, err := claudecode.Status(path); err == nil && other != scope && len(w.Hooks) > 0 {
			a.warn(fmt.Sprintf("the hooks stand in %s too and run twice in this project: orihon uninstall --%s takes them out here", path, scope))
		}
	}
	if scope == claudecode.ProjectScope {
		if _, err := project.Program(programName, m.Project().Root); err != nil {
			a.warn("no orihon is on your PATH, which the shared settings name: put a link to this program there; until then the hooks are silent")
		}
	}
	return offer(ctx, yes)
}

// addServer is the command that adds the MCP server where the hooks are: it adds one to
// a single project unless it is told otherwise.
func addServer(scope claudecode.Scope) string {
	if scope == claudecode.UserScope {
		return "claude mcp add --scope user orihon -- orihon mcp"
	}
	return "claude mcp add orihon -- orihon mcp"
}
