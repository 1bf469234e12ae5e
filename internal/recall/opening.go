package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"orihon/internal/inert"
	"orihon/memory"
)

// Opening is what a session begins with, or goes on with after its context was
// compacted.
type Opening struct {
	Viewer   memory.Viewer
	Language string   // "en", "zh-Hant" or "zh-Hans"; empty is "en"
	Core     string   // text of MEMORY.md
	Brief    string   // where the session stands; only after a compaction
	Notes    []string // one-line notices about the memory itself
	// Work is what is worked at, the branch for one. What lies near it, or near what
	// was done last, is told first.
	Work string
	// Seen reports whether a statement stands in the window already, unchanged;
	// nil means that none does.
	Seen func(passageID, hash string) bool

	MaxTokens int // of all; 0 means 2,500
	// KnownTokens bound what is worth knowing with all that stands beside it; 0
	// means 2,500, less leaves it out.
	KnownTokens int
	MaxChars    int // 0 is no bound
}

// Opened is the text of an opening.
type Opened struct {
	Text   string
	Tokens int
	// Applied are the statements in Text.
	Applied []memory.Passage
}

// Begin words the opening of a session: what is most worth knowing, the core file,
// and after a compaction where the session stands. Each part is cut to its share of
// the budget. Sources that fail are left out.
func (e *Engine) Begin(ctx context.Context, o Opening) (Opened, error) {
	budget := cmp.Or(o.MaxTokens, startTokens)
	w := wordingFor(o.Language)
	v := &view{wording: w, today: e.now(), sources: !e.set.HideSources, committer: e.committer}
	var out Opened
	var first, last []section
	fits := func(next ...section) bool {
		text, n := frame(w, slices.Concat(first, last, next))
		return n <= budget && (o.MaxChars == 0 || characters(text) <= o.MaxChars)
	}
	add := func(to *[]section, title, text string, share float64) {
		fitting(inert.Text(strings.TrimSpace(text)), int(share*float64(budget)), func(cut string) bool {
			next := section{title: title, lines: []string{cut}}
			if !fits(next) {
				return false
			}
			*to = append(*to, next)
			return true
		})
	}
	add(&first, w.brief, o.Brief, 0.6)
	add(&last, w.core, o.Core, 0.4)
	var notices section
	for _, n := range o.Notes {
		next := section{lines: append(slices.Clip(notices.lines), inert.Text(n))}
		if fits(next) {
			notices = next
		}
	}
	if len(notices.lines) > 0 {
		last = append(last, notices)
	}
	around, _ := frame(w, slices.Concat(first, last))
	var known []section
	known, out.Applied = e.block(ctx, &o, v, room{tokens: min(budget, cmp.Or(o.KnownTokens, startTokens)), characters: o.MaxChars}, costOf(around))
	if all := slices.Concat(first, known, last); len(all) > 0 {
		out.Text, out.Tokens = frame(w, all)
	}
	return out, ctx.Err()
}

// startTokens is what a session begins with at most, in tokens, if nothing else is
// said.
const startTokens = 2500
