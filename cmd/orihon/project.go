package main

import (
	"bufio"
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
		Use:   "link [ID]",
		Short: "Tie this folder to a known project",
		Long: "Tie this folder to the known project that it says to be, or to the one with\n" +
			"this ID. That holds for this folder, wherever symlinks lead to it. What it has\n" +
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
		if text := m.Apart(); text != "" {
			fmt.Fprintln(w, oneLine(text))
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

// knownProject finds a project by its ID or the beginning of it.
func knownProject(ctx context.Context, m *orihon.Memory, id string) (*projects.Known, error) {
	list, err := m.Projects(ctx)
	if err != nil {
		return nil, err
	}
	var found *projects.Known
	for i := range list {
		if strings.HasPrefix(list[i].ID, id) {
			if found != nil {
				return nil, fmt.Errorf("%w: %q begins the IDs of several projects", memory.ErrInvalid, id)
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

// tie asks whether a folder is the project it says to be. Where nobody sits
// there, it says in one line that the two are kept apart.
func (a *app) tie(ctx context.Context, m *orihon.Memory) error {
	k := m.Claimed()
	if !a.asks || a.json {
		fmt.Fprintln(a.errs, "orihon:", oneLine(m.Apart()))
		return nil
	}
	switch a.askToLink(m, k) {
	case "yes":
		done, err := m.Link(ctx, k.ID)
		if err == nil {
			a.linked(a.errs, &done)
		}
		return err
	case "no":
		fmt.Fprintln(a.errs, "orihon: kept apart, and not asked again; orihon project link ties it later")
		return m.KeepApart(ctx)
	}
	fmt.Fprintln(a.errs, "orihon: kept apart")
	return nil
}

// askToLink shows what a folder says to be and takes one answer, which is yes,
// no, or none.
func (a *app) askToLink(m *orihon.Memory, k *projects.Known) string {
	fmt.Fprintf(a.errs, "This folder is not linked with a project yet:\n    %s\n", oneLine(m.Project().Root))
	if c := m.Project().Claim; c != nil && c.ID == k.ID {
		fmt.Fprintf(a.errs, "By its files (%s) it is this one; whoever wrote them chose that:\n", oneLine(c.Key))
	} else {
		fmt.Fprintln(a.errs, "You name this one:")
	}
	fmt.Fprint(a.errs, "  ")
	a.describeProject(a.errs, k)
	fmt.Fprint(a.errs, "Shall the two share their private memory? [yes/no] ")
	line, _ := bufio.NewReader(io.LimitReader(a.in, 100)).ReadString('\n')
	return strings.ToLower(strings.TrimSpace(line))
}

// linked says what became of a link.
func (a *app) linked(w io.Writer, done *orihon.Linked) {
	fmt.Fprintf(w, "%s  %s with %s (%s)\n", a.bold("linked"), oneLine(done.Folder), oneLine(done.Project), done.ID)
	if done.Items > 0 {
		fmt.Fprintf(w, "brought over %s; sessions, notes and the originals stay in %s\n", plural(done.Items, "item"), oneLine(done.Before))
	}
}

// describeProject writes a project with everything that helps to know it again.
// Most of it is text that others may have chosen.
func (a *app) describeProject(w io.Writer, k *projects.Known) {
	fmt.Fprintf(w, "%s  %s  %s\n", k.ID, a.bold(oneLine(k.Name)), humanBytes(k.Bytes))
	t := table(w)
	for _, r := range k.Remotes {
		fmt.Fprintf(t, "    remote\t%s\n", oneLine(r))
	}
	for _, f := range k.Folders {
		fmt.Fprintf(t, "    folder\t%s\n", oneLine(f))
	}
	if k.Says != "" {
		fmt.Fprintf(t, "    apart\tit says to be %s\n", oneLine(k.Says))
	}
	t.Flush()
}
