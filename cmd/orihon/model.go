package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/embed"
	"orihon/internal/config"
	"orihon/internal/project"
)

func (a *app) modelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "List and test language models; add embedding models that run offline",
		Long: "Language models are listed under models: in your config.yaml; list, test, enable\n" +
			"and disable are about them. Without one Orihon asks none.\n\n" +
			"Static-embedding models (Model2Vec) find passages by meaning without a server:\n" +
			"a text has the mean of its words' vectors. Add one once; it is compiled into\n" +
			"a file under the home that a hook opens in a millisecond.\n\n" +
			"Models on a server (Ollama, OpenAI's API) need no adding: see embedder.* in\n" +
			"orihon config.",
		Example: "  orihon model add ~/Downloads/potion-base-8M\n" +
			"  orihon model add https://huggingface.co/minishlab/potion-base-8M\n" +
			"  orihon model use potion-base-8M",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.modelAddCommand(),
		&cobra.Command{
			Use: "list", Short: "List language models with their state, and embedding models that were added", Args: args(cobra.NoArgs),
			RunE: a.withModels(a.listModels),
		},
		&cobra.Command{
			Use: "show NAME", Short: "Show one model, with the checksums of what it was made of", Args: args(cobra.ExactArgs(1)),
			RunE: a.withModels(a.showModel),
		},
		&cobra.Command{
			Use: "use NAME", Short: "Embed with this model from now on (builtin goes back)", Args: args(cobra.ExactArgs(1)),
			RunE: a.withModels(a.useModel),
		},
		&cobra.Command{
			Use: "remove NAME", Short: "Delete a model", Args: args(cobra.ExactArgs(1)),
			RunE: a.withModels(a.removeModel),
		})
	cmd.AddCommand(a.languageModelCommands()...)
	return cmd
}

func (a *app) modelAddCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "add FOLDER|URL",
		Short: "Compile a model from a folder, or download it first",
		Long: "Compile a model from a folder with tokenizer.json and model.safetensors, or\n" +
			"download these files first: from the address of such a folder, of a model's\n" +
			"page on huggingface.co, or of its …/resolve/main/. Nothing is downloaded but by\n" +
			"this command, over https, and nothing about you is sent.",
		Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, sources []string) error {
			return a.addModel(cmd.Context(), modelFolder(m), sources[0], name)
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "what to call it (default from the source)")
	return cmd
}

// withModels is withMemory for what is done with the folder of the user's models
// and the name of one; empty when none is given.
func (a *app) withModels(run func(m *orihon.Memory, dir, name string) error) func(*cobra.Command, []string) error {
	return a.withMemory(func(_ *cobra.Command, m *orihon.Memory, names []string) error {
		return run(m, modelFolder(m), strings.Join(names, ""))
	})
}

func modelFolder(m *orihon.Memory) string { return filepath.Join(m.Project().Home, "models") }

func (a *app) addModel(ctx context.Context, dir, source, name string) error {
	var step func(done, total int)
	end, doing := func() {}, ""
	defer func() { end() }()
	added, err := embed.AddModel(ctx, dir, source, &embed.AddOptions{Name: name, Progress: func(what string, done, total int64) {
		if what != doing {
			end()
			step, end = a.progress(what)
			doing = what
		}
		if total > 1<<20 { // bytes
			done, total = done>>10, total>>10
		}
		step(int(done), int(max(total, 0)))
	}})
	end()
	if err != nil {
		return err
	}
	return a.print(added, func(w io.Writer) {
		fmt.Fprintf(w, "added %s: %d tokens, %d dimensions, %s\n", a.bold(added.Name), added.Tokens, added.Dimensions, megabytes(added.Bytes))
		fmt.Fprintf(w, "use it with: orihon model use %s\n", added.Name)
	})
}

// inUse is the name of the static model that is configured, or empty.
func inUse(m *orihon.Memory) string {
	if setting(m, "embedder.provider") != embed.ProviderStatic {
		return ""
	}
	return setting(m, "embedder.model")
}

func (a *app) listModels(m *orihon.Memory, dir, _ string) error {
	models, err := embed.Models(dir)
	states := m.Models().States()
	return a.result(map[string]any{"language": orEmpty(states), "embedding": orEmpty(models)}, err, func(w io.Writer) {
		a.languageModels(w, states, time.Now())
		if len(models) == 0 {
			fmt.Fprintln(w, "no embedding model was added: see orihon model add --help")
			return
		}
		t := table(w)
		for _, x := range models {
			mark := ""
			if x.Name == inUse(m) {
				mark = "in use"
			}
			fmt.Fprintf(t, "%s\t%d dimensions\t%d tokens\t%s\t%s\n", x.Name, x.Dimensions, x.Tokens, megabytes(x.Bytes), mark)
		}
		t.Flush()
	})
}

func (a *app) showModel(m *orihon.Memory, dir, name string) error {
	x, err := embed.FindModel(dir, name)
	return a.result(x, err, func(w io.Writer) {
		t := table(w)
		yesNo := map[bool]string{true: "yes", false: "no"}
		rows := [][2]string{
			{"name", x.Name}, {"in use", yesNo[x.Name == inUse(m)]},
			{"dimensions", fmt.Sprint(x.Dimensions)}, {"tokens", fmt.Sprintf("%d (%s)", x.Tokens, x.Tokenizer)},
			{"vectors", fmt.Sprintf("%d (%s)", x.Vectors, x.Numbers)}, {"weighted", yesNo[x.Weighted]},
			{"size", megabytes(x.Bytes)}, {"from", x.Source}, {"added", x.Added.Format(time.DateOnly)},
		}
		for _, file := range slices.Sorted(maps.Keys(x.SHA256)) {
			rows = append(rows, [2]string{"sha256", x.SHA256[file] + "  " + file})
		}
		for _, r := range rows {
			fmt.Fprintf(t, "%s\t%s\n", r[0], r[1])
		}
		t.Flush()
	})
}

// useModel writes the choice into the user's file, after the model has been
// opened once.
func (a *app) useModel(m *orihon.Memory, dir, name string) error {
	provider := embed.ProviderStatic
	if name == embed.ProviderBuiltin {
		provider, name = embed.ProviderBuiltin, ""
	} else {
		s, err := embed.OpenStatic(dir, name)
		if err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	file := project.User(m.Project().Home).Config()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	for _, kv := range [][2]string{{"embedder.provider", provider}, {"embedder.model", name}} {
		if err := config.Set(file, kv[0], kv[1], config.UserLayer); err != nil {
			return err
		}
	}
	return a.print(map[string]string{"provider": provider, "model": name, "file": file}, func(w io.Writer) {
		if name == "" {
			fmt.Fprintf(w, "the built-in embedder is used from now on  %s\n", a.dim(file))
			return
		}
		fmt.Fprintf(w, "%s is used from now on; the index takes it up at its next sync  %s\n", name, a.dim(file))
	})
}

func (a *app) removeModel(m *orihon.Memory, dir, name string) error {
	if err := embed.RemoveModel(dir, name); err != nil {
		return err
	}
	if name == inUse(m) {
		a.warn("the configuration still names " + name + ": run orihon model use builtin, or use another one")
	}
	return a.print(map[string]string{"removed": name}, func(w io.Writer) { fmt.Fprintln(w, "removed", name) })
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }
