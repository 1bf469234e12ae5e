package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/runs"
	"orihon/window"
	"orihon/window/inspect"
)

// lookAt is which run a context command looks at, and how it is built.
type lookAt struct {
	run      string
	strategy string
	plugin   string
	limit    int
}

// onRun runs fn on the run that the flags or the first word name.
func (a *app) onRun(ctx context.Context, l *lookAt, words []string, fn func(*runs.Run) error) error {
	return a.openRun(ctx, l, words, func(_ *orihon.Memory, r *runs.Run) error { return fn(r) })
}

// onShown is onRun for commands that build a context. Without a strategy they
// fold, unless the settings say otherwise: a run's folds are what people look at.
func (a *app) onShown(ctx context.Context, l *lookAt, words []string, fn func(*orihon.Memory, *runs.Run, inspect.BuildOptions) error) error {
	if l.limit <= 0 {
		return fmt.Errorf("%w: --limit %d: want a number of tokens", errUsage, l.limit)
	}
	return a.openRun(ctx, l, words, func(m *orihon.Memory, r *runs.Run) error {
		s := l.shown(r)
		if s.Strategy == "" && setting(m, "context_builder.strategy") == "auto" {
			s.Strategy = window.Folding
		}
		return fn(m, r, s)
	})
}

func (a *app) openRun(ctx context.Context, l *lookAt, words []string, fn func(*orihon.Memory, *runs.Run) error) error {
	name := l.run
	if len(words) > 0 {
		if name != "" {
			return fmt.Errorf("%w: name the run once: %s or --run %s", errUsage, words[0], name)
		}
		name = words[0]
	}
	if name == "" {
		// A sub-agent asks about its parent's run.
		name, _ = a.env(window.JournalPathVar)
	}
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	_, end := a.progress("reading")
	r, err := m.Runs().Open(ctx, name)
	end()
	if err != nil {
		return err
	}
	const told = 5
	a.warn(first(r.Problems, told)...)
	if more := len(r.Problems) - told; more > 0 {
		a.warn(fmt.Sprintf("%d more places could not be read", more))
	}
	return fn(m, r)
}

// building adds the flags of commands that build a context.
func (l *lookAt) building(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.strategy, "strategy", "", strings.Join(append(window.Strategies(), window.WorkingMemory), ", ")+" (default context_builder.strategy of the settings, else folding)")
	cmd.Flags().StringVar(&l.plugin, "plugin", "", "a .js or .ts file that builds the context, in place of a strategy")
	cmd.Flags().IntVar(&l.limit, "limit", window.DefaultLimit, "tokens of the window")
}

// shown is how a run is to be shown: as the settings say, but for the flags.
func (l *lookAt) shown(r *runs.Run) inspect.BuildOptions {
	s := inspect.BuildOptions{Strategy: l.strategy, Limit: l.limit, Options: new(window.Options)}
	if r.Options != nil {
		*s.Options = *r.Options
	}
	if l.plugin != "" {
		s.Strategy, s.Options.Plugin.Path = window.Plugin, l.plugin
	}
	return s
}

// iterations reads a range such as 12-20.
func iterations(flag, s string) (from, to int, err error) {
	if from, to, err = inspect.ParseIterations(s); err != nil {
		err = fmt.Errorf("%w: %s %q: %w", errUsage, flag, s, err)
	}
	return from, to, err
}
