package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orihon"
	"orihon/internal/project"
	"orihon/memory"
)

func (a *app) editCommand() *cobra.Command {
	var f editFlags
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Change an item; the versions before are kept",
		Long: "Change an item in $VISUAL or $EDITOR, or by flags. Secrets are taken out before\n" +
			"anything is written, and the versions before stay in the ledger: orihon history\n" +
			"shows them. ID may be shortened to its beginning or its end.\n\n" +
			"--scope moves it: global is for all your projects, personal for you in this one.\n" +
			"It gets a new ID there; orihon undo takes that back.",
		Example: `  orihon edit 0199f3a2b1c4
  orihon edit 0199f3a2b1c4 --content "We deploy with make ship" --tag deploy --confidence 1
  orihon edit 0199f3a2b1c4 --file - < form.txt
  orihon edit 0199f3a2b1c4 --scope global`,
		Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, ids []string) error {
			scope, err := scopeOf(f.scope, m.Viewer().User)
			if err != nil {
				return err
			}
			change := f.change(cmd.Flags())
			switch {
			case change != nil:
			case scope != "" && f.file == "":
				change = func(*memory.Item) error { return nil }
			default:
				if change, err = a.changeByForm(cmd.Context(), m, ids[0], f.file); err != nil {
					return err
				}
			}
			done, err := m.Items().Edit(cmd.Context(), ids[0], change)
			if err != nil {
				return err
			}
			a.warnRedacted(done.Redacted)
			if scope != "" {
				if done.Item, err = m.Items().Move(cmd.Context(), done.Item.ID, scope); err != nil {
					return err
				}
				done.Changed = append(done.Changed, "scope "+string(scope))
			}
			return a.print(map[string]any{"item": done.Item, "changed": append([]string{}, done.Changed...), "redacted": done.Redacted}, func(w io.Writer) {
				if len(done.Changed) == 0 {
					fmt.Fprintln(w, "nothing was changed")
					return
				}
				fmt.Fprintf(w, "%s  %s\n", a.bold("updated"), headline(&done.Item))
				fmt.Fprintln(w, a.dim(fmt.Sprintf("id %s · %s", done.Item.ID, strings.Join(done.Changed, ", "))))
			})
		}),
	}
	f.add(cmd.Flags())
	return cmd
}

// editFlags are the fields that can be changed without an editor.
type editFlags struct {
	content, title, kind, topic, tier, scope, file string
	tags, triggers, aliases, neededWhen            []string
	confidence                                     float64
}

func (f *editFlags) add(set *pflag.FlagSet) {
	set.StringVar(&f.content, "content", "", "the statement itself")
	set.StringVar(&f.title, "title", "", "short title")
	set.StringVar(&f.kind, "kind", "", "semantic, procedural, episodic or note")
	set.StringVar(&f.topic, "topic", "", "fact, procedure, architecture, pitfall, decision or preference")
	set.StringVar(&f.tier, "tier", "", "provisional, observed or settled")
	set.Float64Var(&f.confidence, "confidence", 0, "how far it is believed, 0..1")
	set.StringSliceVar(&f.tags, "tag", nil, "tags instead of the present ones, may be repeated; empty takes all away")
	set.StringSliceVar(&f.triggers, "trigger", nil, "triggers instead of the present ones")
	set.StringSliceVar(&f.aliases, "alias", nil, "aliases instead of the present ones")
	set.StringArrayVar(&f.neededWhen, "needed-when", nil, "phrases by which it may be looked for, instead of the present ones")
	set.StringVar(&f.scope, "scope", "", "where it holds from now on: global, personal, shared or role:NAME")
	set.StringVar(&f.file, "file", "", "read the form that an editor would show from a file, - for standard input")
}

// scopeOf reads a scope, where there is one; personal is the user's own.
func scopeOf(s, user string) (memory.Scope, error) {
	switch s {
	case "":
		return "", nil
	case "personal":
		return memory.Personal(user), nil
	}
	return memory.ParseScope(s)
}

// change is what the flags ask for; nil when none of them is given.
func (f *editFlags) change(set *pflag.FlagSet) func(*memory.Item) error {
	given := false
	for _, name := range []string{"content", "title", "kind", "topic", "tier", "confidence", "tag", "trigger", "alias", "needed-when"} {
		given = given || set.Changed(name)
	}
	if !given {
		return nil
	}
	return func(it *memory.Item) (err error) {
		for name, put := range map[string]func() error{
			"content":     func() error { it.Content = f.content; return nil },
			"title":       func() error { it.Title = f.title; return nil },
			"kind":        func() error { it.Kind, err = memory.ParseKind(f.kind); return err },
			"topic":       func() error { it.Topic, err = memory.ParseTopic(f.topic); return err },
			"tier":        func() error { it.Tier, err = memory.ParseTier(f.tier); return err },
			"confidence":  func() error { it.Metadata.Confidence = f.confidence; return nil },
			"tag":         func() error { it.Metadata.Tags = f.tags; return nil },
			"trigger":     func() error { it.Triggers = f.triggers; return nil },
			"alias":       func() error { it.Aliases = f.aliases; return nil },
			"needed-when": func() error { it.NeededWhen = f.neededWhen; return nil },
		} {
			if set.Changed(name) {
				if err := put(); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// changeByForm lets somebody change the item as a form: in their editor, or
// before, in a file.
func (a *app) changeByForm(ctx context.Context, m *orihon.Memory, id, file string) (func(*memory.Item) error, error) {
	if file != "" {
		data, err := a.readInput(file, 1<<20)
		return func(it *memory.Item) error { return parseForm(data, it) }, err
	}
	s, err := m.Items().Get(ctx, id)
	if err != nil {
		return nil, err
	}
	form, err := formatForm(&s.Item)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "orihon-*.md") // 0600
	if err != nil {
		return nil, err
	}
	path := f.Name()
	_, err = f.Write(form)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	if err := a.runEditor(ctx, m.Project().Root, path); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	probe := s.Item
	if err := parseForm(data, &probe); err != nil {
		// What was typed is not thrown away.
		return nil, fmt.Errorf("%w; mend %s, then orihon edit %s --file %s", err, path, id, path)
	}
	return func(it *memory.Item) error { return parseForm(data, it) }, os.Remove(path)
}

// runEditor opens a file in the user's editor and waits for it. Neither the
// shell nor the editor is one that lies in the project, root.
func (a *app) runEditor(ctx context.Context, root, path string) error {
	editor, _ := a.env("VISUAL")
	if editor == "" {
		editor, _ = a.env("EDITOR")
	}
	if editor == "" {
		return errors.New("no editor is known: set EDITOR")
	}
	// EDITOR may carry arguments; a shell splits them as its user meant.
	shell, err := project.Program("sh", root)
	if err != nil {
		return err
	}
	run := exec.CommandContext(ctx, shell, "-c", editor+` "$1"`, "sh", path)
	run.Env = append(os.Environ(), "PATH="+project.Path(root))
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := run.Run(); err != nil {
		return fmt.Errorf("%s: %w", editor, err)
	}
	return nil
}
