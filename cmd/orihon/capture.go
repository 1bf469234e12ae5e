package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/follow"
)

func (a *app) captureCommand() *cobra.Command {
	var o follow.NoticeOptions
	cmd := &cobra.Command{
		Use:   "capture SESSION|FILE",
		Short: "Look through a session or a transcript for what is worth keeping",
		Long: "Look through what you said in a session of this project, or in a transcript or\n" +
			"another file that orihon import reads, for what nobody asked to keep: decisions,\n" +
			"preferences, standing orders, facts, pitfalls, corrections, requests to forget.\n" +
			"No language model is asked. It happens by itself with each prompt; this does it\n" +
			"by hand, and --dry-run shows each statement with the verdict and the reasons.\n\n" +
			"  keep  written, or known already\n" +
			"  ask   waits for you: orihon review\n" +
			"  drop  not kept; orihon audit says why\n\n" +
			"What is kept by itself is set by capture.notice.",
		Example: "  orihon capture --dry-run ~/.claude/projects/-src-shop/6d7b.jsonl\n  orihon capture --mode all 0199a5",
		Args:    args(cobra.ExactArgs(1)),
		PreRunE: func(*cobra.Command, []string) error {
			switch o.Mode {
			case "", follow.NoticeAsk, follow.NoticeSure, follow.NoticeAll:
				return nil
			}
			return fmt.Errorf("%w: --mode %s: want ask, sure or all", errUsage, o.Mode)
		},
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			if o.Mode == "" && setting(m, "capture.notice") == follow.NoticeOff {
				// Asked for by hand, it looks all the same.
				o.Mode = follow.NoticeSure
			}
			heard, err := m.Sessions().Messages(cmd.Context(), words[0])
			if err != nil {
				return err
			}
			noticed, err := m.Sessions().Notice(cmd.Context(), heard, &o)
			if err != nil {
				return err
			}
			count := make(map[follow.Decision]int)
			for i := range noticed {
				count[noticed[i].Verdict]++
			}
			report := map[string]any{"messages": len(heard), "dry_run": o.DryRun, "keep": count[follow.Keep], "ask": count[follow.Ask], "drop": count[follow.Drop], "noticed": noticed}
			return a.print(report, func(w io.Writer) { a.noticed(w, len(heard), noticed, count) })
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "write nothing, say what would be done")
	f.StringVar(&o.Mode, "mode", "", "ask, sure or all (default capture.notice)")
	return cmd
}

func (a *app) noticed(w io.Writer, messages int, noticed []follow.Noticed, count map[follow.Decision]int) {
	for i := range noticed {
		n := &noticed[i]
		fmt.Fprintf(w, "%-4s  %s\n", n.Verdict, a.bold(oneLine(n.Text)))
		why := n.Why
		if n.Replaced != nil {
			why += "; replaces: " + oneLine(n.Replaced.Content)
		}
		if !n.At.IsZero() {
			why = n.At.Format("2006-01-02") + "  " + why
		}
		fmt.Fprintf(w, "      %s\n", a.dim(strings.TrimSpace(why)))
	}
	fmt.Fprintf(w, "%s: %d to keep, %d to ask about, %d dropped\n", plural(messages, "message"), count[follow.Keep], count[follow.Ask], count[follow.Drop])
}
