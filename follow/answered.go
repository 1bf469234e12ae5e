package follow

import (
	"slices"

	"orihon/internal/extract"
	"orihon/internal/learn"
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
