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
		Long: "A model sees a window of tokens, and a long run does not fit. Folding shows a title\n" +
			"and what came of old parts; every word stays in the journal and opens again.\n\n" +
			"  look    inspect tells what the window is made of, timeline what happened when,\n" +
			"          visualize draws both as a page, show prints what a model would get\n" +
			"  find    retrieve finds a word in the whole run, folded or not, expand F7 prints a\n" +
			"          fold word for word, summarize tells a part of the run\n" +
			"  fold    fold --iterations 12-20 makes F1 of them, unfold F1 shows them again byte\n" +
			"          for byte, bookmark --iteration 12 keeps one from being folded\n" +
			"  choose  simulate tells what a strategy would save, cache and lose;\n" +
			"          orihon config set context_builder.strategy NAME makes it the one that builds\n\n" +
			"Strategies: sliding_window (the last iterations), sliding_window_checkpoints (and a\n" +
			"sentence for each stretch before), two_layer (and one running story), milestone\n" +
			"(chapters), query_on_demand (and tools that find), folding (zones that open again),\n" +
			"working_memory (the agent's own overview), custom (a program), plugin (a script).\n\n" +
			"A run is a session of this project, by its ID or the beginning of it, or a file: a\n" +
			"transcript of Claude Code or Gemini CLI, or a list of chat messages (JSON or one a\n" +
			"line, .gz too), or the folder of a journal. Without one it is the journal that\n" +
			window.JournalPathVar + " names, else the session with the newest event.",
		Example: "  orihon context inspect\n  orihon context expand F7\n  orihon context retrieve --keyword roundHalfUp\n" +
			"  orihon context simulate --strategy folding --limit 50000 transcript.jsonl\n" +
			"  orihon config set context_builder.strategy two_layer",
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
