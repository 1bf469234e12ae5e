package review

import (
	"slices"

	"orihon/internal/learn"
	"orihon/internal/revise"
	"orihon/memory"
)

// settledBy reports whether an item says what waits, said it before it was changed, or was
// changed as what waits would have it. Values that it does not give are a matter of their
// own.
func (w *Pending) settledBy(was string, it *memory.Item) bool {
	said := w.Item.Content
	tells := func(text string) bool {
		return revise.Told(said, text) && learn.Read(text).Before(learn.Read(said)) != learn.Contradicts
	}
	if learn.Same(said, it.Content) || tells(it.Content) || tells(was) {
		return true
	}
	if was == "" || !revise.Gives(it.Content+"\n"+was, said) {
		return false
	}
	ofOnePrompt := slices.ContainsFunc(w.Item.Metadata.Evidence, func(prompt string) bool { return slices.Contains(it.Metadata.Evidence, prompt) })
	return ofOnePrompt && changed(was, said) >= mayEnd || revise.Ends(was, said) >= revise.Plainly
}
