package recall

import (
	"context"
	"slices"
	"strings"

	"orihon/internal/terms"
	"orihon/memory"
)

// How much the answer holds at most.
const (
	lastSessions   = 2 // whose episodes are told where no time is named
	mostSessions   = 5 // the same of a time that is named
	mostEpisodes   = 8
	ofSession      = 3 // the last of each
	mostStatements = 8 // that were noted then
)

// lookBack answers a prompt about the past that has no topic: with what the
// sessions of the time it names were about, or else the last ones. It reports
// false for any other prompt, and where no source can be read. Who wants all of
// memory ranked gets it in the order of that time.
func (e *Engine) lookBack(ctx context.Context, q *memory.Query, p *parsed, r *memory.Recollection) bool {
	if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, memory.Episodic) {
		return false
	}
	how, span := lookBack(q.Text, e.now())
	if how > Forward && !span.To.IsZero() {
		p.terms, p.weight, p.alike, p.covers = nil, nil, nil, nil // of the time alone is there something to find
	}
	if how == Forward || q.Threshold < 0 {
		return false
	}
	l := past{Engine: e, q: q, filter: e.filter(q, p), failed: make(map[string]bool)}
	l.filter.Superseded = false
	l.gone = l.withdrawn(ctx)
	found := l.of(ctx, span)
	if len(l.failed)+len(e.failed) > 0 && len(found) == 0 {
		return false
	}
	for _, src := range e.sources {
		if l.failed[src.Name] {
			r.Degraded = append(r.Degraded, src.Name)
		}
	}
	r.Degraded = append(r.Degraded, e.failed...)
	hits := make([]memory.Hit, len(found))
	for i := range found {
		hits[i] = memory.Hit{Passage: found[i], Hash: Hash(&found[i]), Relevance: 1, Score: 1, Activation: memory.NoActivation}
	}
	e.admit(q, p, hits, r)
	retold(hits, func(p *memory.Passage) bool { return p.Item.Kind != memory.Episodic })
	e.pack(q, p, hits, r)
	for i := range r.Hits {
		r.Hits[i].Why = "of the time that is asked for"
	}
	r.Intent, r.Terms = string(Recalling), nil
	return true
}

// retold leaves out those of some hits that an episode of the same session,
// itself among the hits, tells word for word.
func retold(hits []memory.Hit, some func(*memory.Passage) bool) {
	var episodes []*memory.Hit
	for i := range hits {
		if h := &hits[i]; h.Kept && h.Passage.Item.Kind == memory.Episodic {
			episodes = append(episodes, h)
		}
	}
	for i := range hits {
		h := &hits[i]
		if !h.Kept || !some(&h.Passage) {
			continue
		}
		text := strings.TrimSpace(h.Passage.Item.Content)
		for _, e := range episodes {
			if e.Passage.Item.Metadata.Session == h.Passage.Item.Metadata.Session && strings.Contains(e.Passage.Item.Content, text) {
				h.Kept, h.Why = false, "told by "+e.Passage.ID
				break
			}
		}
	}
}

// past is one look at what happened.
type past struct {
	*Engine
	q      *memory.Query
	filter memory.Filter
	failed map[string]bool
	gone   []*withdrawn // what was forgotten or turned down
}

// withdrawn is what a person does not want told: the latest that was forgotten, and what
// was turned down.
func (l *past) withdrawn(ctx context.Context) (out []*withdrawn) {
	const looked = 200
	all, every := *l, *l.q
	all.filter.Retired, every.Kinds, all.q = true, nil, &every
	for _, p := range all.newest(ctx, memory.Span{}, looked, memory.Semantic, memory.Procedural) {
		if p.Retired {
			out = append(out, withdraws(&p.Item))
		}
	}
	if l.down != nil {
		down := l.down(ctx)
		for i := range down {
			out = append(out, withdraws(&down[i]))
		}
	}
	return out
}

// of returns the episodes of a time, newest first, and what was noted then; of
// no time in particular, the last episodes. What was said stands for episodes
// that were not written: of sessions that were broken off, or only talked.
func (l *past) of(ctx context.Context, span memory.Span) []memory.Passage {
	if span.To.IsZero() {
		return l.last(ctx, span)
	}
	found := l.episodes(ctx, span, mostSessions)
	found = append(found, l.newest(ctx, span, mostStatements, memory.Semantic, memory.Procedural)...)
	if len(found) == 0 {
		found = l.turns(ctx, span)
	}
	if len(found) == 0 {
		// Nothing happened then: this is how things stood.
		found = l.last(ctx, memory.Span{To: span.To})
		found = found[:min(len(found), 1)]
	}
	return found
}

// last returns the last episodes, or what was said in a session after them.
func (l *past) last(ctx context.Context, span memory.Span) []memory.Passage {
	episodes, said := l.episodes(ctx, span, lastSessions), l.turns(ctx, span)
	if len(episodes) == 0 {
		return said
	}
	answered := slices.ContainsFunc(said, func(p memory.Passage) bool { return p.Population == memory.AgentTurns })
	if !answered || !said[len(said)-1].Item.Metadata.CreatedAt.After(episodes[0].Item.Metadata.CreatedAt) ||
		slices.ContainsFunc(episodes, func(p memory.Passage) bool { return p.Item.Metadata.Session == said[0].Item.Metadata.Session }) {
		return episodes
	}
	return append(said, episodes[0])
}

// episodes are the last ones of some sessions, newest first. Those of the session
// that asks are left out: they stand in its window.
func (l *past) episodes(ctx context.Context, span memory.Span, sessions int) []memory.Passage {
	const looked = 200 // a session may have dozens
	told := make(map[string]int)
	return slices.DeleteFunc(l.newest(ctx, span, looked, memory.Episodic), func(p memory.Passage) bool {
		of := p.Item.Metadata.Session
		if of == "" {
			of = p.ID
		}
		all := 0
		for _, n := range told {
			all += n
		}
		if l.q.Session != "" && of == l.q.Session || all == mostEpisodes || told[of] == ofSession || told[of] == 0 && len(told) == sessions {
			return true
		}
		told[of]++
		return false
	})
}

// turns are the last ones of the last session that was recorded, in the order
// they were said; those that only look back themselves are left out.
func (l *past) turns(ctx context.Context, span memory.Span) []memory.Passage {
	const looked, most = 40, 4
	if l.filter.NoTurns {
		return nil
	}
	var out []memory.Passage
	for _, p := range l.newest(ctx, span, looked, memory.Note) {
		if !p.Conversation() || p.Interim() || len(terms.Query(p.Item.Content)) == 0 || LooksBack(p.Item.Content, p.Item.Metadata.CreatedAt) != Forward {
			continue
		}
		if len(out) < most && (len(out) == 0 || out[0].Item.Metadata.Session == p.Item.Metadata.Session) {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// withdrew reports a turn or an episode that tells what was withdrawn.
func (l *past) withdrew(p *memory.Passage) bool {
	if len(l.gone) == 0 || !p.Conversation() && p.Item.Kind != memory.Episodic {
		return false
	}
	return slices.ContainsFunc(l.gone, statingOf(p).tells)
}

// newest returns up to n passages of some kinds that were created in a time,
// newest first, from all sources, but for what was withdrawn.
func (l *past) newest(ctx context.Context, span memory.Span, n int, kinds ...memory.Kind) []memory.Passage {
	f := l.filter
	if len(l.q.Kinds) > 0 {
		kinds = slices.DeleteFunc(kinds, func(k memory.Kind) bool { return !slices.Contains(l.q.Kinds, k) })
		if len(kinds) == 0 {
			return nil
		}
	}
	f.Kinds = kinds
	if !slices.Contains(kinds, memory.Semantic) {
		// What the user's sessions did is told by what they wrote themselves:
		// a file of the repository may name any time.
		f.Scopes = slices.DeleteFunc(slices.Clone(f.Scopes), func(s memory.Scope) bool { return !s.Private() })
	}
	f.NoTurns = f.NoTurns || !slices.Contains(kinds, memory.Note)
	if span.From.After(f.Since) {
		f.Since = span.From
	}
	if last := span.To.Add(-1); !span.To.IsZero() && (f.Until.IsZero() || last.Before(f.Until)) {
		f.Until = last
	}
	var out []memory.Passage
	for _, src := range l.sources {
		var found []memory.Passage
		var err error
		if x, ok := src.Index.(memory.Recent); ok {
			found, err = x.Newest(ctx, f, n)
		} else {
			found, err = src.Index.Fetch(ctx, f)
		}
		if err != nil {
			l.log.Warn("recall: what happened is left out", "source", src.Name, "err", err)
			l.failed[src.Name] = true
			continue
		}
		out = append(out, slices.DeleteFunc(found, func(p memory.Passage) bool {
			return p.Item.Metadata.Source == memory.FromRepository || l.withdrew(&p)
		})...)
	}
	slices.SortStableFunc(out, func(a, b memory.Passage) int {
		return b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt)
	})
	return out[:min(len(out), n)]
}
