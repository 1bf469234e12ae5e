package main

import (
	"github.com/spf13/cobra"

	"orihon/window"
)

func (a *app) contextCommand() *cobra.Command {
	var l lookAt
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Look at what a model sees of a run, and fold it",
		Long: "Look at what a model sees of a long run: what is in its window, what is folded,\n" +
			"what a strategy would save or lose. Nothing that is folded is gone: expand prints\n" +
			"it word for word, retrieve finds it.\n\n" +
			"A run is a session of this project, by its ID or the beginning of it, or a file: a\n" +
			"transcript of Claude Code or Gemini CLI, or a list of chat messages (JSON or one a\n" +
			"line, .gz too), or the folder of a journal. Without one it is the journal that\n" +
			window.JournalPathVar + " names, else the session with the newest event.",
		Example: "  orihon context inspect\n  orihon context expand F7\n  orihon context retrieve --keyword roundHalfUp\n" +
			"  orihon context simulate --strategy folding --limit 50000 transcript.jsonl",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&l.run, "run", "", "session ID, transcript file or journal folder (default the newest session)")
	cmd.AddCommand(
		a.contextInspect(&l),
		a.contextShow(&l),
		a.contextSimulate(&l),
		a.contextTimeline(&l),
		a.contextVisualize(&l),
		a.contextSummarize(&l),
		a.contextEvents(&l),
		a.contextFold(&l),
		a.contextUnfold(&l),
		a.contextExpand(&l),
		a.contextRetrieve(&l),
		a.contextBookmark(&l),
		a.contextWorking(&l),
	)
	return cmd
}
