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
	"orihon/runs"
	"orihon/window"
	"orihon/window/inspect"
)

func (a *app) contextFold(l *lookAt) *cobra.Command {
	var of string
	cmd := &cobra.Command{
		Use:   "fold --iterations A-B",
		Short: "Fold iterations into one block",
		Long: "Fold iterations into one block, which takes their place in the context. The journal\n" +
			"keeps them: expand prints them, unfold shows them again byte for byte.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, to, err := iterations("--iterations", of)
			if err != nil {
				return err
			}
			return a.onRun(cmd.Context(), l, nil, func(r *runs.Run) error {
				b, err := r.Fold(cmd.Context(), from, to)
				return a.result(b, err, func(w io.Writer) { a.block(w, "folded", &b) })
			})
		},
	}
	cmd.Flags().StringVar(&of, "iterations", "", "which: 12-20")
	return cmd
}

func (a *app) block(w io.Writer, did string, b *window.Block) {
	fmt.Fprintf(w, "%s  %s, %s, %d tokens\n", a.bold(did), b.Ref(), span(b.Iterations), b.Tokens)
	for _, s := range []string{b.Summary.Title, b.Summary.Content, b.Summary.Outcome} {
		if s != "" {
			fmt.Fprintln(w, printable(s))
		}
	}
	if len(b.Entities) > 0 {
		fmt.Fprintf(w, "anchors  %s\n", clipped(printable(strings.Join(b.Entities, ", ")), 200))
	}
}

// span names a range of iterations.
func span(of [2]int) string {
	if of[0] == of[1] {
		return fmt.Sprintf("iteration %d", of[0])
	}
	return fmt.Sprintf("iterations %d–%d", of[0], of[1])
}

func (a *app) contextUnfold(l *lookAt) *cobra.Command {
	return &cobra.Command{
		Use:   "unfold ID",
		Short: "Show a fold as it was before",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return a.onRun(cmd.Context(), l, nil, func(r *runs.Run) error {
				b, err := r.Unfold(cmd.Context(), words[0])
				return a.result(b, err, func(w io.Writer) { a.block(w, "unfolded", &b) })
			})
		},
	}
}

func (a *app) contextExpand(l *lookAt) *cobra.Command {
	var page int
	cmd := &cobra.Command{
		Use:   "expand ID [ANCHOR]",
		Short: "Print what is folded, word for word",
		Long: "Print a fold (F7, or its id) or a range of iterations (12-20) as it stands in the\n" +
			"journal, a page of at most 25,000 tokens at a time. With an anchor, a name or a word,\n" +
			"print only the messages, calls and results that hold it. The fold stays folded.\n" +
			"One that show or inspect computed opens with the --limit and --strategy they had.\n" +
			"What could be taken for a tag of the client or a turn of the conversation loses its\n" +
			"bracket; --json has every byte as it is.",
		Example: "  orihon context expand F7\n  orihon context expand F7 roundHalfUp\n  orihon context expand 12-20 --page 2",
		Args:    args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, words []string) error {
			anchor := ""
			if len(words) > 1 {
				anchor = words[1]
			}
			return a.onShown(cmd.Context(), l, nil, func(_ *orihon.Memory, r *runs.Run, s inspect.BuildOptions) error {
				return a.expand(cmd.Context(), r, s, words[0], anchor, page)
			})
		},
	}
	l.building(cmd)
	cmd.Flags().IntVar(&page, "page", 1, "which page")
	return cmd
}

func (a *app) expand(ctx context.Context, r *runs.Run, s inspect.BuildOptions, ref, anchor string, page int) error {
	if page < 1 {
		return fmt.Errorf("%w: --page %d: pages count from 1", errUsage, page)
	}
	p, err := r.Expand(ctx, ref, anchor, page)
	if _, _, other := inspect.ParseIterations(ref); errors.Is(err, memory.ErrNotFound) && other != nil && r.Block(ref) == nil {
		p, err = a.expandComputed(ctx, r, s, ref, anchor, page, err)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.print(p, nil)
	}
	// Agents read this too; the bytes themselves are in the JSON.
	_, err = io.WriteString(a.out, printable(p.Text))
	if err == nil && p.Pages > 1 {
		fmt.Fprintf(a.errs, "page %d of %d of %s\n", p.Page, p.Pages, p.Title)
	}
	return err
}

// expandComputed is expand for a fold that no journal keeps; unknown is returned when
// there is none.
func (a *app) expandComputed(ctx context.Context, r *runs.Run, s inspect.BuildOptions, ref, anchor string, page int, unknown error) (inspect.Page, error) {
	_, computed, err := r.Shown(ctx, s)
	if err != nil {
		return inspect.Page{}, err
	}
	for i := range computed {
		if b := &computed[i]; strings.EqualFold(b.Ref(), ref) || b.ID == ref {
			p, err := r.Expand(ctx, fmt.Sprintf("%d-%d", b.Iterations[0], b.Iterations[1]), anchor, page)
			p.Title = b.Ref() + ", " + p.Title
			return p, err
		}
	}
	return inspect.Page{}, fmt.Errorf("%w; one that show or inspect computed opens with the --limit and --strategy they had", unknown)
}

// tellComputed says of folds that no journal keeps how they are opened and kept.
func (a *app) tellComputed(w io.Writer, l *lookAt, r *runs.Run, computed []string) {
	if len(computed) == 0 {
		return
	}
	open := "orihon context expand " + computed[0] + " --run " + r.Name
	if l.limit != window.DefaultLimit {
		open += fmt.Sprint(" --limit ", l.limit)
	}
	if l.strategy != "" {
		open += " --strategy " + l.strategy
	}
	keep := "orihon context fold --iterations A-B keeps one"
	if r.View().Journal() == nil {
		keep = "to keep folds, take the run in with orihon import"
	}
	fmt.Fprintf(w, "\ncomputed, kept in no journal: %s\n%s opens one; %s\n", clipped(strings.Join(computed, ", "), 200), open, keep)
}

func (a *app) contextRetrieve(l *lookAt) *cobra.Command {
	var keyword string
	var limit int
	cmd := &cobra.Command{
		Use:   "retrieve --keyword WORD",
		Short: "Find a word or a name in the whole run, folded or not",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if strings.TrimSpace(keyword) == "" || limit < 1 {
				return fmt.Errorf("%w: want --keyword WORD and a --limit of at least 1", errUsage)
			}
			return a.onRun(cmd.Context(), l, nil, func(r *runs.Run) error {
				found := r.Retrieve(keyword, limit)
				if len(found) == 0 {
					return fmt.Errorf("%q: %w: nothing in this run says it", keyword, memory.ErrNotFound)
				}
				return a.print(found, func(w io.Writer) {
					for _, f := range found {
						where := fmt.Sprintf("iteration %d", f.Iteration)
						if f.Fold != "" {
							where += ", in " + f.Fold
						}
						kind := f.Type
						if f.Near {
							kind += ", near: it has other forms or parts of the word"
						}
						fmt.Fprintf(w, "%s  %s\n  %s\n", a.bold(where), a.dim(kind), printable(f.Text))
					}
				})
			})
		},
	}
	cmd.Flags().StringVar(&keyword, "keyword", "", "what to look for")
	cmd.Flags().IntVar(&limit, "limit", 12, "most places")
	return cmd
}

func (a *app) contextBookmark(l *lookAt) *cobra.Command {
	var iteration int
	cmd := &cobra.Command{
		Use:   "bookmark --iteration N [NOTE]",
		Short: "Keep an iteration from being folded",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			note := strings.Join(words, " ")
			return a.onRun(cmd.Context(), l, nil, func(r *runs.Run) error {
				if err := r.Bookmark(cmd.Context(), iteration, note); err != nil {
					return err
				}
				return a.print(map[string]any{"run": r.Name, "iteration": iteration, "note": note}, func(w io.Writer) {
					fmt.Fprintf(w, "%s  iteration %d of %s\n", a.bold("bookmarked"), iteration, r.Name)
				})
			})
		},
	}
	cmd.Flags().IntVar(&iteration, "iteration", 0, "which iteration")
	return cmd
}
