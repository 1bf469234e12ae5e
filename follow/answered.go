package follow

import (
	"slices"

	"orihon/internal/extract"
	"orihon/internal/learn"
	"orihon/internal/terms"
	"orihon/memory"
	"orihon/review"
)

// saysOf reports whether a content is what waits, or was made of the same prompt and one
// of the two says what the other does.
func saysOf(prompt, content string, w *review.Pending) bool {
	if learn.Same(w.Item.Content, content) {
		return true
	}
	return prompt != "" && slices.Contains(w.Item.Metadata.Evidence, prompt) && (extract.Stands(w.Item.Content, content) || extract.Stands(content, w.Item.Content))
}

// gives reports whether an item was put into words of the prompt that waits, and has the
// values that this gives.
func gives(it *memory.Item, w *review.Pending) bool {
	said := func(prompt string) bool { return slices.Contains(w.Item.Metadata.Evidence, prompt) }
	values, _ := terms.Specifics(w.Item.Content)
	has, _ := terms.Specifics(it.Content)
	missing := func(v string) bool {
		return !slices.ContainsFunc(has, func(o string) bool { return terms.SameValue(v, o) })
	}
	return slices.ContainsFunc(it.Metadata.Evidence, said) && len(values) > 0 && !slices.ContainsFunc(values, missing)
}
