package recall

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"orihon/internal/inert"
	"orihon/internal/wording"
	"orihon/memory"
)

// pool is what one source offers. Statistics of two homes differ, so each
// pool is fused and made relevant by itself before they are merged.
type pool struct {
	source     Source
	candidates memory.Candidates
}

// deeper is how many times as many passages are compared with a prompt that asks about
// the past, where turns are among them.
const deeper = 5

// gather asks all sources at once. A source that fails is left out and named;
// when all do, the core file alone is the result.
func (e *Engine) gather(ctx context.Context, q *memory.Query, p *parsed, r *memory.Recollection) []pool {
	s := memory.Search{Terms: p.terms, Weights: p.weight, Alike: p.alike, Text: p.text, Times: p.spans(e.now()), Filter: e.filter(q, p), Limit: e.set.Candidates, First: p.first, MaxTerms: p.mostTerms(&e.set), CommonShare: e.set.CommonShare}
	s.Filter.Retired = q.Turns // what was forgotten tells which turns are not to be found
	const few = 256            // statements of a store: so many can be compared with the prompt one by one
	pools := make([]pool, len(e.sources))
	errs := make([]error, len(e.sources))
	search := func(i int) {
		// What an index or a model maps into memory may be cut short by others.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if p := recover(); p != nil {
				errs[i] = fmt.Errorf("panic: %v", p)
			}
		}()
		pools[i].source = e.sources[i]
		asked := s
		asked.Few = few
		if e.sources[i].Files {
			asked.Terms, asked.Weights, asked.Alike, asked.Few = p.own(), nil, nil, 0
		}
		pools[i].candidates, errs[i] = e.sources[i].Index.Search(ctx, asked)
		if p.past && errs[i] == nil && slices.ContainsFunc(pools[i].candidates.Hits, func(c memory.Candidate) bool { return c.Passage.Conversation() }) {
			asked.Limit *= deeper
			pools[i].candidates, errs[i] = e.sources[i].Index.Search(ctx, asked)
		}
	}
	var wg sync.WaitGroup
	for i := 1; i < len(e.sources); i++ {
		wg.Go(func() { search(i) })
	}
	if len(e.sources) > 0 {
		search(0) // mostly the only one, which then needs no thread of its own
	}
	wg.Wait()
	var out []pool
	for i := range pools {
		if errs[i] != nil {
			e.log.Warn("recall: source left out", "source", pools[i].source.Name, "err", errs[i])
			r.Degraded = append(r.Degraded, pools[i].source.Name)
			continue
		}
		for _, leg := range pools[i].candidates.Degraded {
			r.Degraded = append(r.Degraded, pools[i].source.Name+"/"+leg)
		}
		if q.Turns {
			e.withoutForgotten(ctx, &pools[i].candidates)
		}
		if !p.past {
			hits := &pools[i].candidates.Hits
			*hits = slices.DeleteFunc(*hits, func(c memory.Candidate) bool { return c.Passage.Interim() })
		}
		if p.told {
			told(p, &pools[i].candidates)
		}
		out = append(out, populations(pools[i])...)
	}
	if p.told {
		withoutKept(out)
	}
	for i := range pools {
		if errs[i] == nil {
			p.stated += pools[i].candidates.Stated
		}
	}
	r.Degraded = append(r.Degraded, e.failed...)
	if len(out) == 0 && len(r.Degraded) > 0 && e.core != nil && ctx.Err() == nil {
		e.coreOnly(ctx, q, p, r)
	}
	return out
}

// populations parts what people said in conversations, what agents answered,
// and statements: an old question resembles a new one more than any statement
// does, and long answers hold every word.
func populations(all pool) []pool {
	out := make([]pool, 0, 3)
	for _, p := range []memory.Population{memory.Statements, memory.UserTurns, memory.AgentTurns, memory.Documents} {
		part := pool{source: all.source, candidates: memory.Candidates{N: all.candidates.N, Stated: all.candidates.Stated, DF: all.candidates.DF, Embedder: all.candidates.Embedder, Usual: all.candidates.Usual}}
		part.candidates.Hits = ofPopulation(all.candidates.Hits, p)
		if p == memory.Statements || len(part.candidates.Hits) > 0 {
			out = append(out, part)
		}
	}
	return out
}

// ofPopulation returns the candidates of one population: all as they are when
// there is no other one, since candidates are large.
func ofPopulation(all []memory.Candidate, p memory.Population) []memory.Candidate {
	n := 0
	for i := range all {
		if all[i].Passage.Population == p {
			n++
		}
	}
	if n == len(all) {
		return all
	}
	if n == 0 {
		return nil
	}
	out := make([]memory.Candidate, 0, n)
	for i := range all {
		if all[i].Passage.Population == p {
			out = append(out, all[i])
		}
	}
	return out
}

// filter says what the caller may see and what may be injected at all.
func (e *Engine) filter(q *memory.Query, p *parsed) memory.Filter {
	f := memory.Filter{
		Scopes: scopes(q), Kinds: q.Kinds, Topics: q.Topics, Since: q.Since, Until: q.Until,
		MinConfidence: memory.InjectConfidence,
		AsOf:          q.AsOf, Superseded: q.AsOf.IsZero(),
		NoTurns: !q.Turns, NotSession: q.Session,
	}
	if f.AsOf.IsZero() {
		f.AsOf, f.Present = e.now(), true
	}
	return f
}

// scopes are those that are asked for, as far as the viewer may see them.
func scopes(q *memory.Query) []memory.Scope {
	visible := q.Viewer.Scopes()
	if len(q.Scopes) == 0 {
		return visible
	}
	return slices.DeleteFunc(visible, func(s memory.Scope) bool { return !slices.Contains(q.Scopes, s) })
}

// coreOnly injects MEMORY.md, as much of it as fits, when nothing else is left.
func (e *Engine) coreOnly(ctx context.Context, q *memory.Query, p *parsed, r *memory.Recollection) {
	text, err := e.core(ctx)
	if err != nil {
		e.log.Warn("recall: core file not read", "err", err)
		r.Degraded = append(r.Degraded, "core")
		return
	}
	wording.Fitting(inert.Text(strings.TrimSpace(text)), p.budget, func(cut string) bool {
		framed, n := wording.Frame(wording.For(p.language), []wording.Section{{Lines: []string{cut}}})
		if n > p.budget || q.MaxChars > 0 && wording.Characters(framed) > q.MaxChars {
			return false
		}
		r.Text, r.Tokens = framed, n
		return true
	})
}
