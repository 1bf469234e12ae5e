package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/memory"
	"orihon/review"
)

func (a *app) reviewCommand() *cobra.Command {
	var approve, reject []string
	var text, into, reason string
	var both, all bool
	var repository repositoryFlags
	cmd := &cobra.Command{
		Use:   "review [--approve ID... | --reject ID...]",
		Short: "Decide on what waits for a person",
		Long: "Show what waits for a person and decide on it: statements of which it is not\n" +
			"sure that they are worth keeping, pairs that are at odds, proposed changes, and\n" +
			"shared decisions that management must accept.\n\n" +
			"On a terminal it goes through them one by one, a key each: k keeps, d drops, u\n" +
			"takes the last answer back, K and D decide on all that are left of the same\n" +
			"kind. Otherwise, and with --list, it lists them. Scripts decide with --approve\n" +
			"and --reject.\n\n" +
			"--repository is for the statements that came with the project's files: they are\n" +
			"found by recall but give no orders until you accept them. An acceptance holds for\n" +
			"what you were shown; what a pull changes waits again, unless you trust the\n" +
			"repository from now on. With --reject FILE nothing shows them again until they\n" +
			"change, also what you accepted before; --rejected lists those, and --unreject FILE\n" +
			"takes it back.",
		Args: args(func(_ *cobra.Command, more []string) error {
			switch {
			case len(more) > 0 && len(approve)+len(reject) == 0:
				return fmt.Errorf("unknown argument %q: IDs stand behind --approve or --reject", more[0])
			case len(approve)+len(reject)+len(more) > 1 && (text != "" || into != "" || repository.asked()):
				return fmt.Errorf("--text, --into and --repository are for one at a time")
			}
			return nil
		}),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, more []string) error {
			if repository.asked() {
				repository.reject = strings.Join(reject, "")
				if len(approve) > 0 || text != "" || into != "" || both || reason != "" {
					return fmt.Errorf("%w: --repository goes with --accept, --reject, --unreject, --rejected, --trust and --file only", errUsage)
				}
				return a.reviewRepository(cmd.Context(), m, &repository)
			}
			if len(repository.only) > 0 {
				return fmt.Errorf("%w: --file belongs to --repository", errUsage)
			}
			switch {
			case len(approve) > 0 && len(reject) > 0:
				return fmt.Errorf("%w: --approve and --reject: one at a time", errUsage)
			case len(approve) > 0:
				return a.decideEach(append(approve, more...), func(id string) (any, func(io.Writer), error) {
					return a.approve(cmd.Context(), m, id, review.Approval{Text: text, Both: both, Into: into})
				})
			case len(reject) > 0:
				return a.decideEach(append(reject, more...), func(id string) (any, func(io.Writer), error) {
					w, err := m.Review().Reject(cmd.Context(), id, reason)
					return w, func(out io.Writer) { fmt.Fprintf(out, "%s  %s\n", a.bold("rejected"), headline(&w.Item)) }, err
				})
			case text != "" || into != "" || both || reason != "":
				return fmt.Errorf("%w: --text, --into, --both and --reason belong to --approve ID or --reject ID", errUsage)
			}
			waiting, problems, err := m.Review().List(cmd.Context())
			if err != nil {
				return err
			}
			a.warn(problems...)
			if err := m.Review().Weigh(cmd.Context(), waiting); err != nil {
				return err
			}
			foreign, err := m.Repository().Count(cmd.Context())
			if err != nil {
				return err
			}
			if a.terminal && !a.json && !all && (len(waiting) > 0 || foreign == 0) {
				defer besides(a.out, foreign)
				return a.reviewEach(cmd.Context(), m, waiting)
			}
			return a.print(orEmpty(waiting), func(w io.Writer) {
				if len(waiting) > 0 || foreign == 0 {
					a.waiting(w, waiting)
				}
				besides(w, foreign)
			})
		}),
	}
	f := cmd.Flags()
	f.StringArrayVar(&approve, "approve", nil, "accept what waits under this `ID`, and under those behind it; may be repeated")
	f.StringArrayVar(&reject, "reject", nil, "turn down what waits under this `ID`, and under those behind it; may be repeated; with --repository: what stands in this file, or has this ID")
	f.StringVar(&text, "text", "", "with --approve: in these words")
	f.StringVar(&into, "into", "", "with --approve: merge it into the item with this ID")
	f.BoolVar(&both, "both", false, "with --approve: of a conflict, both hold")
	f.StringVar(&reason, "reason", "", "with --reject: why")
	f.BoolVar(&repository.show, "repository", false, "show what came with the project's files and waits until you accept it")
	f.BoolVar(&repository.accept, "accept", false, "with --repository: accept all that is shown")
	f.StringVar(&repository.unreject, "unreject", "", "with --repository: let what stands in this `FILE` of the project wait again")
	f.BoolVar(&repository.rejected, "rejected", false, "with --repository: show what was rejected")
	f.BoolVar(&repository.trust, "trust", false, "with --repository: accept all that this repository says, from now on")
	f.BoolVar(&repository.untrust, "untrust", false, "take --trust back")
	f.StringArrayVar(&repository.only, "file", nil, "with --repository: only what stands in this `FILE` of the project; may be repeated")
	f.BoolVar(&all, "list", false, "only list")
	return cmd
}

// decideEach decides on one ID after another and prints what became of all of them, also
// of those before one that failed: one as an object in JSON, several as a list.
func (a *app) decideEach(ids []string, decide func(id string) (any, func(io.Writer), error)) error {
	var done []any
	var said []func(io.Writer)
	var failed error
	for _, id := range ids {
		v, say, err := decide(id)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		done, said = append(done, v), append(said, say)
	}
	if len(done) == 0 {
		return failed
	}
	var out any = done
	if len(ids) == 1 {
		out = done[0]
	}
	return errors.Join(a.print(out, func(w io.Writer) {
		for _, say := range said {
			say(w)
		}
	}), failed)
}

// approve accepts what waits, and says what it ends and what still speaks against it.
func (a *app) approve(ctx context.Context, m *orihon.Memory, id string, o review.Approval) (it memory.Item, say func(io.Writer), err error) {
	w, err := m.Review().Find(ctx, id)
	if err != nil {
		return it, nil, err
	}
	one := []review.Pending{w}
	if err := m.Review().Weigh(ctx, one); err != nil {
		return it, nil, err
	}
	if it, err = m.Review().Approve(ctx, w.ID, o); err != nil {
		return it, nil, err
	}
	return it, func(out io.Writer) {
		fmt.Fprintf(out, "%s  %s  %s\n", a.bold("approved"), shortID(it.ID), headline(&it))
		if w.Kind == memory.QuestionMerge && it.ID != w.Item.ID {
			fmt.Fprintln(out, a.dim(fmt.Sprintf("      one with it now: %s; orihon restore %s brings it back", headline(&w.Item), shortID(w.Item.ID))))
		}
		a.stands(out, &one[0], it.Relations.Supersedes, it.ID)
	}, nil
}

func (a *app) waiting(w io.Writer, list []review.Pending) {
	if len(list) == 0 {
		fmt.Fprintln(w, "nothing waits for you")
		return
	}
	for i := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		a.oneWaiting(w, &list[i])
	}
}
