package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) rememberCommand() *cobra.Command {
	var scope, kind, topic, title string
	var tags, triggers []string
	cmd := &cobra.Command{
		Use:   "remember TEXT...",
		Short: "Keep a statement",
		Long:  "Keep a statement. A single - reads it from standard input. Secrets are taken\nout before anything is written; what is known already is confirmed, not doubled.",
		Example: `  orihon remember "We deploy with make ship, never with kubectl directly"
  orihon remember --topic preference --scope global "Answer in English"`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			text := strings.Join(words, " ")
			if text == "-" {
				const most = 1 << 20
				data, err := io.ReadAll(io.LimitReader(a.in, most))
				if err != nil {
					return err
				}
				text = string(data)
			}
			s := orihon.Statement{Text: text, Title: title, Scope: memory.Scope(scope), Tags: tags, Triggers: triggers, Source: memory.FromUser}
			var err error
			if kind != "" {
				if s.Kind, err = memory.ParseKind(kind); err != nil {
					return err
				}
			}
			if s.Topic, err = memory.ParseTopic(topic); err != nil {
				return err
			}
			return a.remember(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	f.StringVar(&scope, "scope", "", "global, shared, role:<name> or personal:<you> (default personal)")
	f.StringVar(&kind, "kind", "", "semantic, procedural or episodic (default semantic)")
	f.StringVar(&topic, "topic", "", "fact, procedure, architecture, pitfall, decision or preference")
	f.StringVar(&title, "title", "", "short title")
	f.StringSliceVar(&tags, "tag", nil, "tag, may be repeated")
	f.StringSliceVar(&triggers, "trigger", nil, "word or phrase that calls the item up by itself, may be repeated")
	return cmd
}

func (a *app) remember(ctx context.Context, s orihon.Statement) error {
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	out, err := m.Remember(ctx, s)
	if err != nil {
		return err
	}
	for _, rule := range out.Redacted {
		a.warn(fmt.Sprintf("a secret was taken out (%s)", rule))
	}
	return a.print(map[string]any{"action": out.Action, "item": out.Item, "redacted": out.Redacted}, func(w io.Writer) {
		verb := map[string]string{"add": "remembered", "confirm": "known already, confirmed", "update": "updated"}[string(out.Action)]
		fmt.Fprintf(w, "%s  %s\n", a.bold(verb), out.Item.Content)
		fmt.Fprintln(w, a.dim(fmt.Sprintf("id %s · %s · %s · confidence %.1f", out.Item.ID, out.Item.Scope, describe(&out.Item), out.Item.Metadata.Confidence)))
	})
}

// describe names what sort of item it is.
func describe(it *memory.Item) string {
	if it.Topic == "" || string(it.Topic) == string(it.Kind) {
		return string(it.Kind)
	}
	return string(it.Kind) + "/" + string(it.Topic)
}
