package window

import (
	"slices"
	"strconv"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/terms"
	"orihon/internal/tokens"
)

// status is where things stand when an epoch begins: it takes the place of what
// the model would have to gather from the folds.
func (f *Folder) status(in Input, folded []*Block, limit int) string {
	from := in.View.FirstIteration()
	if n := in.Iteration - 200; n > from {
		from = n // further back the stubs tell
	}
	r := readRecord(in.View, in.View.Range(from, in.Iteration))
	w, l := indexWriter{budget: limit - 12}, english()
	lines := []string{"[Where things stand at iteration " + strconv.Itoa(in.Iteration) + "]"}
	items, _ := activity.Items(r.acts)
	lines = append(lines, w.reserve(labelled("The user's instructions that still hold, in their words:", stillHold(folded), limit/2, false))...)
	lines = append(lines, w.reserve(r.requestLine(limit/3))...)
	lines = append(lines, w.reserve(labelled("Open items:", itemLines(items, &l), limit/3, true))...)
	lines = append(lines, w.reserve(labelled("Errors not settled:", openFailures(r.failures()), limit/4, false))...)
	lines = append(lines, w.reserve(fileLine("Files changed (times): ", r.touched(activity.Editing), limit/4, &l))...)
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// stillHold are the instructions in folds that go on to hold, each where it was
// last given.
func stillHold(folded []*Block) []string {
	var out []string
	seen := map[string]bool{}
	for _, b := range slices.Backward(folded) {
		for _, text := range slices.Backward(b.Instructions) {
			if key := terms.Fold(text); lasts(text) && !seen[key] {
				seen[key] = true
				out = append(out, clip(text, 300))
			}
		}
	}
	slices.Reverse(out)
	return out
}

// requestLine is the newest request, verbatim while it fits.
func (r *record) requestLine(limit int) []string {
	if len(r.prompts) == 0 || limit < 12 {
		return nil
	}
	return []string{"Current request: " + tokens.Fit(oneLine(r.prompts[len(r.prompts)-1].text), limit-6)}
}

func openFailures(all []failure) []string {
	var out []string
	for i := range all {
		if f := &all[i]; f.settled == 0 && !f.Looks() {
			out = append(out, f.line(40, 110))
		}
	}
	return newest(out, 4)
}
