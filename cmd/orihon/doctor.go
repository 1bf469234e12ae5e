package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) doctorCommand() *cobra.Command {
	var fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything, and try memory out with a canary",
		Long: "Check configuration, permissions, text, index, hooks and sizes; then write an\n" +
			"item, find it by recall, see it injected by a real hook, and erase it again.\n\n" +
			"With --fix, what can be mended without touching what anybody wrote is mended\n" +
			"first: open permissions, torn last lines, a bad index, hooks whose program has\n" +
			"moved, work left undone, sessions that nobody will end.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			fixed := []string{}
			if fix {
				did, err := a.fix(cmd.Context())
				if err != nil {
					a.warn("not everything could be mended: " + err.Error())
				}
				fixed = append(fixed, did...)
			}
			_, end := a.progress("examining")
			found, err := a.examine(cmd.Context())
			end()
			if err != nil {
				return err
			}
			bad := 0
			for _, f := range found {
				if !f.OK {
					bad++
				}
			}
			if err := a.print(map[string]any{"findings": found, "problems": bad, "fixed": fixed}, func(w io.Writer) {
				for _, text := range fixed {
					fmt.Fprintf(w, "%s %s\n", a.bold("did "), text)
				}
				for _, f := range found {
					mark := a.style("32", "ok  ")
					if !f.OK {
						mark = a.style("31", "BAD ")
					}
					fmt.Fprintf(w, "%s %-13s %s\n", mark, f.Check, f.Text)
					if f.Mend != "" {
						fmt.Fprintf(w, "     %-13s %s\n", "", f.Mend)
					}
				}
			}); err != nil {
				return err
			}
			if bad > 0 {
				return fmt.Errorf("%d of %d checks found something", bad, len(found))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "mend first what can be mended safely, and say what")
	return cmd
}

// examine runs every check. What a check finds is a finding; an error means
// that nothing could be examined.
func (a *app) examine(ctx context.Context) ([]finding, error) {
	m, err := a.openQuietly(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	var x examination

	p := m.Project()
	x.good("project", "%s (%s), user %s", p.Name, p.ID, m.User())
	if p.Conflict != "" {
		x.bad("project", "", "%s", p.Conflict)
	}
	if p.Claim != "" {
		x.good("project", "%s", oneLine(p.Claim+": its memory is kept apart; orihon project link ties it"))
	}
	if p.LocalRefused != "" {
		x.bad("local", "", "%s", p.LocalRefused)
	}
	for _, text := range m.Problems() {
		fix := "orihon config edit"
		if strings.HasPrefix(text, p.Config) {
			fix += " --in-project"
		}
		x.bad("configuration", fix, "%s", text)
	}
	if len(m.Problems()) == 0 {
		x.good("configuration", "valid")
	}
	checkHome(p, &x)
	a.checkText(ctx, m, &x)
	checkEmbedder(m, &x)
	checkModels(m, &x)
	a.checkHooks(ctx, p, &x)
	checkClients(m, &x)
	healed := !slices.ContainsFunc(x.found, func(f finding) bool { return f.Check == "index" && !f.OK })
	checkLog(p.Home, time.Now(), healed, &x)
	a.canary(ctx, m, &x)
	return x.found, nil
}
