package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"orihon"
	"orihon/projects"
)

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
	if c := m.Claimed(); c != nil && c.ID == k.ID {
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
