package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"orihon/internal/config"
	"orihon/internal/jsonl"
	"orihon/internal/project"
)

// coreTemplate is the MEMORY.md of a new project. What it says, every session
// starts with: at first nothing. A name is one word there: whatever else stands in
// the file of a repository waits until somebody accepts it.
const coreTemplate = "# Memory of %s\n"

func (a *app) initCommand() *cobra.Command {
	var local, team, yes bool
	var language string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make the project's and the user's folders",
		Long: "Make .orihon in the project (shared text, meant for git) and the user's home.\n" +
			"Doing it again changes nothing. Without it everything still works, from the\n" +
			"user's home alone.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.init(cmd, &initOptions{local, team, yes, language})
		},
	}
	cmd.Flags().BoolVar(&local, "local", false, "keep private memory under the project too, for containers")
	cmd.Flags().BoolVar(&team, "team", false, "also make IDENTITY.md (shared) and USER.md (private) and import them into CLAUDE.md or AGENTS.md")
	cmd.Flags().BoolVar(&yes, "yes", false, "read the past sessions on this machine without a question")
	cmd.Flags().StringVar(&language, "language", "", "language of injected text: auto, en, zh-Hant or zh-Hans (default auto)")
	return cmd
}

// initOptions are what init was asked for.
type initOptions struct {
	local, team, yes bool
	language         string
}

func (a *app) init(cmd *cobra.Command, o *initOptions) error {
	m, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	defer m.Close()
	if o.local {
		if err := m.MakeLocal(cmd.Context()); err != nil {
			return err
		}
	}
	// What it is known as decides where its folders are.
	if err := m.Register(cmd.Context()); err != nil {
		return err
	}
	p := m.Project()
	made := []string{}
	dir := func(path string) error {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		made = append(made, path)
		return os.MkdirAll(path, 0o700)
	}
	for _, path := range []string{p.Shared, p.Personal, project.User(p.Home).Memory()} {
		if err := dir(path); err != nil {
			return err
		}
	}
	file := func(path, text string) error {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		made = append(made, path)
		return jsonl.WriteFile(path, []byte(text))
	}
	if err := file(p.Core, fmt.Sprintf(coreTemplate, strings.Join(strings.Fields(p.Name), "-"))); err != nil {
		return err
	}
	if p.Local {
		if err := file(filepath.Join(p.Private, ".gitignore"), "*\n"); err != nil {
			return err
		}
	}
	if o.language != "" {
		if err := config.Set(p.Config, "language", o.language, config.ProjectLayer); err != nil {
			return err
		}
		made = append(made, p.Config)
	}
	if o.team {
		home, _ := os.UserHomeDir() // without one, paths are given in full
		more, err := initTeam(p, home)
		if made = append(made, more...); err != nil {
			return err
		}
	}
	wired := a.wired(p.Root)
	past, offer, err := a.pastOffer(m)
	if err != nil {
		return err
	}
	if err := a.print(map[string]any{"project": p.Name, "id": p.ID, "root": p.Root, "made": made, "claude_code": wired, "past": past}, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s (%s), user %s\n", a.bold("project"), p.Name, p.ID, m.User())
		for _, path := range made {
			fmt.Fprintf(w, "made     %s\n", relative(p.Root, path))
		}
		if len(made) == 0 {
			fmt.Fprintln(w, "everything is there already")
		}
		if !wired {
			fmt.Fprintln(w, "next     orihon install claude-code --project   (or --user, for all projects)")
		}
	}); err != nil {
		return err
	}
	return offer(cmd.Context(), o.yes)
}
