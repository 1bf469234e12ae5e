package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/agent/registry"
	"orihon/window"
)

func (a *app) agentsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "Install, list and remove agents",
		Long: "Agents that are installed are copies of folders below ~/.orihon/agents, each under\n" +
			"its name and version, with the checksums of its files in lock.json. Installing runs\n" +
			"nothing of an agent; orihon run --agent @scope/name does.",
		Example: "  orihon agents install agents/reviewer\n" +
			"  orihon agents install https://git.example/team/agents#v2 --path reviewer\n" +
			"  orihon agents remove @team/reviewer",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var path string
	install := &cobra.Command{
		Use:   "install FOLDER|GIT-URL[#REF]",
		Short: "Copy an agent from a folder or a git repository",
		Long: "Copy an agent. A git repository is fetched for this one call, over https or ssh, with\n" +
			"none of your git's configuration: no hook, filter or submodule of it runs. # names a\n" +
			"branch or a tag. The same version with other content is refused.",
		Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, sources []string) error {
			got, err := agentsOf(m).Install(cmd.Context(), sources[0], path)
			return a.result(got, err, func(w io.Writer) {
				fmt.Fprintf(w, "installed %s: %d files; nothing of it was run\n", a.bold(printable(got.ID())), len(got.Files))
				if len(got.Runs) > 0 {
					fmt.Fprintln(w, "with your rights it will run:")
				}
				for _, line := range got.Runs {
					fmt.Fprintf(w, "  %s\n", clipped(line, 160))
				}
			})
		}),
	}
	install.Flags().StringVar(&path, "path", "", "folder of the agent below the source")
	cmd.AddCommand(install,
		&cobra.Command{
			Use: "list", Short: "List agents that are installed, and those that come with the program", Args: args(cobra.NoArgs),
			RunE: a.withMemory(func(_ *cobra.Command, m *orihon.Memory, _ []string) error {
				all, err := agentsOf(m).List()
				return a.result(map[string]any{"installed": orEmpty(all), "standard": window.Summarizers()}, err, func(w io.Writer) {
					t := table(w)
					for _, x := range all {
						from := x.Source
						if x.Commit != "" {
							from += " " + x.Commit[:min(12, len(x.Commit))]
						}
						fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", printable(x.ID()), x.Installed.Local().Format(time.DateOnly), clipped(x.Description, 60), printable(from))
					}
					t.Flush()
					fmt.Fprintf(w, "with the program: %s\n", strings.Join(window.Summarizers(), ", "))
				})
			}),
		},
		&cobra.Command{
			Use: "remove NAME[@VERSION]", Short: "Remove an agent, of one version or of all", Args: args(cobra.ExactArgs(1)),
			RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, names []string) error {
				gone, err := agentsOf(m).Remove(cmd.Context(), names[0])
				return a.result(orEmpty(gone), err, func(w io.Writer) {
					for _, x := range gone {
						fmt.Fprintln(w, "removed", printable(x.ID()))
					}
				})
			}),
		})
	return cmd
}

// agentsOf are the agents that the user installed.
func agentsOf(m *orihon.Memory) *registry.Registry {
	return registry.Open(filepath.Join(m.Project().Home, "agents"), nil)
}
