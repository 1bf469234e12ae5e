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
		Use:   "capture [SESSION|FILE]",
		Short: "Look through a session or a transcript for what is worth keeping",
		Long: "Look through what you said in a session of this project, or in a transcript or\n" +
			"another file that orihon import reads, for what nobody asked to keep: decisions,\n" +
			"preferences, standing orders, facts, pitfalls, corrections, requests to forget;\n" +
			"without a name, in the newest session. It happens by itself with each prompt; this\n" +
			"does it by hand, and --dry-run shows each statement with the verdict and the reasons.\n" +
			"Language models are asked where you have configured some (models:), about a session\n" +
			"as a whole too; a dry run asks none.\n\n" +
			"  keep  written, or known already\n" +
			"  ask   waits for you: orihon review\n" +
			"  drop  not kept; orihon audit says why\n\n" +
			"What is kept by itself is set by capture.notice.",
		Example: "  orihon capture --dry-run ~/.claude/projects/-src-shop/6d7b.jsonl\n  orihon capture --mode all 0199a5\n  orihon capture",
		Args:    args(cobra.MaximumNArgs(1)),
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
			o.Models = true
			captured, err := m.Sessions().Capture(cmd.Context(), strings.Join(words, ""), o)
			if err != nil {
				return err
			}
			count := make(map[follow.Decision]int)
			for i := range captured.Noticed {
				count[captured.Noticed[i].Verdict]++
			}
			report := map[string]any{
				"messages": captured.Messages, "dry_run": o.DryRun, "keep": count[follow.Keep], "ask": count[follow.Ask], "drop": count[follow.Drop],
				"noticed": captured.Noticed, "learned": captured.Learned, "left": captured.Left,
			}
			return a.print(report, func(w io.Writer) { a.captured(w, captured, count) })
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "write nothing, say what would be done")
	f.StringVar(&o.Mode, "mode", "", "ask, sure or all (default capture.notice)")
	return cmd
}

func (a *app) captured(w io.Writer, c *follow.Captured, count map[follow.Decision]int) {
	for i := range c.Noticed {
		n := &c.Noticed[i]
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
	for i := range c.Learned {
		fmt.Fprintf(w, "keep  %s\n      %s\n", a.bold(oneLine(c.Learned[i].Content)), a.dim("a model took it from the conversation; provisional"))
	}
	if c.Left != "" {
		fmt.Fprintln(w, c.Left)
	}
	fmt.Fprintf(w, "%s: %d to keep, %d to ask about, %d dropped\n", plural(c.Messages, "message"), count[follow.Keep], count[follow.Ask], count[follow.Drop])
}
