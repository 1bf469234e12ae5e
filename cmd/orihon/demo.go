package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// demoRecordings are the sessions that the demo plays: one hook event a line,
// as the client sends it, see [readRecording].
//
//go:embed demo/*.jsonl
var demoRecordings embed.FS

func (a *app) demoCommand() *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play a recorded session in a temporary home and show what memory does",
		Long: "Play a recorded coding session through real hook processes in a temporary home,\n" +
			"then a second session whose prompts get what they need from the first. The\n" +
			"recording says what to expect: what does not come true is an error.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			recordings, err := fs.Sub(demoRecordings, "demo")
			if err != nil {
				return err
			}
			return a.demo(cmd.Context(), &demo{exe: exe, recordings: recordings, environ: os.Environ(), keep: keep})
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the temporary home to look around in")
	return cmd
}

// demo plays, tells as it goes unless asked for JSON, and fails when the
// recording expected something else.
func (a *app) demo(ctx context.Context, d *demo) error {
	if !a.json {
		w := &demoTeller{a: a, w: a.out}
		d.told = w.event
		d.after = w.after
		fmt.Fprintln(a.out, "Two recorded coding sessions, played through real hook processes in a temporary home.")
	}
	r, err := d.play(ctx)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if err := a.print(r, func(w io.Writer) { a.demoSummary(w, r) }); err != nil {
		return err
	}
	if len(r.Failures) > 0 {
		return fmt.Errorf("demo: %d of %d expectations failed: %s", len(r.Failures), r.Expectations, r.Failures[0])
	}
	return nil
}

// demoTeller tells people what happens while it happens.
type demoTeller struct {
	a       *app
	w       io.Writer
	session int
}

func (t *demoTeller) event(e *demoEvent) {
	if e.Session != t.session {
		t.session = e.Session
		about := "what bears on a prompt comes back"
		if e.Session == 1 {
			about = "what is said and done is kept"
		}
		t.title(fmt.Sprintf("SESSION %d: %s", e.Session, about))
	}
	switch {
	case e.Prompt != "":
		fmt.Fprintf(t.w, "› %s\n", oneLine(e.Prompt))
	case e.Injected == "":
		return
	case e.Source == "compact":
		fmt.Fprintln(t.w, "(the client's context was compacted)")
	default:
		fmt.Fprintln(t.w, "(session start)")
	}
	if e.Notice != "" {
		t.indented(e.Notice)
	}
	took := fmt.Sprintf("%.0f ms", e.MS)
	if e.Injected == "" {
		fmt.Fprintln(t.w, t.a.dim("    nothing injected · "+took))
		return
	}
	t.indented(strings.Join(demoPassages(e.Injected), "\n"))
	fmt.Fprintln(t.w, t.a.dim(fmt.Sprintf("    injected %d tokens · %s", e.Tokens, took)))
}

// after tells what has been kept once the first session is over.
func (t *demoTeller) after(kept []demoItem) {
	t.title("KEPT, as text files")
	for _, it := range kept {
		fmt.Fprintf(t.w, "%s  %s\n", t.a.dim(fmt.Sprintf("%-22s", it.What)), strings.ReplaceAll(it.Text, "\n", "\n"+strings.Repeat(" ", 24)))
	}
}

func (t *demoTeller) title(text string) { fmt.Fprintf(t.w, "\n%s\n", t.a.bold(text)) }

func (t *demoTeller) indented(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(t.w, "    "+line)
	}
}

// demoPassages are the lines of an injected text without the frame around
// them, which is the same every time.
func demoPassages(injected string) []string {
	var lines []string
	for block := range strings.SplitSeq(strings.TrimSpace(injected), "\n\n") {
		if strings.HasPrefix(block, "<orihon-memory>") || strings.HasSuffix(block, "</orihon-memory>") {
			continue
		}
		lines = append(lines, strings.Split(block, "\n")...)
	}
	if len(lines) == 0 {
		return []string{injected}
	}
	return lines
}

func (a *app) demoSummary(w io.Writer, r *demoReport) {
	fmt.Fprintf(w, "\n%s\n", a.bold("SUMMARY"))
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-13s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("events", "%d, each answered by a hook process of its own", r.Events)
	line("hooks", "median %.0f ms, slowest %.0f ms, start of the process included", r.MedianMS, r.SlowestMS)
	line("injected", "%d tokens in all; %d of %d prompts of the last session got something", r.Tokens, r.Helped, r.Asked)
	line("secrets", "%d planted in a tool's output; %d files searched, found in %d", r.Secrets.Planted, r.Secrets.Files, len(r.Secrets.Found))
	line("expectations", "%d of %d came true", r.Expectations-len(r.Failures), r.Expectations)
	for _, f := range r.Failures {
		line("", "failed: %s", f)
	}
	if r.Removed {
		line("removed", "%s; orihon demo --keep leaves it", r.Dir)
		return
	}
	line("kept", "%s", r.Dir)
	at := fmt.Sprintf("orihon --user %s --home %s --project %s", demoUser, demoWord(r.Home), demoWord(r.Project))
	line("look around", "%s list", at)
	line("", "%s status", at)
	line("", "%s recall --explain \"how do I deploy?\"", at)
}

// demoWord makes one word of a path for any shell.
func demoWord(path string) string {
	if strings.ContainsAny(path, " \t'&()") {
		return `"` + path + `"`
	}
	return path
}
