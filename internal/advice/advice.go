package advice

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"orihon/internal/recall"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/internal/wording"
	"orihon/memory"
)

// Doing is what an agent is about to do, or what has just failed.
type Doing struct {
	Viewer      memory.Viewer
	Language    string         // of the wording; empty is that of what is found
	Commands    [][]string     // the words of each command
	Files       []string       // paths, below the project where they lie there
	Task        string         // what a sub-agent is to do, in words
	About       string         // what the agent says of it
	Gone, Added string         // what an edit takes away and what it writes
	Error       string         // what came of it
	Habits      []memory.Habit // that fit it, the surest first
	// Seen reports whether a passage stands in the window already, unchanged; nil
	// means that none does.
	Seen func(passageID, hash string) bool
}

// Advice is what memory knows about something that is done.
type Advice struct {
	Text     string // empty for nothing
	Tokens   int
	Passages []memory.Passage // those in Text
	Habits   []memory.Habit   // of those that fit, the ones in Text
}

// MaxTokens bounds an [Advice], in tokens.
const MaxTokens = 150

// Tells reports whether what is done holds anything that memory could be asked
// about: everyday words alone do not.
func (d *Doing) Tells() bool { return d.clues().told }

// On says what memory knows about exactly this command, path, symbol or error:
// what is confidently known, holds now, and was not written by strangers. A
// coincidence of words is nothing. Sources that fail are left out.
func On(ctx context.Context, e *recall.Engine, d *Doing) (Advice, error) {
	c := d.clues()
	words := c.terms()
	var all []weighed
	if len(words) == 0 && len(d.Habits) == 0 {
		return Advice{}, ctx.Err()
	}
	for _, src := range e.Sources() {
		if len(words) == 0 {
			break
		}
		found, err := weigh(ctx, src, e.Style().Now(), d, c, words)
		if err != nil {
			e.Logger().Warn("action: source left out", "source", src.Name, "err", err)
			continue
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.passage.ID, b.passage.ID))
	})
	const most = 2     // passages
	const second = 0.8 // of the worth of the first
	var out Advice
	for i := range all[:min(len(all), most)] {
		if all[i].worth >= second*all[0].worth {
			out.tell(e.Style(), d, all[i].passage)
		}
	}
	out.tellHabits(e.Style(), d)
	return out, ctx.Err()
}

// tellHabits adds habits to an advice as far as there is room.
func (a *Advice) tellHabits(style *wording.Style, d *Doing) {
	if len(d.Habits) == 0 {
		return
	}
	language := cmp.Or(d.Language, terms.Lang(d.Habits[0].Text))
	v := style.In(language)
	var lines []string
	for i := range a.Passages {
		lines = append(lines, v.Line(&memory.Hit{Passage: a.Passages[i]}))
	}
	if len(lines) > 0 && len(a.Text) > 0 && !strings.Contains(a.Text, lines[0]) {
		return // the first was cut: there is no room
	}
	for i := range d.Habits {
		h := &d.Habits[i]
		if slices.ContainsFunc(a.Passages, func(p memory.Passage) bool { return wording.Tells(&p, h) }) {
			continue
		}
		text, n := framed(v, append(slices.Clip(lines), v.Habit(h)))
		if n > MaxTokens {
			continue
		}
		lines = append(lines, v.Habit(h))
		a.Text, a.Tokens, a.Habits = text, n, append(a.Habits, *h)
	}
}

// weighed is a passage and how much of what is done stands in it.
type weighed struct {
	passage memory.Passage
	worth   float64
}

// weigh finds the passages of a source that bear on what is done.
func weigh(ctx context.Context, src recall.Source, now time.Time, d *Doing, c *clues, words []string) ([]weighed, error) {
	const mostTerms, candidates = 32, 40
	found, err := src.Index.Search(ctx, memory.Search{
		Terms: words, MaxTerms: mostTerms, Limit: candidates,
		Filter: memory.Filter{
			Scopes: d.Viewer.Scopes(), Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, MinConfidence: memory.InjectConfidence,
			AsOf: now, Present: true, NoTurns: true,
		},
	})
	if err != nil {
		return nil, err
	}
	var out []weighed
	rare := rarities(words, &found)
	for i := range found.Hits {
		h := &found.Hits[i]
		p := &h.Passage
		if foreign(p) || !d.returns(p) || d.Seen != nil && d.Seen(p.ID, recall.Hash(p)) {
			continue
		}
		if worth := c.worth(h, words, rare); worth >= needed(p) {
			out = append(out, weighed{*p, worth})
		}
	}
	return out, nil
}

// returns reports whether a passage is sure enough to be told without being asked
// for: what applies, and what the user said by the way. What failed before is believed less, and is told when the same returns: its
// error, or the very command that was found to be written wrongly.
func (d *Doing) returns(p *memory.Passage) bool {
	what := p.Item.FailedAt()
	if what == "" {
		return p.Item.Metadata.Confidence >= memory.ApplyConfidence || slices.Contains(p.Item.Metadata.Tags, memory.NoticedTag)
	}
	text := strings.ToLower(p.Item.Content)
	if d.Error != "" {
		return d.sameError(text)
	}
	for _, words := range d.Commands {
		if failed, _, ok := strings.Cut(strings.TrimPrefix(text, "`"), "` "); ok && slices.Contains(p.Item.Metadata.Tags, "rewrite") && strings.Contains(failed, strings.ToLower(strings.Join(words, " "))) {
			return true
		}
	}
	return false
}

// sameError reports whether a failure says what the error says, most of its rarer
// words at least.
func (d *Doing) sameError(failure string) bool {
	const share = 0.6
	_, said, ok := strings.Cut(failure, "(")
	if !ok {
		_, said, ok = strings.Cut(failure, "（")
	}
	end := max(strings.LastIndex(said, "); "), strings.LastIndex(said, "）"))
	if !ok || end <= 0 {
		return false
	}
	has := make(map[string]bool)
	for _, t := range terms.Index(clipped(d.Error)) {
		has[t] = true
	}
	all, same := 0, 0
	for _, t := range terms.Query(strings.TrimRight(said[:end], "… ")) {
		if number(t) {
			continue
		}
		if all++; has[t] {
			same++
		}
	}
	return all > 0 && float64(same) >= share*float64(all)
}

// foreign reports text that somebody else wrote and the person has not made
// their own.
func foreign(p *memory.Passage) bool {
	s := p.Item.Metadata.Source
	return s == memory.FromRepository || s == memory.Imported
}

// needed is the worth from which a passage is given. Most of what people tell
// has the topic of a plain fact, which says nothing against it.
func needed(p *memory.Passage) float64 {
	switch p.Item.Topic {
	case memory.Procedure, memory.Pitfall, memory.Decision, memory.Preference:
		return enoughRule
	}
	return enough
}

// tell adds a passage as far as there is room for it. The first one is cut rather
// than left out: what it says is what counts.
func (a *Advice) tell(style *wording.Style, d *Doing, p memory.Passage) {
	language := cmp.Or(d.Language, terms.Lang(p.Item.Content))
	v := style.In(language)
	lines := make([]string, 0, len(a.Passages)+1)
	for i := range a.Passages {
		lines = append(lines, v.Line(&memory.Hit{Passage: a.Passages[i]}))
	}
	shown := p
	for room := MaxTokens; room > 0; room -= 10 {
		text, n := framed(v, append(slices.Clip(lines), v.Line(&memory.Hit{Passage: shown})))
		if n <= MaxTokens {
			a.Text, a.Tokens, a.Passages = text, n, append(a.Passages, p)
			return
		}
		if len(lines) > 0 {
			return
		}
		shown.Item.Content = tokens.Fit(p.Item.Content, room) + "…"
	}
}

// framed puts lines between the marks in few words: every token counts here.
func framed(v *wording.View, lines []string) (string, int) {
	text := wording.OpenMark + "\n" + v.Words.Acting + "\n" + strings.Join(lines, "\n") + "\n" + v.Words.Data + "\n" + wording.CloseMark
	return text, tokens.Estimate(text)
}
