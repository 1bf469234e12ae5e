package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/follow"
)

func (a *app) peekCommand() *cobra.Command {
	var cost bool
	limit := 20
	cmd := &cobra.Command{
		Use:   "peek",
		Short: "Show what was captured lately; --cost what models read for it",
		Long: "Show what sessions left in memory lately, the newest first, and what language\n" +
			"models took from the newest session for itself (its hot cache): behind each its\n" +
			"stream, and whether the agent was given it. With --cost, what each call was to send,\n" +
			"in tokens of your conversation and of how many at most, and what came of it.",
		Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			p, err := m.Sessions().Peek(cmd.Context(), limit)
			return a.result(p, err, func(w io.Writer) {
				if cost {
					a.peekCost(w, m, p.Calls)
					return
				}
				a.peek(w, p)
			})
		}),
	}
	cmd.Flags().BoolVar(&cost, "cost", false, "show the calls to language models instead")
	cmd.Flags().IntVar(&limit, "limit", limit, "most lines of each list, 0 for all")
	return cmd
}

func (a *app) peek(w io.Writer, p *follow.Peeked) {
	if len(p.Items) == 0 {
		fmt.Fprintln(w, "no session has left anything yet")
	}
	t := table(w)
	for i := range p.Items {
		it := &p.Items[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%.2f\t%s\t%s\n", shortID(it.ID), dayOf(it.Metadata.CreatedAt), it.Topic, it.Metadata.Confidence, it.Tier,
			clipped(cmp.Or(it.Title, it.Content), 90))
	}
	t.Flush()
	if len(p.Hot) == 0 {
		return
	}
	fmt.Fprintf(w, "\nhot cache of session %s\n", p.Session)
	t = table(w)
	for i := range p.Hot {
		e := &p.Hot[i]
		given := ""
		if e.Injected {
			given = "given back"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", e.Stream, e.Topic, clipped(e.Text, 110), given)
	}
	t.Flush()
}

func (a *app) peekCost(w io.Writer, m *orihon.Memory, calls []follow.SessionCall) {
	if len(calls) == 0 {
		fmt.Fprintln(w, "no language model was asked about a session")
		return
	}
	t := table(w)
	fmt.Fprintln(t, "when\tsession\tfeature\tstep\tpayload\tin\tout\tmodel\tfound")
	for i := range calls {
		c := &calls[i]
		sent, came := fmt.Sprint(c.Payload), fmt.Sprint(c.Found)
		if c.Most > 0 {
			sent += fmt.Sprintf(" of %d", c.Most)
		}
		if c.Refused > 0 {
			came += fmt.Sprintf(", %d refused", c.Refused)
		}
		if c.Failed {
			came = "no answer"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", c.At.Local().Format("2006-01-02 15:04"), clipped(c.Session, 12), c.Feature, c.Step, sent, c.Input, c.Output, c.Backend, came)
	}
	t.Flush()
	if today, err := m.Models().Today(); err == nil {
		fmt.Fprintln(w, strings.TrimSpace(budgetLine(&today)))
	}
}
