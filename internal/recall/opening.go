package recall

import (
	"context"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

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
	// Seen reports whether a standing statement stands in the window already,
	// unchanged; nil means that none does.
	Seen func(passageID, hash string) bool

	MaxTokens int // 0 means 2,000
	MaxChars  int // 0 is no bound
}

// Opened is the text of an opening.
type Opened struct {
	Text   string
	Tokens int
	// Applied are the standing statements in Text.
	Applied []memory.Passage
}

// Begin words the opening of a session: what always applies (preferences and
// standing instructions, which no search finds, since they do not resemble any
// question), the core file, and after a compaction where the session stands.
// Each part is cut to its share of the budget. Sources that fail are left out.
func (e *Engine) Begin(ctx context.Context, o Opening) (Opened, error) {
	budget := o.MaxTokens
	if budget == 0 {
		budget = 2000
	}
	w := wordingFor(o.Language)
	v := view{wording: w, today: e.now(), sources: !e.set.HideSources, committer: e.committer}
	var out Opened
	var sections []section
	fits := func(next section) bool {
		text, n := frame(w, append(slices.Clip(sections), next))
		return n <= budget && (o.MaxChars == 0 || characters(text) <= o.MaxChars)
	}
	add := func(title, text string, share float64) {
		fitting(inert.Text(strings.TrimSpace(text)), int(share*float64(budget)), func(cut string) bool {
			next := section{title: title, lines: []string{cut}}
			if !fits(next) {
				return false
			}
			sections = append(sections, next)
			return true
		})
	}

	add(w.brief, o.Brief, 0.6)
	standing := section{title: w.always}
	for _, p := range e.standing(ctx, o.Viewer) {
		if o.Seen != nil && o.Seen(p.ID, Hash(&p)) {
			continue
		}
		next := standing
		next.lines = append(slices.Clip(standing.lines), v.line(&memory.Hit{Passage: p}))
		if fits(next) {
			standing = next
			out.Applied = append(out.Applied, p)
		}
	}
	if len(standing.lines) > 0 {
		sections = append(sections, standing)
	}
	add(w.core, o.Core, 0.5)
	var notices section
	for _, n := range o.Notes {
		next := section{lines: append(slices.Clip(notices.lines), inert.Text(n))}
		if fits(next) {
			notices = next
		}
	}
	if len(notices.lines) > 0 {
		sections = append(sections, notices)
	}
	if len(sections) > 0 {
		out.Text, out.Tokens = frame(w, sections)
	}
	return out, ctx.Err()
}

// mostStanding bounds the statements that every session pays for.
const mostStanding = 20

// standing returns what applies without being asked for: preferences and
// standing instructions believed strongly enough, most confident first.
func (e *Engine) standing(ctx context.Context, viewer memory.Viewer) []memory.Passage {
	var all []memory.Passage
	for _, src := range e.sources {
		found, err := src.Index.Fetch(ctx, memory.Filter{
			Scopes: viewer.Scopes(), Topics: []memory.Topic{memory.Preference}, MinConfidence: memory.ApplyConfidence,
			AsOf: e.now(), Present: true, NoTurns: true,
		})
		if err != nil {
			e.log.Warn("opening: standing statements left out", "source", src.Name, "err", err)
			continue
		}
		all = append(all, found...)
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := &all[i].Item.Metadata, &all[j].Item.Metadata
		if a.Confidence != b.Confidence {
			return a.Confidence > b.Confidence
		}
		if !a.CreatedAt.Equal(b.CreatedAt) {
			return a.CreatedAt.After(b.CreatedAt)
		}
		return all[i].ID < all[j].ID
	})
	const longest = 400 // characters; longer text is no standing instruction
	kept := all[:0]
	for _, p := range all {
		if utf8.RuneCountInString(p.Item.Content) <= longest && len(kept) < mostStanding {
			kept = append(kept, p)
		}
	}
	return kept
}
