package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon/internal/eval"
)

func (a *app) benchCommand() *cobra.Command {
	var o eval.SpeedOptions
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this program is on this machine",
		Long: "Measure how fast this program is on this machine: the first index, a sync with\n" +
			"nothing changed, recall, hooks as whole processes, remembering. It works on\n" +
			"made-up homes in a temporary folder; your own memory is neither read nor\n" +
			"changed. Close other programs first.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Observations > 0 && o.Scripts == "" {
				return fmt.Errorf("%w: --observations wants --scripts", errUsage)
			}
			if o.Items < 1 || o.Files < 0 || o.Runs < 1 {
				return fmt.Errorf("%w: --items and --runs want at least 1, --files at least 0", errUsage)
			}
			return a.bench(cmd.Context(), &o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Items, "items", 10_000, "statements in the home")
	f.IntVar(&o.Files, "files", 0, "Markdown files in a home of their own (10000 is the figure in docs/benchmarks.md)")
	f.IntVar(&o.Observations, "observations", 0, "tool calls in a home of their own, in which habits are looked for (100000 is the figure in docs/benchmarks.md)")
	f.StringVar(&o.Scripts, "scripts", "", "folder of the scripted sessions that these calls are taken from")
	f.IntVar(&o.Runs, "runs", 21, "how often each hook is timed")
	f.StringVar(&o.Against, "against", "", "another program, whose hooks are timed in turn with this one's")
	return cmd
}

func (a *app) bench(ctx context.Context, o *eval.SpeedOptions) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "orihon-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	step, end := a.progress("measuring")
	defer end()
	done := 0
	o.Dir, o.Program, o.Environ, o.Logger = dir, self, os.Environ(), a.logger()
	o.Progress = func(string) { done++; step(done, 0) }
	figures, err := eval.Measure(ctx, o)
	end()
	if err != nil {
		return err
	}
	where := machine()
	return a.print(map[string]any{"machine": where, "version": version(), "items": o.Items, "files": o.Files, "figures": figuresJSON(figures)}, func(w io.Writer) {
		fmt.Fprintf(w, "%s, %s, %s/%s, %s", plural(where.Cores, "core"), where.CPU, where.OS, where.Arch, runtime.Version())
		if commit := version()["commit"]; commit != "" {
			fmt.Fprintf(w, ", commit %.12s", commit)
		}
		fmt.Fprint(w, "\n\n")
		t := table(w)
		fmt.Fprintln(t, "what\tof\truns\tp50\tp95\tpeak memory")
		for _, f := range figures {
			of, memory := "call", "-"
			if f.Process {
				of = "process"
			}
			if f.Peak > 0 {
				memory = fmt.Sprintf("%.0f MiB", float64(f.Peak)/(1<<20))
			}
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", f.Name, of, f.Runs, took(f.P50), took(f.P95), memory)
		}
		t.Flush()
	})
}

// took words a duration with three figures.
func took(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.1f µs", d.Seconds()*1e6)
}

func figuresJSON(figures []eval.Figure) []map[string]any {
	out := make([]map[string]any, len(figures))
	for i, f := range figures {
		out[i] = map[string]any{"name": f.Name, "process": f.Process, "runs": f.Runs, "p50_ms": millis(f.P50), "p95_ms": millis(f.P95)}
		if f.Peak > 0 {
			out[i]["peak_bytes"] = f.Peak
		}
	}
	return out
}

// millis keeps the fractions that ms drops.
func millis(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// host is the machine that figures were taken on.
type host struct {
	Cores int    `json:"cores"`
	CPU   string `json:"cpu"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
}

func machine() host {
	h := host{Cores: runtime.NumCPU(), CPU: "unknown processor", OS: runtime.GOOS, Arch: runtime.GOARCH}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return h
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			h.CPU = strings.TrimSpace(value)
			break
		}
	}
	return h
}
