package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orihon/runs"
	"orihon/window"
)

// mostRequest bounds a request or a parent summary, in bytes.
const mostRequest = 8 << 20

func (a *app) contextSummarize(l *lookAt) *cobra.Command {
	var as, of, parent, request, program string
	check := false
	cmd := &cobra.Command{
		Use:   "summarize [RUN]",
		Short: "Sum up a part of a run from its journal",
		Long: "Sum up a run, or some of its iterations, without a model: everything in the summary\n" +
			"stands in the journal. A chapter tells what was done and what came of it, events what\n" +
			"changed something and when, errors what failed and what mended it; adaptive takes the\n" +
			"form that loses least.\n\n" +
			"Sub-agents ask with --request - and {\"journal_path\": …, \"query\": \"iterations:50-100\"}\n" +
			"on the standard input, or with " + window.JournalPathVar + " in the environment, and get JSON.",
		Example: "  orihon context summarize --iterations 50-100\n  orihon context summarize --as errors transcript.jsonl\n" +
			"  orihon context summarize --json > so-far.json; orihon context summarize --parent-summary so-far.json",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if !slices.Contains(window.Summarizers(), summarizer(as)) {
				return fmt.Errorf("%w: --as %q: want one of %s", errUsage, as, strings.Join(forms(), ", "))
			}
			if request != "" {
				if len(words) > 0 || l.run != "" || of != "" || parent != "" {
					return fmt.Errorf("%w: --request names the run, the range and the parent itself", errUsage)
				}
				return a.answerSummary(cmd, summarizer(as), request)
			}
			s := runs.SummaryOptions{Agent: summarizer(as)}
			var err error
			if program != "" {
				path, err := filepath.Abs(program)
				if err != nil {
					return err
				}
				s.Program = []string{path}
			}
			if check {
				if program == "" {
					return fmt.Errorf("%w: --check tries a summariser of yours: name it with --program", errUsage)
				}
				return a.onRun(cmd.Context(), l, words, func(r *runs.Run) error { return a.checkSummarizer(cmd.Context(), r, s.Program) })
			}
			if of != "" {
				if s.From, s.To, err = iterations("--iterations", of); err != nil {
					return err
				}
			}
			if parent != "" {
				if s.Parent, err = a.readInput(parent, mostRequest); err != nil {
					return err
				}
			}
			return a.onRun(cmd.Context(), l, words, func(r *runs.Run) error {
				got, err := r.Summarize(cmd.Context(), s)
				return a.result(got, err, func(w io.Writer) { a.summary(w, &got) })
			})
		},
	}
	cmd.Flags().StringVar(&as, "as", "adaptive", "form: "+strings.Join(forms(), ", "))
	cmd.Flags().StringVar(&of, "iterations", "", "only these: 50-100")
	cmd.Flags().StringVar(&parent, "parent-summary", "", "go on from this result of --json, - for the standard input")
	cmd.Flags().StringVar(&program, "program", "", "a program of yours that sums up in place of a form")
	cmd.Flags().BoolVar(&check, "check", false, "try that program on the run and say what it does not hold to")
	cmd.Flags().StringVar(&request, "request", "", "answer the request in this file with JSON, - for the standard input")
	return cmd
}

const summarizerPrefix = "summarizer-"

// summarizer is the agent of a form; its own name will do.
func summarizer(form string) string {
	return summarizerPrefix + strings.TrimPrefix(form, summarizerPrefix)
}

func forms() []string {
	var out []string
	for _, name := range window.Summarizers() {
		out = append(out, strings.TrimPrefix(name, summarizerPrefix))
	}
	return out
}

// answerSummary is a summariser as other programs start it: a request in, JSON
// out.
func (a *app) answerSummary(cmd *cobra.Command, agent, path string) error {
	raw, err := a.readInput(path, mostRequest)
	if err != nil {
		return err
	}
	r, err := window.ReadSummaryRequest(raw, a.env)
	if err != nil {
		return err
	}
	got, err := window.Summarize(cmd.Context(), agent, r, nil)
	if err != nil {
		return err
	}
	a.json = true
	return a.print(got, nil)
}

func (a *app) summary(w io.Writer, s *window.SummaryResult) {
	fmt.Fprintf(w, "%s  %s\n", a.bold(s.Form), span(s.Range))
	for _, text := range []string{s.Title, s.Content, s.Outcome} {
		if text != "" {
			fmt.Fprintln(w, printable(text))
		}
	}
	list := func(label string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(w, "\n%s\n", a.bold(label))
		}
		for _, line := range lines {
			fmt.Fprintf(w, "- %s\n", printable(oneLine(strings.TrimPrefix(line, "changed "))))
		}
	}
	list("The user said", s.Instructions)
	list("Changed", s.Changes)
	list("Decided", s.Decisions)
	var failed, happened []string
	for _, e := range s.Errors {
		line := fmt.Sprintf("[%d] %s: %s", e.Iteration, e.What, e.Message)
		if e.Times > 1 {
			line += fmt.Sprintf(" (%d times)", e.Times)
		}
		switch {
		case e.Settled == 0:
			line += " → open"
		case e.Fix != "":
			line += fmt.Sprintf(" → mended in %d, after a change of %s", e.Settled, e.Fix)
		default:
			line += fmt.Sprintf(" → worked in %d", e.Settled)
		}
		failed = append(failed, line)
	}
	list("Errors", failed)
	for _, e := range s.Events {
		happened = append(happened, fmt.Sprintf("[%d] %s: %s", e.Iteration, e.Kind, e.Text))
	}
	list("Events", happened)
	if len(s.Entities) > 0 {
		fmt.Fprintf(w, "\n%s  %s\n", a.bold("Names"), printable(strings.Join(s.Entities, ", ")))
	}
	if s.Form == "errors" && len(s.Errors) == 0 || s.Form == "events" && len(s.Events) == 0 {
		fmt.Fprintln(w, "none")
	}
}
