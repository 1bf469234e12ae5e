package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/eval"
)

const guardHelp = "\n\nWith --task guard, DATA are transcripts of Claude Code, or folders of them. Each is\n" +
	"played as hooks would have told it, and every warning of the guardian is listed: the\n" +
	"session, which prompt and call it came behind, the rule, and what it saw."

func (a *app) evalGuard(ctx context.Context, data []string) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	var files []string
	for _, d := range data {
		info, err := os.Stat(d)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			files = append(files, d)
			continue
		}
		for _, pattern := range []string{"*.jsonl", "*.jsonl.gz"} {
			found, err := filepath.Glob(filepath.Join(d, pattern))
			if err != nil {
				return err
			}
			files = append(files, found...)
		}
	}
	slices.Sort(files)
	dir, err := os.MkdirTemp("", "orihon-eval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	step, end := a.progress("sessions")
	var all []eval.Watched
	for i, f := range files {
		step(i, len(files))
		w, err := eval.Watch(ctx, f, &eval.WatchOptions{Dir: filepath.Join(dir, fmt.Sprint(i)), Settings: o.Settings, Logger: o.Logger})
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	end()
	return a.print(map[string]any{"sessions": orEmpty(all), "version": version()}, func(w io.Writer) {
		warnings, calls := 0, 0
		for _, s := range all {
			calls += s.Calls
			for _, x := range s.Warnings {
				warnings++
				fmt.Fprintf(w, "%s  turn %d  call %d  %s\n    %s\n", shortID(x.Session), x.Turn, x.Call, a.bold(x.Rule), strings.TrimSpace(oneLine(x.Why)))
			}
		}
		fmt.Fprintf(w, "%s in %s with %s\n", plural(warnings, "warning"), plural(len(all), "session"), plural(calls, "call"))
	})
}
