// Package recall reads memory: given a prompt it returns the few passages
// worth the reader's tokens, says why each is there, and never makes the
// caller worse off.
//
// It decides what is relevant; package wording says it. It does not know how
// candidates are found (a [memory.Index] does) nor what a session has seen
// (the caller says so in [memory.Query]), and it writes nothing.
//
// Start with [Engine.Recall]; its stages stand in files of their own, in the
// order they run: parse, gather, rank (which fuses first), pack.
package recall

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"orihon/internal/asks"
	"orihon/internal/terms"
	"orihon/internal/wording"
	"orihon/memory"
)

// Engine recalls from one or more indexes. It is safe for use by several
// goroutines as far as its sources are.
type Engine struct {
	sources []Source
	core    func(context.Context) (string, error)
	down    func(context.Context) []memory.Item
	odds    func(context.Context) []Pair
	style   wording.Style
	failed  []string
	set     Settings
	now     func() time.Time
	log     *slog.Logger
}

// Source is one home's index.
type Source struct {
	Name  string // "project", "user": names the source when it fails
	Index memory.Index
	// Files says that it holds the project's files, which are searched for by the
	// prompt's own words alone: code is full of words that mean about the same.
	Files bool
}

// Options of [New].
type Options struct {
	// Core returns the text of MEMORY.md, the last resort when every index
	// fails; nil means there is none.
	Core func(context.Context) (string, error)
	// TurnedDown returns the statements that a person did not want kept: what says them
	// again is not told. nil when there are none.
	TurnedDown func(context.Context) []memory.Item
	// AtOdds returns the pairs of statements of which one may have replaced the other, as
	// a person is still to decide. nil when there are none.
	AtOdds func(context.Context) []Pair
	// Committer says who committed a file of the repository last, by the source
	// of its passages; nil when nobody knows.
	Committer func(source string) string
	// Fresh says what is known of a file of the project since a time; nil when nobody
	// knows.
	Fresh func(file string, since time.Time) memory.Freshness
	// Failed names the sources that could not even be opened.
	Failed   []string
	Settings Settings         // zero fields take the defaults
	Now      func() time.Time // required
	Logger   *slog.Logger     // nil discards
}

// New returns an engine over the sources, which stay the caller's to close.
func New(o *Options, sources ...Source) *Engine {
	e := &Engine{
		sources: sources, core: o.Core, down: o.TurnedDown, odds: o.AtOdds, failed: o.Failed, set: o.Settings.withDefaults(), now: o.Now, log: o.Logger,
		style: wording.Style{Now: o.Now, HideSources: o.Settings.HideSources, Committer: o.Committer, Fresh: o.Fresh},
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	return e
}

// Sources are those that it reads.
func (e *Engine) Sources() []Source { return e.sources }

// Style is how it tells what it finds.
func (e *Engine) Style() *wording.Style { return &e.style }

// scriptOf is the Chinese script of what is to be shown: that of a prompt that does not
// tell its own; empty where it does not tell either.
func scriptOf(hits []memory.Hit) string {
	var shown strings.Builder
	for i := range hits {
		if hits[i].Kept {
			shown.WriteString(hits[i].Passage.Item.Content + "\n")
		}
	}
	return terms.Script(shown.String())
}

// Settings are its own, with their defaults.
func (e *Engine) Settings() *Settings { return &e.set }

// Logger is where it says what it left out.
func (e *Engine) Logger() *slog.Logger { return e.log }

// Recall runs the stages. It returns an error only when ctx ends: whatever
// else fails is left out and named in Degraded.
func (e *Engine) Recall(ctx context.Context, q memory.Query) (*memory.Recollection, error) {
	start := e.now()
	p := parse(&q, &e.set, e.now())
	r := &memory.Recollection{Terms: p.own(), Intent: string(p.intent), Language: p.language}
	if e.lookBack(ctx, &q, p, r) {
		r.Took = e.now().Sub(start)
		return r, ctx.Err()
	}
	if p.empty() {
		return r, ctx.Err()
	}
	e.spell(ctx, p)
	pools := e.gather(ctx, &q, p, r)
	if err := ctx.Err(); err != nil {
		return r, err
	}
	r.Terms = rarestFirst(p.own(), pools)
	var hits []memory.Hit
	for _, pool := range pools {
		if more := e.fuse(&q, p, pool); len(hits) == 0 {
			hits = more
		} else {
			hits = append(hits, more...)
		}
	}
	p.bringAlong(hits)
	hits, twins := e.rank(ctx, &q, p, hits)
	e.admit(&q, p, hits, r)
	fewOfEach(hits)
	hits = e.requests(ctx, &q, p, hits)
	e.overtaken(&q, hits)
	e.later(&q, p, hits)
	hits = e.disputed(ctx, &q, p, hits)
	e.beside(&q, hits)
	e.nearest(&q, p, hits)
	r.Near = near(hits)
	retold(hits, (*memory.Passage).Conversation)
	summed(&q, hits)
	if q.Language == "" {
		p.language = terms.LangLike(p.text, scriptOf(hits))
		r.Language = p.language
	}
	e.pack(&q, p, hits, r)
	if q.Explain {
		r.Dropped = append(r.Dropped, twins...)
	}
	r.Blind = slices.ContainsFunc(pools, func(p pool) bool { return p.candidates.N > 0 }) && !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Trigger || h.Relevance >= r.Threshold }) && !slices.ContainsFunc(pools, func(pool pool) bool { return pool.holds(len(p.own())) })
	r.Unheard = slices.DeleteFunc(slices.Clone(p.own()), func(t string) bool {
		i := slices.Index(p.terms, t)
		return slices.ContainsFunc(pools, func(p pool) bool { return p.heard(i) })
	})
	r.Took = e.now().Sub(start)
	return r, ctx.Err()
}

// heard reports whether a pool knows the i-th term: many passages hold it, or one that
// does more than ask.
func (p *pool) heard(i int) bool {
	const few = 20
	c := &p.candidates
	switch {
	case i >= len(c.DF) || c.DF[i] == 0:
		return false
	case c.DF[i] > few:
		return true
	}
	return slices.ContainsFunc(c.Hits, func(h memory.Candidate) bool {
		return i < len(h.Matched) && h.Matched[i] > 0 && !(h.Passage.Conversation() && asks.Only(h.Passage.Item.Content))
	})
}

// near are the statements that the user said or accepted among hits and that hold now, as
// they rank: so many of their own, and so many that are shared.
func near(hits []memory.Hit) (out []memory.Passage) {
	const most = 8
	left := map[bool]int{true: most, false: most}
	for i := range hits {
		p := &hits[i].Passage
		own := p.Item.Scope.Private()
		if p.Population != memory.Statements || p.SupersededBy != "" || left[own] == 0 || !own && (p.Item.Scope != memory.Shared || p.Item.Metadata.Source == memory.FromRepository) {
			continue
		}
		left[own]--
		out = append(out, *p)
	}
	return out
}

// holds reports whether a pool has the first own words of the prompt, in a passage
// or beside it: a word that is only near says nothing of whether memory knows.
func (p *pool) holds(own int) bool {
	return slices.ContainsFunc(p.candidates.Hits, func(c memory.Candidate) bool {
		return c.Own == 0 && c.Near > 0 || slices.ContainsFunc(c.Matched[:min(own, len(c.Matched))], func(n int) bool { return n > 0 })
	})
}
