package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/documents"
)

func (a *app) indexCommand() *cobra.Command {
	var rebuild, status bool
	cmd := &cobra.Command{
		Use:   "index [PATH...]",
		Short: "Index the project's own files, so that recall --docs finds them",
		Long: "Index the project's own files, so that recall --docs finds passages of them beside\n" +
			"memory. Only files that changed are read; with PATH, only what lies there is looked\n" +
			"at. What git ignores, secrets, binaries, and what is generated, vendored or too large\n" +
			"is left out; rag.include, rag.exclude and rag.max_file_bytes say more. With\n" +
			"rag.enabled every sync does this by itself. A file that changed since is shown as\n" +
			"it is all the same; one that is new is found after the next time.",
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, paths []string) error {
			if status {
				return a.indexStatus(cmd.Context(), m)
			}
			return a.index(cmd.Context(), m, rebuild, paths)
		}),
	}
	cmd.Flags().BoolVar(&rebuild, "rebuild", false, "throw the index away first and read everything")
	cmd.Flags().BoolVar(&status, "status", false, "show what the index holds and change nothing")
	return cmd
}

func (a *app) index(ctx context.Context, m *orihon.Memory, rebuild bool, paths []string) (err error) {
	// Paths are given from where the user is, not from the project's folder.
	for i := range paths {
		if paths[i], err = filepath.Abs(paths[i]); err != nil {
			return err
		}
	}
	if rebuild {
		if err := m.Documents().Rebuild(); err != nil {
			return err
		}
	}
	r, err := a.indexNow(ctx, m, paths...)
	if err != nil {
		return err
	}
	v := struct {
		documents.Report
		TookMS float64 `json:"took_ms"`
	}{r, ms(r.Took)}
	return a.print(v, func(w io.Writer) { a.indexed(w, &r) })
}

// indexNow indexes and shows how far it is.
func (a *app) indexNow(ctx context.Context, m *orihon.Memory, paths ...string) (documents.Report, error) {
	step, end := a.progress("reading the project's files")
	defer end()
	return m.Documents().Index(ctx, func(files int) { step(files, 0) }, paths...)
}

func (a *app) indexed(w io.Writer, r *documents.Report) {
	if r.Busy {
		fmt.Fprintln(w, "another process is at it")
		return
	}
	if r.Rebuilt != "" {
		fmt.Fprintln(w, "started over:", r.Rebuilt)
	}
	fmt.Fprintf(w, "%s read, %d unchanged, %d gone\n", plural(r.Read, "file"), r.Unchanged, r.Gone)
	reasons := slices.SortedFunc(maps.Keys(r.Skipped), func(x, y documents.Reason) int {
		return cmp.Or(cmp.Compare(r.Skipped[y], r.Skipped[x]), cmp.Compare(x, y))
	})
	for _, why := range reasons {
		fmt.Fprintf(w, "%6d left out: %s%s\n", r.Skipped[why], why, a.dim(examples(r.Left, why)))
	}
	fmt.Fprintln(w, a.dim(fmt.Sprintf("%s · %.1f s", plural(r.Passages, "passage"), r.Took.Seconds())))
}

// examples names some of what was left out for a reason.
func examples(left []documents.Skip, why documents.Reason) string {
	const most = 3
	text, n := "", 0
	for _, s := range left {
		if s.Reason != why {
			continue
		}
		if n++; n > most {
			return text + ", …"
		}
		if n == 1 {
			text += "  "
		} else {
			text += ", "
		}
		text += s.Path
	}
	return text
}

func (a *app) indexStatus(ctx context.Context, m *orihon.Memory) error {
	s, err := m.Documents().Status(ctx)
	return a.result(s, err, func(w io.Writer) {
		fmt.Fprintf(w, "files     %d of %s\n", s.Files, s.Root)
		fmt.Fprintf(w, "passages  %d\n", s.Passages)
		fmt.Fprintf(w, "index     %s (%d bytes)\n", s.Index, s.Bytes)
		if !s.Synced.IsZero() {
			fmt.Fprintf(w, "as of     %s\n", s.Synced.Local().Format(time.DateTime))
		}
		if s.Stale != "" {
			fmt.Fprintf(w, "stale     %s\n", s.Stale)
		}
	})
}
