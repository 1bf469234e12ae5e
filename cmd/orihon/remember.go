package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
)

func (a *app) rememberCommand() *cobra.Command {
	s := orihon.Statement{Source: memory.FromUser}
	var kind, topic string
	cmd := &cobra.Command{
		Use:   "remember TEXT...",
		Short: "Keep a statement",
		Long: "Keep a statement. A single - reads it from standard input. Secrets are taken\n" +
			"out before anything is written; what is known already is confirmed, not doubled;\n" +
			"what you said otherwise before holds no longer, and leads to what you say now.",
		Example: `  orihon remember "We deploy with make ship, never with kubectl directly"
  orihon remember --topic preference --scope global "Answer in English"`,
		Args: args(cobra.MinimumNArgs(1)),
		PreRunE: func(_ *cobra.Command, words []string) (err error) {
			if s.Text, err = a.textOf(words); err != nil {
				return err
			}
			if kind != "" {
				if s.Kind, err = memory.ParseKind(kind); err != nil {
					return err
				}
			}
			s.Topic, err = memory.ParseTopic(topic)
			return err
		},
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error { return a.remember(cmd.Context(), m, s) }),
	}
	f := cmd.Flags()
	f.StringVar((*string)(&s.Scope), "scope", "", "global, shared, role:<name> or personal:<you> (default personal)")
	f.StringVar(&kind, "kind", "", "semantic, procedural or episodic (default semantic)")
	f.StringVar(&topic, "topic", "", "fact, procedure, architecture, pitfall, decision or preference")
	f.StringVar(&s.Title, "title", "", "short title")
	f.StringSliceVar(&s.Tags, "tag", nil, "tag, may be repeated")
	f.StringArrayVar(&s.NeededWhen, "needed-when", nil, "phrase by which it may be looked for, in other words or another language; may be repeated")
	f.StringSliceVar(&s.Triggers, "trigger", nil, "word or phrase that calls the item up by itself, may be repeated")
	return cmd
}

func (a *app) remember(ctx context.Context, m *orihon.Memory, s orihon.Statement) error {
	out, err := m.Remember(ctx, s)
	if err != nil {
		return err
	}
	a.warnRedacted(out.Redacted)
	return a.print(learned(&out), func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s\n", a.bold(became(string(out.Action))), shown(out.Item.Content))
		if out.Replaced != nil {
			fmt.Fprintf(w, "replaces  %s  (id %s, %s)\n", shown(out.Replaced.Content), out.Replaced.ID, out.Why)
		}
		for _, c := range out.Conflicts {
			fmt.Fprintln(w, seeAlso(&c, out.Item.Scope))
		}
		if !wasStored(string(out.Action)) {
			fmt.Fprintln(w, a.dim(out.Why))
			return
		}
		fmt.Fprintln(w, a.dim(fmt.Sprintf("id %s · %s · %s · confidence %.1f", out.Item.ID, out.Item.Scope, describe(&out.Item), out.Item.Metadata.Confidence)))
		if out.Promote != "" {
			fmt.Fprintln(w, a.dim(fmt.Sprintf("seen often enough to be %s: orihon edit %s", out.Promote, out.Item.ID)))
		}
	})
}

// seeAlso names what a statement of a scope is at odds with. What holds for others, too,
// no word of one's own ends.
func seeAlso(c *orihon.Conflict, scope memory.Scope) string {
	what := fmt.Sprintf("see also  %s  (id %s, %s", shown(c.Content), c.ID, c.Why)
	switch {
	case c.Scope == scope:
	case c.Scope == memory.Shared:
		what += fmt.Sprintf("; shared, and both hold: orihon edit %s changes it for all", memory.ShortID(c.ID))
	default:
		what += "; yours alone, and both hold: orihon forget " + memory.ShortID(c.ID)
	}
	return what + ")"
}

// became says what an action did, for people.
func became(action string) string {
	return cmp.Or(map[string]string{
		"confirm": "known already, confirmed",
		"update":  "updated",
		"merge":   "known already, now in these words",
		"pending": "not stored yet, it waits for review",
		"ask":     "not stored, to be decided",
		"skip":    "known already",
	}[action], "remembered")
}

// wasStored reports whether an action left the statement in memory.
func wasStored(action string) bool { return action != "pending" && action != "ask" }

// learned is an outcome for programs.
func learned(out *orihon.Outcome) map[string]any {
	m := map[string]any{"action": out.Action, "item": out.Item, "redacted": out.Redacted, "why": out.Why, "stored": wasStored(string(out.Action))}
	if out.Replaced != nil {
		m["replaced"] = out.Replaced
	}
	if len(out.Conflicts) > 0 {
		conflicts := make([]map[string]any, len(out.Conflicts))
		for i, c := range out.Conflicts {
			conflicts[i] = map[string]any{"id": c.ID, "content": c.Content, "relation": c.Relation, "why": c.Why, "scope": c.Scope}
		}
		m["conflicts"] = conflicts
	}
	if out.Promote != "" {
		m["promote"] = out.Promote
	}
	return m
}
