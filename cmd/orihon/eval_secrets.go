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

	"github.com/spf13/pflag"

	"orihon/internal/eval"
)

// secretTask is what "eval --task secrets" was asked for.
type secretTask struct {
	channels, skip string
	values         int
}

const secretsHelp = "\n\nWith --task secrets there is no DATA: secrets of many kinds are made up and planted on\n" +
	"every channel by which text reaches the disk or a model, each in a home of its own.\n" +
	"Then every byte below the home, and all that was shown, is searched for them. It says\n" +
	"what stayed, by channel and by kind, and which texts that only look like secrets were\n" +
	"altered. --seed chooses the values."

func (t *secretTask) flags(f *pflag.FlagSet) {
	f.IntVar(&t.values, "values", 1, "secrets: values for each kind and channel")
	f.StringVar(&t.channels, "channels", "", "secrets: only these channels, with commas between")
	f.StringVar(&t.skip, "skip-channels", "", "secrets: all channels but these")
}

func (a *app) evalSecrets(ctx context.Context, t *secretTask, seed uint64) error {
	if t.values < 1 {
		return fmt.Errorf("%w: --values %d: want at least one", errUsage, t.values)
	}
	o := &eval.SecretOptions{Seed: seed, Values: t.values, Channels: fields(t.channels), Skip: fields(t.skip)}
	for _, name := range slices.Concat(o.Channels, o.Skip) {
		if !slices.Contains(eval.SecretChannels(), name) {
			return fmt.Errorf("%w: channel %q: want one of %s", errUsage, name, strings.Join(eval.SecretChannels(), ", "))
		}
	}
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
	o.Progress = step
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
		t := table(w)
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
