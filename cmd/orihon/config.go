package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/config"
	"orihon/internal/project"
	"orihon/memory"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and change settings",
		Long: "Show and change settings. Later layers win: defaults, the user's config.yaml,\n" +
			"the project's .orihon/config.yaml, ORIHON_* variables, --set key=value.",
		Args: args(cobra.NoArgs),
		RunE: a.withMemory(a.listConfig),
	}
	var inProject bool
	set := &cobra.Command{
		Use: "set KEY VALUE", Short: "Write a setting into the user's file, or the project's with --in-project", Args: args(cobra.ExactArgs(2)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, kv []string) error {
			path, layer := configFile(m, inProject)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := config.Set(path, kv[0], kv[1], layer); err != nil {
				return err
			}
			return a.print(map[string]string{"key": kv[0], "value": kv[1], "file": path}, func(w io.Writer) {
				fmt.Fprintf(w, "%s = %s  %s\n", kv[0], kv[1], a.dim(path))
			})
		}),
	}
	set.Flags().BoolVar(&inProject, "in-project", false, "the project's file instead of the user's")
	edit := &cobra.Command{
		Use: "edit", Short: "Open the file in $EDITOR", Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			return a.editConfig(cmd.Context(), m, inProject)
		}),
	}
	edit.Flags().BoolVar(&inProject, "in-project", false, "the project's file instead of the user's")
	cmd.AddCommand(set, edit,
		&cobra.Command{
			Use: "get KEY", Short: "Print one setting", Args: args(cobra.ExactArgs(1)),
			RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, keys []string) error {
				v, from, err := m.Setting(keys[0])
				return a.result(map[string]string{"key": keys[0], "value": v, "from": from}, err, func(w io.Writer) { fmt.Fprintln(w, v) })
			}),
		},
		&cobra.Command{
			Use: "validate", Short: "Check the files", Args: args(cobra.NoArgs),
			RunE: func(cmd *cobra.Command, _ []string) error {
				m, err := a.openQuietly(cmd.Context())
				if err != nil {
					return err
				}
				defer m.Close()
				if p := m.Problems(); len(p) > 0 {
					for _, text := range p {
						fmt.Fprintln(a.errs, "orihon:", oneLine(text))
					}
					return fmt.Errorf("%w configuration: %d settings cannot be used", memory.ErrInvalid, len(p))
				}
				return a.print(map[string]bool{"valid": true}, func(w io.Writer) { fmt.Fprintln(w, "the configuration is valid") })
			},
		},
		&cobra.Command{
			Use: "schema", Short: "Print the JSON schema of config.yaml, for editors", Args: args(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error {
				schema, err := config.Schema()
				if err != nil {
					return err
				}
				_, err = a.out.Write(schema)
				return err
			},
		})
	return cmd
}

func configFile(m *orihon.Memory, inProject bool) (string, config.Layer) {
	if inProject {
		return m.Project().Config, config.ProjectLayer
	}
	return project.User(m.Project().Home).Config(), config.UserLayer
}

func (a *app) listConfig(_ *cobra.Command, m *orihon.Memory, _ []string) error {
	type row struct {
		Key   string `json:"key"`
		Value string `json:"value"`
		From  string `json:"from"`
		Doc   string `json:"doc"`
	}
	var rows []row
	for _, k := range config.Keys() {
		v, from, err := m.Setting(k.Name)
		if err != nil {
			return err
		}
		rows = append(rows, row{k.Name, v, from, k.Doc})
	}
	return a.print(rows, func(w io.Writer) {
		t := table(w)
		for _, r := range rows {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.Key, r.Value, r.From, r.Doc)
		}
		t.Flush()
	})
}

func (a *app) editConfig(ctx context.Context, m *orihon.Memory, inProject bool) error {
	path, layer := configFile(m, inProject)
	if layer == config.ProjectLayer {
		if err := confined(m.Project().Root, path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := a.runEditor(ctx, m.Project().Root, path); err != nil {
		return err
	}
	edited, err := a.open(ctx) // which tells what cannot be used
	if err != nil {
		return err
	}
	return edited.Close()
}
