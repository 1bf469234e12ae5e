package verbs

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/documents"
	"orihon/internal/recall"
	"orihon/internal/revise"
	"orihon/internal/session"
	"orihon/internal/space"
	"orihon/memory"
)

// Recall returns the few passages that bear on a prompt. It fails only when
// ctx ends: whatever else goes wrong is named in the result. The viewer is
// always the handle's own. Documents are asked for by the query or by the
// settings; a budget that goes by the length of the prompt is then one that
// holds some.
func (v *Verbs) Recall(ctx context.Context, q memory.Query) (*memory.Recollection, error) {
	if q.Documents = q.Documents || v.Config.RAG.Enabled; q.Documents && q.MaxTokens == 0 && v.Config.Recall.MaxTokens == 0 {
		q.MaxTokens = max(documents.PromptBudget(v.Home, q.Text), v.Config.Recall.BudgetMedium)
	}
	return v.RecallAs(ctx, q)
}

// RecallAs is Recall with documents and budget as the query says.
func (v *Verbs) RecallAs(ctx context.Context, q memory.Query) (*memory.Recollection, error) {
	q.Viewer = v.Viewer()
	if q.Language == "" && v.Config.Language != "auto" {
		q.Language = v.Config.Language
	}
	if q.MaxTokens == 0 {
		q.MaxTokens = v.Config.Recall.MaxTokens
	}
	var more []recall.Source
	if source, end, ok := v.documents.Source(ctx, &q); ok {
		defer end()
		more = append(more, source)
	}
	r, err := v.engine(ctx, q.AsOf, more...).Recall(ctx, q)
	if r != nil {
		r.Degraded = withoutSources(r.Degraded)
	}
	return r, err
}

// Engine is recall over the spaces that have anything in them, and more.
func (v *Verbs) Engine(ctx context.Context, more ...recall.Source) *recall.Engine {
	return v.engine(ctx, time.Time{}, more...)
}

// engine is Engine over what the text said at a time; a zero one is now.
func (v *Verbs) engine(ctx context.Context, at time.Time, more ...recall.Source) *recall.Engine {
	var sources []recall.Source
	var failed []string
	for _, sp := range v.Spaces() {
		index, err := sp.Reader(ctx)
		if err == nil && index != nil && !at.IsZero() {
			index, err = sp.Then(ctx, index, at)
		}
		if err != nil {
			v.Log.Warn("recall: index left out", "space", sp.Name, "err", err)
			failed = append(failed, sp.Name+" index")
			continue
		}
		if sp.Unreadable() {
			failed = append(failed, sp.Name+" text")
		}
		if index != nil {
			sources = append(sources, recall.Source{Name: sp.Name, Index: index})
		}
	}
	sources = append(sources, more...)
	c, shift := &v.Config.Recall, v.Feedback().Shift
	settings := recall.Settings{
		Threshold: c.Threshold + shift, ThresholdMin: c.ThresholdMin + max(0, shift),
		BudgetShort: c.BudgetShort, BudgetMedium: c.BudgetMedium, BudgetLong: c.BudgetLong,
		Candidates: c.Candidates, MaxTerms: c.MaxTerms, CommonShare: c.CommonShare, IdleDecay: v.Config.Decay.PerMonth, RecencyWeight: c.RecencyWeight, AccessWeight: c.AccessWeight, HideSources: !c.ShowSources, Fusion: recall.Fusion(c.Fusion),
	}
	settings.Leave(c.Without...)
	return recall.New(&recall.Options{
		Now: v.Now, Logger: v.Log, Core: v.Core, TurnedDown: v.turnedDown, AtOdds: v.atOdds, Committer: v.Committer(), Fresh: v.Fresh, Failed: failed,
		Settings: settings,
	}, sources...)
}

// turnedDown are the statements that the user did not want kept.
func (v *Verbs) turnedDown(ctx context.Context) (out []memory.Item) {
	for _, sp := range v.Spaces() {
		found, err := sp.Text.TurnedDown(ctx)
		if err != nil {
			v.Log.Warn("recall: what was turned down may come back", "space", sp.Name, "err", err)
		}
		out = append(out, found...)
	}
	return out
}

// atOdds are the pairs of statements that wait for a person, of which one may have
// replaced the other.
func (v *Verbs) atOdds(ctx context.Context) (out []recall.Pair) {
	for _, sp := range v.Spaces() {
		waiting, err := sp.Text.Candidates(ctx)
		if err != nil {
			v.Log.Warn("recall: what waits is left out of account", "space", sp.Name, "err", err)
		}
		for i := range waiting {
			w := &waiting[i]
			if w.Other != "" && (w.Kind == memory.QuestionMerge || w.Kind == memory.QuestionConflict || w.Kind == memory.QuestionFrozen) {
				out = append(out, recall.Pair{One: w.Item.ID, Other: w.Other, Since: w.At, Ends: ends})
			}
		}
	}
	return out
}

// ends reports whether a later statement gives another value for an earlier one, and likely
// ends it.
func ends(earlier, later string) bool {
	return revise.Rivals(earlier, later) && revise.Ends(earlier, later) >= revise.Plainly
}

// Core is what every MEMORY.md says; comments and bare headings say nothing.
func (v *Verbs) Core(ctx context.Context) (string, error) { return v.CoreBut(ctx) }

// CoreBut is Core without some of the files.
func (v *Verbs) CoreBut(ctx context.Context, files ...string) (string, error) {
	var parts []string
	for _, sp := range v.Spaces() {
		text, err := sp.Text.Memory(ctx, files...)
		if err != nil {
			return "", err
		}
		if text = withoutComments(text); says(text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// withoutComments drops what Markdown does not show.
func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<!--")
		b.WriteString(before)
		if !found {
			return strings.TrimSpace(b.String())
		}
		if _, text, found = strings.Cut(rest, "-->"); !found {
			return strings.TrimSpace(b.String())
		}
	}
}

// says reports whether a Markdown text has a line that is no heading.
func says(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return true
		}
	}
	return false
}

// withoutSources names a missing embedder once, whichever index it was for.
func withoutSources(degraded []string) []string {
	var out []string
	for _, d := range degraded {
		if strings.HasSuffix(d, "/"+space.NoVector) {
			d = space.NoVector
		}
		if d != space.NoVector || !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// Feedback is what is known of how well injected passages are used.
func (v *Verbs) Feedback() session.Feedback {
	if !v.Config.Recall.Adaptive {
		return session.Feedback{}
	}
	return session.LoadFeedback(filepath.Clean(string(v.Personal.Dir)))
}
