package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"orihon/internal/eval"
)

// addSecrets gives eval the task of secrets.
func (a *app) addSecrets(cmd *cobra.Command, e *evaluation) {
	var channels, skip string
	var values int
	cmd.Long += "\n\nWith --task secrets there is no DATA: secrets of many kinds are made up and planted on\n" +
		"every channel by which text reaches the disk or a model, each in a home of its own.\n" +
		"Then every byte below the home, and all that was shown, is searched for them. It says\n" +
		"what stayed, by channel and by kind, and which texts that only look like secrets were\n" +
		"altered. --seed chooses the values."
	others, wants := cmd.RunE, cmd.Args
	secrets := func(cmd *cobra.Command) bool {
		task, err := cmd.Flags().GetString("task")
		return err == nil && task == "secrets"
	}
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		if !secrets(cmd) {
			return wants(cmd, words)
		}
		return args(cobra.NoArgs)(cmd, words)
	}
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if !secrets(cmd) {
			return others(cmd, words)
		}
		if values < 1 {
			return fmt.Errorf("%w: --values %d: want at least one", errUsage, values)
		}
		o := &eval.SecretOptions{Seed: e.seed, Values: values, Channels: fields(channels), Skip: fields(skip)}
		for _, name := range slices.Concat(o.Channels, o.Skip) {
			if !slices.Contains(eval.SecretChannels(), name) {
				return fmt.Errorf("%w: channel %q: want one of %s", errUsage, name, strings.Join(eval.SecretChannels(), ", "))
			}
		}
		return a.evalSecrets(cmd.Context(), o)
	}
	f := cmd.Flags()
	f.IntVar(&values, "values", 1, "secrets: values for each kind and channel")
	f.StringVar(&channels, "channels", "", "secrets: only these channels, with commas between")
	f.StringVar(&skip, "skip-channels", "", "secrets: all channels but these")
}

func (a *app) evalSecrets(ctx context.Context, o *eval.SecretOptions) error {
	options, err := a.options()
	if err != nil {
		return err
	}
	o.Settings = options.Settings
	if o.Dir, err = os.MkdirTemp("", "orihon-eval-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.Dir)
	if o.Hook, err = hookProgram(); err != nil {
		return err
	}
	step, end := a.progress("channels")
	o.Progress = func(done, all int) { step(done, all) }
	r, err := eval.RunSecrets(ctx, o)
	end()
	if err != nil {
		return err
	}
	return a.print(map[string]any{"secrets": r, "recall": r.Recall(), "version": version()}, func(w io.Writer) { secretTables(w, r) })
}

// hookProgram has this program answer events in a process of its own, which
// waits for the work it leaves.
func hookProgram() (func(context.Context, string, string, []byte) ([]byte, error), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, home, project string, event []byte) ([]byte, error) {
		cmd := exec.CommandContext(ctx, self, "hook", "--home", home, "--set", "hooks.detach=false")
		cmd.Dir, cmd.Stdin = project, bytes.NewReader(event)
		return cmd.CombinedOutput()
	}, nil
}

func secretTables(w io.Writer, r *eval.SecretReport) {
	fmt.Fprintf(w, "%d kinds of secrets, %s each, seed %d: nothing to be found in %.4f of %d kinds × channels\n", r.Kinds, plural(r.Values, "value"), r.Seed, r.Recall(), r.Cells)
	for _, part := range []struct {
		name   string
		scores []eval.SecretScore
	}{{"channel", r.Channels}, {"kind", r.Classes}} {
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintf(t, "%s\tplanted\tstill there\trecall\n", part.name)
		for _, s := range part.scores {
			fmt.Fprintf(t, "%s\t%d\t%d\t%.4f\n", s.Name, s.Planted, s.Kept, s.Recall())
		}
		t.Flush()
	}
	if len(r.Missed) > 0 {
		fmt.Fprintln(w)
	}
	for _, m := range r.Missed {
		fmt.Fprintf(w, "still there: %s on %s: %q\n", m.Kind, m.Channel, m.Text)
	}
	fmt.Fprintf(w, "\n%d of %d look-alikes altered, %d of %d blind ones\n", len(r.Altered), r.LookAlikes, len(r.BlindAltered), r.BlindLookAlikes)
	for _, pair := range slices.Concat(r.Altered, r.BlindAltered) {
		fmt.Fprintf(w, "altered: %q became %q\n", pair[0], pair[1])
	}
}
