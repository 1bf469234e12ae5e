package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
	"orihon/workmem"
)

func (a *app) contextWorking(l *lookAt) *cobra.Command {
	var write string
	cmd := &cobra.Command{
		Use:   "working-memory [FILE]",
		Short: "Read and write what an agent keeps for itself of a session",
		Long: "Print the overview that the agent of a session keeps for itself, and its other files;\n" +
			"or one of them: detail/NAME, archive/NAME. --write takes a file from the standard\n" +
			"input. Without --run it is the session of the agent that calls, else the newest,\n" +
			"else one for this folder.\n\n" +
			"With context_builder.strategy: working_memory hooks give the agent its overview when\n" +
			"its window begins and after each compaction, and say what to do as the window fills.\n" +
			"Then messages.jsonl and meta.json beside it tell other programs of the session.",
		Example: "  orihon config set context_builder.strategy working_memory\n" +
			"  echo '# Overview' | orihon context working-memory --write overview.md\n" +
			"  orihon context working-memory\n  orihon context working-memory detail/plan.md",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			if write != "" && len(words) > 0 {
				return fmt.Errorf("%w: name the file once: %s or --write %s", errUsage, words[0], write)
			}
			if !writable(write) {
				return fmt.Errorf("%w: --write %q does not lie in the working memory: want overview.md, detail/NAME or archive/NAME", errUsage, write)
			}
			dir, err := a.workingFolder(cmd.Context(), m, l.run)
			if err != nil {
				return err
			}
			if write != "" {
				return a.writeWorking(cmd.Context(), m, dir, write)
			}
			if len(words) > 0 {
				text, err := workmem.ReadIn(dir, words[0])
				if errors.Is(err, fs.ErrNotExist) {
					err = fmt.Errorf("%s: %w: the working memory of this session has no such file", words[0], memory.ErrNotFound)
				}
				return a.result(workingFile{words[0], text}, err, func(w io.Writer) { fmt.Fprint(w, printable(text)) })
			}
			out, err := workmem.List(dir)
			return a.result(out, err, func(w io.Writer) { a.working(w, &out) })
		}),
	}
	cmd.Flags().StringVar(&write, "write", "", "file to write from the standard input: overview.md, detail/NAME, archive/NAME")
	return cmd
}

// writable reports a name that --write takes. The store itself takes others, which
// agents give their files.
func writable(name string) bool {
	in, rest, _ := strings.Cut(path.Clean(name), "/")
	return name == "" || in == workmem.OverviewFile && rest == "" || (in == "detail" || in == "archive") && rest != ""
}

type workingFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func (a *app) working(w io.Writer, l *workmem.Listing) {
	overview := l.Overview
	if overview != workmem.Template().Text { // ours, with comments
		overview = printable(overview)
	}
	fmt.Fprint(w, overview)
	if !strings.HasSuffix(l.Overview, "\n") {
		fmt.Fprintln(w)
	}
	for _, f := range l.Files {
		fmt.Fprintf(w, "%s  %d bytes\n", a.bold(printable(f.Path)), f.Bytes)
	}
}

func (a *app) writeWorking(ctx context.Context, m *orihon.Memory, dir, file string) error {
	if err := m.Register(ctx); err != nil {
		return err
	}
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(a.in, most))
	if err != nil {
		return err
	}
	store, err := workmem.Open(dir, &workmem.Options{Redact: m.Redact})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Write(file, string(text)); err != nil {
		return err
	}
	if file == workmem.OverviewFile && len(text) > workmem.OverviewGuide {
		a.warn(fmt.Sprintf("%s has %d bytes; agents are shown it at every request: keep it below %d", file, len(text), workmem.OverviewGuide))
	}
	return a.result(workingFile{Path: file}, nil, func(w io.Writer) { fmt.Fprintf(w, "%s  %s\n", a.bold("written"), printable(file)) })
}

// workingFolder is the folder of the session that is meant.
func (a *app) workingFolder(ctx context.Context, m *orihon.Memory, name string) (string, error) {
	if name == "" {
		name = m.Sessions().Calling()
	}
	if r, err := m.Runs().Session(ctx, name); err == nil {
		return m.Project().Session(r.Name), nil
	} else if name != "" || !errors.Is(err, memory.ErrNotFound) {
		return "", err
	}
	return m.Project().Session(outside(m.Project().Root)), nil
}

// outside names the session of a caller that has none after its folder:
// --home-mia-shop--.
func outside(folder string) string {
	parts := strings.FieldsFunc(filepath.ToSlash(folder), func(r rune) bool { return r == '/' || r == ':' })
	return "--" + strings.Join(parts, "-") + "--"
}
