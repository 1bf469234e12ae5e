package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// evaluation is what one run of eval was asked for.
type evaluation struct {
	data, run, split     string
	dense                string
	skip, budgets, asked string
	ci, curve, ablate    bool
	seed                 uint64
}

func (a *app) evalCommand() *cobra.Command {
	var e evaluation
	var task string
	var folds foldTask
	var secrets secretTask
	var lives livesTask
	cmd := &cobra.Command{
		Use:   "eval DATA...",
		Short: "Measure how well recall finds, on a data set",
		Long: "Measure how well recall finds. DATA is a file of conversations with questions, one\n" +
			"JSON object per line (.gz too):\n\n" +
			"  {\"id\", \"turns\": [{\"id\", \"session\", \"date\", \"speaker\", \"text\", \"caption\"}],\n" +
			"   \"questions\": [{\"id\", \"question\", \"category_name\", \"evidence\": [turn ids]}]}\n\n" +
			"Every conversation is written into a temporary home of its own and indexed as\n" +
			"sessions are. Speakers \"user\" and \"assistant\" are just those, any other is a\n" +
			"person; a turn without a session is remembered as a statement. Your own memory\n" +
			"is neither read nor changed.\n\n" +
			"Of several files, or of a folder, each is measured by itself and a table of all\n" +
			"follows. With --dense, RANKINGS holds what embedding models found, as lines of\n" +
			"{\"model\", \"id\": question, \"ranked\": [turn ids, nearest first]}: each is fused with\n" +
			"recall as the vectors of a strong model are." + foldsHelp + updatesHelp + secretsHelp + livesHelp + pairsHelp + keptHelp + forgetHelp + pastHelp + guardHelp + habitsHelp,
		Args: func(cmd *cobra.Command, words []string) error {
			if task == "secrets" {
				return args(cobra.NoArgs)(cmd, words)
			}
			return args(cobra.MinimumNArgs(1))(cmd, words)
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			switch task {
			case "recall":
				return a.evalSets(cmd.Context(), &e, words)
			case "folds":
				return a.evalFolds(cmd.Context(), words[0], &folds)
			case "updates":
				return a.evalUpdates(cmd.Context(), &e, words)
			case "secrets":
				return a.evalSecrets(cmd.Context(), &secrets, e.seed)
			case "lives":
				return a.evalLives(cmd.Context(), words, &lives)
			case "pairs":
				return a.evalPairs(cmd.Context(), words, &lives)
			case "kept":
				return a.evalKept(cmd.Context(), words, &lives)
			case "forget":
				return a.evalForget(cmd.Context(), words, &lives)
			case "past":
				return a.evalPast(cmd.Context(), words, &lives)
			case "guard":
				return a.evalGuard(cmd.Context(), words)
			case "habits":
				return a.evalHabits(cmd.Context(), words, &lives)
			}
			return fmt.Errorf("%w: --task %s: want recall, folds, updates, secrets, lives, pairs, kept, forget, past, guard or habits", errUsage, task)
		},
	}
	f := cmd.Flags()
	f.StringVar(&task, "task", "recall", "recall, folds, updates, secrets, lives, pairs, kept, forget, past, guard or habits")
	f.StringVar(&e.run, "run", "", "write what was found to this file: question_id rank turn_id")
	f.StringVar(&e.split, "split", "all", "all, dev (first half of the lines) or test (the rest)")
	f.StringVar(&e.skip, "skip", "adversarial", "categories to leave out of the ranking, with commas between")
	f.StringVar(&e.budgets, "budgets", "256,512,1024,2048,4096", "token budgets for recall within a budget")
	f.StringVar(&e.asked, "asked", "", "day on which the questions are asked (default the day after each conversation's last turn)")
	f.StringVar(&e.dense, "dense", "", "fuse recall with these rankings of embedding models")
	f.BoolVar(&e.ci, "ci", false, "print 95 % confidence intervals (bootstrap over the questions)")
	f.BoolVar(&e.curve, "curve", false, "print what would be injected at each threshold of relevance")
	f.BoolVar(&e.ablate, "ablate", false, "run once more without each stage of ranking, and print what it was worth")
	f.Uint64Var(&e.seed, "seed", 1, "seed of the confidence intervals")
	folds.flags(f)
	secrets.flags(f)
	lives.flags(f)
	return cmd
}
