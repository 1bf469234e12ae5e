package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon/runs"
	"orihon/window"
	"orihon/window/inspect"
)

func (a *app) compactCommand() *cobra.Command {
	var l lookAt
	var history string
	var o window.CompactOptions
	cmd := &cobra.Command{
		Use:   "compact [RUN]",
		Short: "Make a list of messages smaller, reversibly first",
		Long: "Make the messages of a run small enough for a window, for programs with a loop of\n" +
			"their own. Nothing is done below the threshold. Above it, what can be looked up\n" +
			"again goes first: contents of files become paths and lines, outputs of tools one\n" +
			"line, old reasoning what it decided. Only then are old turns told in a summary.\n\n" +
			"Always kept: what you asked, the last turns, the last tool calls in full, errors\n" +
			"with what mended them, decisions. What goes leaves a line that says what it was;\n" +
			"with --history the whole of it is kept in a folder. The run itself is not changed.\n\n" +
			"To fold a session in place and open it again, see orihon context fold.",
		Example: "  orihon compact chat.json --limit 50000\n  orihon compact chat.json --limit 50000 --json > smaller.json\n" +
			"  orihon compact --limit 20000 --history kept",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if o.Limit <= 0 || o.Threshold <= 0 || o.Threshold > 1 {
				return fmt.Errorf("%w: want a --limit of tokens and a --threshold between 0 and 1", errUsage)
			}
			if history != "" {
				if err := confinedHere(history); err != nil {
					return err
				}
				o.Store, _ = window.HistoryDir(history)
			}
			return a.onRun(cmd.Context(), &l, words, func(r *runs.Run) error {
				const all = 1 << 30
				messages, err := r.Messages(cmd.Context(), inspect.BuildOptions{
					Strategy: window.SlidingWindow, Limit: all, Options: &window.Options{WindowSize: all, OffloadTokens: all},
				})
				if err != nil {
					return err
				}
				c, err := window.Compact(messages, &o)
				return a.result(c, err, func(w io.Writer) { a.compacted(w, &c) })
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.run, "run", "", "session ID, transcript file or journal folder (default the newest session)")
	f.IntVar(&o.Limit, "limit", window.DefaultLimit, "tokens of the window")
	f.Float64Var(&o.Threshold, "threshold", 0.8, "share of the window above which anything is done")
	f.IntVar(&o.KeepTurns, "keep-turns", 10, "newest turns that stay as they are")
	f.IntVar(&o.KeepCalls, "keep-calls", 5, "newest tool calls that stay in full")
	f.StringVar(&history, "history", "", "folder that keeps what goes")
	return cmd
}

func (a *app) compacted(w io.Writer, c *window.Compacted) {
	if len(c.Steps) == 0 {
		fmt.Fprintf(w, "%s  %d tokens are below the threshold\n", a.bold("unchanged"), c.Before)
		return
	}
	fmt.Fprintf(w, "%s  %d tokens to %d by %s\n\n", a.bold("compacted"), c.Before, c.After, strings.Join(c.Steps, ", "))
	a.messages(w, c.Messages)
}
