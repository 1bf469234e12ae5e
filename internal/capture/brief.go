package capture

import (
	"slices"

	"orihon/internal/terms"
)

// Bounds of [OpenItems].
const (
	lastAnswers = 3 // of which open items are taken
	maxOpen     = 10
)

// OpenItems are what the last answer that looks ahead says is still to be done,
// at most ten items, each on one line. Only the last three answers count: what
// older ones left open was done or given up.
func OpenItems(answers []string) []string {
	for _, a := range slices.Backward(answers[max(0, len(answers)-lastAnswers):]) {
		if items := openItems(a); len(items) > 0 {
			return items[:min(len(items), maxOpen)]
		}
	}
	return nil
}

// Instructions are the instructions in prompts, as [Explicit] finds them, oldest
// first, each where it was last given. They are whole: half of one may say the
// opposite.
func Instructions(prompts []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range slices.Backward(prompts) {
		for _, stated := range slices.Backward(Explicit(p)) {
			s := oneLine(stated.Text)
			if key := terms.Fold(s); s != "" && !seen[key] {
				seen[key] = true
				out = append(out, s)
			}
		}
	}
	slices.Reverse(out)
	return out
}
