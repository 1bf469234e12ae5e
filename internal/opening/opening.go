package opening

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/inert"
	"orihon/internal/recall"
	"orihon/internal/wording"
	"orihon/memory"
)

// Options say what a session begins with, or goes on with after its context was
// compacted.
type Options struct {
	Viewer   memory.Viewer
	Language string         // "en", "zh-Hant" or "zh-Hans"; empty is that of the statements
	Core     string         // text of MEMORY.md
	Brief    string         // where the session stands; only after a compaction
	Notes    []string       // one-line notices about the memory itself
	Habits   []memory.Habit // that apply by themselves
	// Work is what is worked at, the branch for one. What lies near it, or near what
	// was done last, is told first.
	Work  string
	Heard Heard // what the user said by the way and nobody has confirmed
	// Tool is what the agent calls to search memory itself; empty means that it has to
	// run the command.
	Tool string
	// Scopes are those that are told; none are all that the viewer sees.
	Scopes []memory.Scope
	// Lasting words the opening for a file: it changes with what memory holds, not
	// with the day, the work at hand and the zone of whoever writes it.
	Lasting bool
	// Stands is text that stands before the agent already, line by line as a
	// lasting opening tells it: it is not told again.
	Stands string
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
	// Applied are the statements in Text, Standing those that were left out of it
	// because they stand before the agent already.
	Applied, Standing []memory.Passage
	Habits            []memory.Habit // those in Text
	Heard             []memory.Item  // what is in Text of what nobody has confirmed
}

// Begin words the opening of a session: what is most worth knowing, the core file,
// and after a compaction where the session stands. Each part is cut to its share of
// the budget. Sources that fail are left out.
func Begin(ctx context.Context, e *recall.Engine, o Options) (Opened, error) {
	budget := cmp.Or(o.MaxTokens, startTokens)
	if o.Scopes == nil {
		o.Scopes = o.Viewer.Scopes()
	}
	var worthy []worthy
	if o.KnownTokens >= 0 {
		worthy = candidates(ctx, e, &o)
	}
	v := &view{View: e.Style().In(cmp.Or(o.Language, languageOf(worthy, o.Heard.Items)))}
	v.Tool = o.Tool
	w := v.Words
	if o.Lasting {
		v = v.lasting()
	}
	var out Opened
	var first, last []wording.Section
	fits := func(next ...wording.Section) bool {
		text, n := wording.Frame(w, slices.Concat(first, last, next))
		return n <= budget && (o.MaxChars == 0 || wording.Characters(text) <= o.MaxChars)
	}
	add := func(to *[]wording.Section, title, text string, share float64) {
		wording.Fitting(inert.Text(strings.TrimSpace(text)), int(share*float64(budget)), func(cut string) bool {
			next := wording.Section{Title: title, Lines: []string{cut}}
			if !fits(next) {
				return false
			}
			*to = append(*to, next)
			return true
		})
	}
	add(&first, w.Brief, o.Brief, 0.6)
	add(&last, w.Core, o.Core, 0.4)
	var notices wording.Section
	for _, n := range o.Notes {
		next := wording.Section{Lines: append(slices.Clip(notices.Lines), inert.Text(n))}
		if fits(next) {
			notices = next
		}
	}
	if len(notices.Lines) > 0 {
		last = append(last, notices)
	}
	around, _ := wording.Frame(w, slices.Concat(first, last))
	var known []wording.Section
	worthy, out.Standing = v.fresh(worthy, o.Stands)
	heard := v.lines(&o, worthy)
	room := wording.Room{Tokens: min(budget, cmp.Or(o.KnownTokens, startTokens)), Characters: o.MaxChars}
	for n := len(heard.lines); ; n = n * 3 / 4 {
		v.heard = told{items: heard.items[:n], lines: heard.lines[:n]}
		known, out.Applied = v.block(worthy, room, wording.CostOf(around+v.Words.Heard+strings.Join(v.heard.lines, "\n")))
		if out.Heard = v.heard.items; n == 0 || fits(known...) {
			break
		}
	}
	var habits []wording.Section
	habits, out.Habits = v.Habits(o.Habits, slices.Concat(out.Applied, out.Standing), func(next []wording.Section) bool {
		text, n := wording.Frame(w, slices.Concat(first, known, next, last))
		return n <= budget && (o.MaxChars == 0 || wording.Characters(text) <= o.MaxChars)
	})
	// Who is told all statements is told of the episodes, too; else the line about the
	// rest says how to ask. What is resumed or compacted has had it.
	if o.KnownTokens >= 0 && !o.Lasting && o.Seen == nil && o.Brief == "" && len(out.Applied) == len(worthy) && episodes(ctx, e, &o) {
		next := wording.Section{Lines: []string{fmt.Sprintf(w.Untold, v.ask())}}
		if fits(slices.Concat(known, habits, []wording.Section{next})...) {
			last = append(last, next)
		}
	}
	if all := slices.Concat(first, known, habits, last); len(all) > 0 {
		out.Text, out.Tokens = wording.Frame(w, all)
	}
	return out, ctx.Err()
}

// startTokens is what a session begins with at most, in tokens, if nothing else is
// said.
const startTokens = 2500

// Lookup words lines that lead from words to what is known of them, for a file;
// it is empty without any.
func Lookup(language string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	w := wording.For(language)
	all := wording.Section{Title: w.Lookup}
	for _, l := range lines {
		all.Lines = append(all.Lines, "- "+inert.Line(l))
	}
	text, _ := wording.Frame(w, []wording.Section{all})
	return text
}
