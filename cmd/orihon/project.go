package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
	"orihon/projects"
)

func (a *app) projectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "project",
		Short: "List the known projects, tie a folder to one, or take that back",
		Long: "A folder is not believed to be a project because its files say so: a clone or\n" +
			"a copy of a known project keeps a memory of its own until you link it.",
		Args: args(cobra.NoArgs),
		RunE: a.withOpened(a.projectList),
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "Show every known project, with its folders and its size", Args: args(cobra.NoArgs),
			RunE: a.withOpened(a.projectList),
		},
		a.projectLinkCommand(),
		&cobra.Command{
			Use: "unlink", Short: "Take back that this folder is linked with its project", Args: args(cobra.NoArgs),
			RunE: a.withOpened(a.projectUnlink),
		},
	)
	return cmd
}

func (a *app) projectLinkCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "link [ID | NAME]",
		Short: "Tie this folder to a known project",
		Long: "Tie this folder to the known project that it says to be, or to the one with\n" +
			"this ID or name. That holds for this folder, wherever symlinks lead to it. What it has\n" +
			"remembered meanwhile comes along. Look at the remote and at the folders first:\n" +
			"whoever wrote the folder's files chose what they say.",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: a.withOpened(func(cmd *cobra.Command, m *orihon.Memory, ids []string) error {
			return a.projectLink(cmd.Context(), m, strings.Join(ids, ""), yes)
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask, for scripts")
	return cmd
}

func (a *app) projectList(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
	list, err := m.Projects(cmd.Context())
	return a.result(map[string]any{"projects": list, "claimed": m.Claimed()}, err, func(w io.Writer) {
		if len(list) == 0 {
			fmt.Fprintln(w, "no project is known yet")
		}
		for i := range list {
			mark := " "
			if list[i].Current {
				mark = "*"
			}
			fmt.Fprintf(w, "%s ", mark)
			a.describeProject(w, &list[i])
		}
		for _, text := range []string{m.Apart(), m.Moved()} {
			if text != "" {
				fmt.Fprintln(w, oneLine(text))
			}
		}
	})
}

func (a *app) projectLink(ctx context.Context, m *orihon.Memory, id string, yes bool) (err error) {
	k := m.Claimed()
	if id != "" {
		if k, err = knownProject(ctx, m, id); err != nil {
			return err
		}
	}
	switch {
	case k == nil:
		return fmt.Errorf("%w: %s says to be no other project that is known; name one: orihon project link ID", memory.ErrNotFound, m.Project().Root)
	case yes:
	case !a.asks || a.json:
		return fmt.Errorf("%w: nobody is there to ask; --yes links %s with project %s (%s)", memory.ErrRefused, m.Project().Root, oneLine(k.Name), k.ID)
	case a.askToLink(m, k) != "yes":
		return fmt.Errorf("%w: it stays as it is", memory.ErrRefused)
	}
	done, err := m.Link(ctx, k.ID)
	return a.result(done, err, func(w io.Writer) { a.linked(w, &done) })
}

// knownProject finds a project by its ID, the beginning of it, or its name.
func knownProject(ctx context.Context, m *orihon.Memory, id string) (*projects.Known, error) {
	list, err := m.Projects(ctx)
	if err != nil {
		return nil, err
	}
	var found *projects.Known
	for i := range list {
		if strings.HasPrefix(list[i].ID, id) || list[i].Name == id {
			if found != nil {
				return nil, fmt.Errorf("%w: %q may be several projects; give a whole ID of orihon project list", memory.ErrInvalid, id)
			}
			found = &list[i]
		}
	}
	if found == nil {
		return nil, fmt.Errorf("project %q: %w; orihon project list shows the known ones", id, memory.ErrNotFound)
	}
	return found, nil
}

func (a *app) projectUnlink(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
	name, before := m.Project().Name, m.Project().ID
	if err := m.Unlink(cmd.Context()); err != nil {
		return err
	}
	p := m.Project()
	if p.ID == before {
		return fmt.Errorf("%w: project.trust_remotes links %s by itself again", memory.ErrRefused, p.Root)
	}
	return a.print(map[string]any{"folder": p.Root, "from": before, "project_id": p.ID}, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s from %s (%s); its own memory is that of %s\n", a.bold("unlinked"), oneLine(p.Root), oneLine(name), before, p.ID)
	})
}
