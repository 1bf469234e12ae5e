package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
)

// linesOf is what can tell itself as plain text.
type linesOf interface{ Lines() []string }

// tell prints what was found, or that there is nothing.
func tell(w io.Writer, nothing string, found ...linesOf) {
	n := 0
	for _, f := range found {
		for _, line := range f.Lines() {
			fmt.Fprintln(w, oneLineKeepingIndent(line))
			n++
		}
	}
	if n == 0 {
		fmt.Fprintln(w, nothing)
	}
}

// oneLineKeepingIndent is a line without control characters.
func oneLineKeepingIndent(s string) string {
	text := strings.TrimLeft(s, " ")
	return s[:len(s)-len(text)] + oneLine(text)
}

func (a *app) fixCommand() *cobra.Command {
	limit := 5
	cmd := &cobra.Command{
		Use:   "fix ERROR",
		Short: "Show what was done about an error like this before, and whether it helped",
		Long: "Look through the sessions of this project for errors like this one, and show what\n" +
			"was run or edited after each, and whether it helped. ERROR may be the words of a\n" +
			"message, or - to read them from standard input.",
		Example: "  orihon fix \"undefined: roundHalfUp\"\n  go test ./... 2>&1 | orihon fix -",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			text := strings.Join(words, " ")
			if text == "-" {
				const most = 64 << 10
				data, err := io.ReadAll(io.LimitReader(a.in, most))
				if err != nil {
					return err
				}
				text = string(data)
			}
			found, err := m.Sessions().Fixes(cmd.Context(), text, limit)
			return a.result(orEmpty(found), err, func(w io.Writer) {
				lines := make([]linesOf, len(found))
				for i := range found {
					lines[i] = &found[i]
				}
				tell(w, "no error like this is known", lines...)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "most errors")
	return cmd
}

func (a *app) howCommand() *cobra.Command {
	limit := 8
	cmd := &cobra.Command{
		Use:     "how WHAT",
		Short:   "Show commands that worked here before",
		Long:    "Show the commands that worked in past sessions of this project and are about WHAT:\n" + "how often they worked and failed, and what they were run for.",
		Example: "  orihon how run the integration tests\n  orihon how deploy",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			found, err := m.Sessions().How(cmd.Context(), strings.Join(words, " "), limit)
			return a.result(orEmpty(found), err, func(w io.Writer) {
				lines := make([]linesOf, len(found))
				for i := range found {
					lines[i] = &found[i]
				}
				tell(w, "no command is known to have worked for this", lines...)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "most commands")
	return cmd
}

func (a *app) blameCommand() *cobra.Command {
	limit := 10
	cmd := &cobra.Command{
		Use:   "blame PATH",
		Short: "Show what past sessions did to a file or a folder, and why",
		Long: "Show the requests of past sessions that changed a file or the files in a folder,\n" +
			"what was mended in it, and what was decided and names it. It says when the file was\n" +
			"written since or is not there any more; when it says neither, nothing is known.",
		Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			found, err := m.Sessions().Blame(cmd.Context(), words[0], limit)
			return a.result(found, err, func(w io.Writer) { tell(w, "nothing is known of "+oneLine(words[0]), found) })
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "most entries of each kind")
	return cmd
}
