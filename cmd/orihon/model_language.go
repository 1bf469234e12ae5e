package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/config"
	"orihon/internal/project"
	"orihon/llm/gateway"
)

// languageModelCommands are what is done with the models of the settings.
func (a *app) languageModelCommands() []*cobra.Command {
	commands := []*cobra.Command{{
		Use: "test [NAME]", Short: "Ask the language models for a word, or only one of them", Args: args(cobra.MaximumNArgs(1)),
		Long: "Ask each language model of models: for a word, or only the one that is named,\n" +
			"also one that is left alone at present. It takes a few tokens of the day's budget.",
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, names []string) error {
			return a.testModels(cmd.Context(), m, names)
		}),
	}}
	for _, on := range []bool{true, false} {
		use, short := "disable NAME", "Ask this language model no more"
		if on {
			use, short = "enable NAME", "Ask this language model (again)"
		}
		commands = append(commands, &cobra.Command{
			Use: use, Short: short, Args: args(cobra.ExactArgs(1)),
			RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, names []string) error {
				return a.enableModel(cmd.Context(), m, names[0], on)
			}),
		})
	}
	return commands
}

func (a *app) enableModel(ctx context.Context, m *orihon.Memory, name string, on bool) error {
	file := project.User(m.Project().Home).Config()
	if err := config.EnableModel(file, name, on); err != nil {
		return err
	}
	if on {
		if err := m.Models().Wake(ctx, name); err != nil {
			return err
		}
	}
	return a.print(map[string]any{"model": name, "enabled": on, "file": file}, func(w io.Writer) {
		verb := "is asked no more"
		if on {
			verb = "is asked from now on"
		}
		fmt.Fprintf(w, "%s %s  %s\n", name, verb, a.dim(file))
	})
}

// tested is what a model said to a test.
type tested struct {
	Name   string  `json:"name"`
	OK     bool    `json:"ok"`
	Answer string  `json:"answer,omitempty"`
	Input  int64   `json:"input,omitempty"` // tokens
	Output int64   `json:"output,omitempty"`
	Took   float64 `json:"seconds"`
	Error  string  `json:"error,omitempty"`
}

func (a *app) testModels(ctx context.Context, m *orihon.Memory, names []string) error {
	states := m.Models().States()
	if len(names) == 0 {
		for _, s := range states {
			if s.Off == "" || s.Broken {
				names = append(names, s.Name)
			}
		}
	}
	all := []tested{}
	var failed error
	for _, name := range names {
		_, end := a.progress("asking " + name)
		began := time.Now()
		r, err := m.Models().Test(ctx, name)
		end()
		t := tested{Name: name, OK: err == nil, Answer: clipped(r.Message.Text, 40), Input: r.Usage.Input, Output: r.Usage.Output, Took: time.Since(began).Seconds()}
		if err != nil {
			t.Error = oneLine(err.Error())
			failed = errors.New("not every model answered")
		}
		all = append(all, t)
	}
	err := a.print(all, func(w io.Writer) {
		if len(all) == 0 {
			a.languageModels(w, states, time.Now())
		}
		t := table(w)
		for _, x := range all {
			if x.OK {
				fmt.Fprintf(t, "%s\tanswered %q in %.1f s\t%d tokens in, %d out\n", x.Name, x.Answer, x.Took, x.Input, x.Output)
			} else {
				fmt.Fprintf(t, "%s\t%s\n", x.Name, x.Error)
			}
		}
		t.Flush()
	})
	return cmp.Or(err, failed)
}

const noLanguageModel = "no language model is asked: see models: in orihon config edit, and “Models” in the guide"

// languageModels lists the models of the settings.
func (a *app) languageModels(w io.Writer, states []gateway.State, now time.Time) {
	if len(states) == 0 {
		fmt.Fprintln(w, noLanguageModel)
		return
	}
	t := table(w)
	for i, s := range states {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\n", i+1, s.Name, s.Identity, s.Size, healthOf(&s, now))
	}
	t.Flush()
}

// healthOf is how a backend is, in a few words.
func healthOf(s *gateway.State, now time.Time) string {
	switch {
	case s.Off != "":
		return "off: " + s.Off
	case !s.Until.IsZero() && s.Long:
		return fmt.Sprintf("left alone until %s: it failed again and again, the last time it %s", s.Until.Local().Format("15:04"), s.Why)
	case !s.Until.IsZero():
		return fmt.Sprintf("left alone for %d s: it %s", int(s.Until.Sub(now).Seconds())+1, s.Why)
	case s.Failures > 0:
		return "in use; the last time it " + s.Why
	}
	return "in use"
}

// budgetLine is what the day holds for models.
func budgetLine(b *gateway.Today) string {
	line := fmt.Sprintf("%d tokens today", b.Tokens)
	if b.DailyTokens > 0 {
		line = fmt.Sprintf("%d of %d tokens today", b.Tokens, b.DailyTokens)
	}
	switch {
	case b.DailyCost > 0:
		line += fmt.Sprintf(", %.4f of %.2f in money", b.Cost, b.DailyCost)
	case b.Cost > 0:
		line += fmt.Sprintf(", %.4f in money", b.Cost)
	}
	return line
}

// cost shows what models took, by day, feature and model.
func (a *app) cost(m *orihon.Memory, since string) error {
	spent, err := m.Models().Spent(since)
	today, terr := m.Models().Today()
	return a.result(map[string]any{"spent": orEmpty(spent), "today": today}, errors.Join(err, terr), func(w io.Writer) {
		if len(spent) == 0 {
			fmt.Fprintln(w, "no language model was asked")
			return
		}
		t := table(w)
		fmt.Fprintln(t, "day\tfeature\tmodel\tcalls\tin\tcached\tout\tmoney")
		var sum gateway.Spent
		row := func(s *gateway.Spent) {
			calls := fmt.Sprint(s.Calls)
			if s.Failed > 0 {
				calls += fmt.Sprintf(" (%d failed)", s.Failed)
			}
			about := ""
			if s.Estimated > 0 {
				about = "~"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s%d\t%d\t%s%d\t%.4f\n", s.Day, s.Feature, s.Backend, calls, about, s.Input, s.CacheRead, about, s.Output, s.Cost)
		}
		for i := range spent {
			s := &spent[i]
			row(s)
			sum.Calls, sum.Failed, sum.Estimated = sum.Calls+s.Calls, sum.Failed+s.Failed, sum.Estimated+s.Estimated
			sum.Input, sum.CacheRead, sum.Output, sum.Cost = sum.Input+s.Input, sum.CacheRead+s.CacheRead, sum.Output+s.Output, sum.Cost+s.Cost
		}
		sum.Day = "all"
		row(&sum)
		t.Flush()
		fmt.Fprintln(w, budgetLine(&today))
	})
}
