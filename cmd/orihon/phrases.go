package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/llm"
	"orihon/memory"
)

func (a *app) phrasesCommand() *cobra.Command {
	var list bool
	limit := 100
	cmd := &cobra.Command{
		Use:   "phrases",
		Short: "Have a model say by what statements are looked for in other words",
		Long: "Ask the configured model for phrases by which your statements in this project may\n" +
			"be looked for by somebody who does not know their words: tasks, symptoms, other\n" +
			"names, the other language. Statements that have some are left alone. What a session\n" +
			"taught is asked about behind it (extract.phrases); this is for what was there before.\n" +
			"Without a model your agent can give them (memory_update, needed_when), or you:\n" +
			"orihon edit ID --needed-when \"…\".",
		Example: "  orihon phrases --list\n  orihon phrases --limit 200",
		Args:    args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			s := m.Sessions()
			without, err := s.Unphrased(cmd.Context())
			if err != nil {
				return err
			}
			all := len(without)
			without = without[:max(0, min(all, limit))]
			if list {
				return a.print(without, func(w io.Writer) {
					for i := range without {
						fmt.Fprintf(w, "%s  %s\n", memory.ShortID(without[i].ID), headline(&without[i]))
					}
					fmt.Fprintf(w, "%d of %d statements without phrases\n", len(without), all)
				})
			}
			done := 0
			if len(without) > 0 {
				_, end := a.progress("asking the model")
				done, err = s.Phrase(cmd.Context(), without)
				end()
			}
			if errors.Is(err, llm.ErrUnavailable) {
				err = fmt.Errorf("%w: %d statements have no phrases; set up a model (orihon model --help), or let your agent give them", err, all-done)
			}
			return a.result(map[string]int{"given": done, "without": all - done}, err, func(w io.Writer) {
				fmt.Fprintf(w, "%d statements have phrases now, %d have none\n", done, all-done)
			})
		}),
	}
	cmd.Flags().BoolVar(&list, "list", false, "only list the statements that have none")
	cmd.Flags().IntVar(&limit, "limit", limit, "most statements to ask about, newest first")
	return cmd
}
