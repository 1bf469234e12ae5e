package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon/memory"
	"orihon/runs"
	"orihon/window"
)

func (a *app) compactCommand() *cobra.Command {
	var l lookAt
	var history string
	var flags window.CompactOptions
	cmd := &cobra.Command{
		Use:   "compact [RUN]",
		Short: "Make a list of messages smaller, reversibly first",
		Long: "Make the messages of a run small enough for a window, for programs with a loop of\n" +
			"their own. Below 80 % of --limit nothing is done. Above it, steps are taken, the\n" +
			"mildest first, until 60 % are met:\n\n" +
			"  files      contents of files become their path and lines\n" +
			"  outputs    outputs of tools become one line\n" +
			"  reasoning  old reasoning becomes what it decided\n" +
			"  summary    turns before the last 10 become a summary\n" +
			"  cut        where that is more than --limit, outputs of the last calls go, then the\n" +
			"             last turns but one. A --limit that has no room for the system prompt and\n" +
			"             the beginning of the first task is an error, which names what they take.\n\n" +
			"Kept while there is room, in their own words and in this order: the first task, your\n" +
			"standing orders (always, never, from now on) and newest request, decisions, milestones,\n" +
			"the last turn, what else you asked; then errors with what mended them. What goes leaves\n" +
			"a line: [Earlier: what, from when to when, how many turns - how it ended]; what the\n" +
			"client wrote in your place, such as notices of tasks, goes whole. With --history\n" +
			"the whole of it lies in a folder under the name that the line gives. The run itself\n" +
			"is not changed. context_builder.options.compact_* in the settings are the figures.\n\n" +
			"With --json the member messages is a list as chat APIs have it, with role, content,\n" +
			"tool_calls and tool_call_id: hand it to your model, or to orihon compact, import or\n" +
			"context show again.\n\n" +
			"To fold a session in place and open it again, see orihon context --help.",
		Example: "  orihon compact chat.json --limit 50000\n  orihon compact chat.json --limit 50000 --json > smaller.json\n" +
			"  orihon compact --limit 20000 --history kept",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if flags.Limit <= 0 || flags.Threshold < 0 || flags.Threshold > 1 || flags.KeepTurns < 0 || flags.KeepCalls < 0 {
				return fmt.Errorf("%w: want a --limit of tokens, a --threshold between 0 and 1 and numbers to keep", errUsage)
			}
			if history != "" {
				if err := confinedHere(history); err != nil {
					return err
				}
			}
			return a.onRun(cmd.Context(), &l, words, func(r *runs.Run) error {
				all, err := r.Everything(cmd.Context())
				if err != nil {
					return err
				}
				if len(all) == 0 {
					return fmt.Errorf("%w: there are no messages in it; want a list of {\"role\", \"content\"}, in which somebody says something", memory.ErrInvalid)
				}
				o := r.Options.WorkingMemory.Compact // as the settings say, but for the flags
				o.At = func(i int) time.Time { return all[i].At }
				o.Limit, o.Threshold = flags.Limit, cmp.Or(flags.Threshold, o.Threshold)
				o.KeepTurns, o.KeepCalls = cmp.Or(flags.KeepTurns, o.KeepTurns), cmp.Or(flags.KeepCalls, o.KeepCalls)
				if history != "" {
					o.Store, _ = window.HistoryDir(history)
				}
				c, err := window.Compact(window.Messages(all), &o)
				return a.result(compactedChat(&c), err, func(w io.Writer) {
					a.compacted(w, &c, float64(o.Limit)*cmp.Or(o.Threshold, 0.8))
					if len(c.Steps) > 0 && history == "" {
						a.warn("what went is kept nowhere: --history FOLDER keeps it under the name that the lines give")
					}
				})
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.run, "run", "", "session ID, transcript file or journal folder (default the newest session)")
	f.IntVar(&flags.Limit, "limit", window.DefaultLimit, "tokens of the window")
	f.Float64Var(&flags.Threshold, "threshold", 0, "share of the window above which anything is done (default context_builder.options.compact_at)")
	f.IntVar(&flags.KeepTurns, "keep-turns", 0, "newest turns that stay as they are (default ….compact_turns)")
	f.IntVar(&flags.KeepCalls, "keep-calls", 0, "newest tool calls that stay in full (default ….compact_calls)")
	f.StringVar(&history, "history", "", "folder that keeps what goes")
	return cmd
}

// compactedChat is a compaction with its messages as chat APIs have them.
func compactedChat(c *window.Compacted) any {
	return struct {
		Messages []runs.ChatMessage `json:"messages"`
		window.Compacted
	}{runs.Chat(c.Messages), *c}
}

func (a *app) compacted(w io.Writer, c *window.Compacted, threshold float64) {
	if len(c.Steps) == 0 && float64(c.Before) > threshold {
		fmt.Fprintf(w, "%s  of %d tokens, above the threshold of %.0f, none can go without what always stays\n", a.bold("unchanged"), c.Before, threshold)
		return
	}
	if len(c.Steps) == 0 {
		fmt.Fprintf(w, "%s  %d tokens are below the threshold\n", a.bold("unchanged"), c.Before)
		return
	}
	fmt.Fprintf(w, "%s  %d tokens to %d by %s\n\n", a.bold("compacted"), c.Before, c.After, strings.Join(c.Steps, ", "))
	a.messages(w, c.Messages)
}
