package recall

import (
	"context"
	"slices"

	"orihon/internal/terms"
	"orihon/memory"
)

// spell adds, for words of the prompt that no source knows, the one that each is
// likely to be meant for. What is pasted is not mistyped.
func (e *Engine) spell(ctx context.Context, p *parsed) {
	const weight, cover = 0.8, 0.6
	own := p.own()
	if p.first > 0 {
		own = own[:min(p.first, len(own))]
	} else if pastedIn(p.text) {
		return
	}
	typed := slices.DeleteFunc(slices.Clone(own), func(t string) bool { return terms.Slips(t) == 0 || terms.Common(t) })
	if len(typed) == 0 {
		return
	}
	meant := make(map[string][]string, len(typed)) // what the sources say
	for _, src := range e.sources {
		x, ok := src.Index.(memory.Speller)
		if !ok || src.Files {
			continue
		}
		found, err := x.Spelled(ctx, typed)
		if err != nil {
			e.log.Warn("recall: words are taken as they are typed", "source", src.Name, "err", err)
			return
		}
		for w, known := range found {
			if !slices.Contains(meant[w], known) {
				meant[w] = append(meant[w], known)
			}
		}
	}
	for _, w := range typed {
		if one := meant[w]; len(one) == 1 && !slices.Contains(p.terms, one[0]) {
			p.means(slices.Index(p.terms, w), one[0], weight, cover)
		}
	}
}
