package store

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"

	"orihon/internal/terms"
	"orihon/memory"
)

// Archived yields what the archive holds, root by root: items of ledgers in
// the order of their first lines, then atoms, of which the bullets are the
// items. A record of an item that lives, or was forgotten since, is passed
// over. What cannot be read is yielded as an error, and the rest follows.
//
// It reads every ledger and every part: a way for people who look for
// something, not for a prompt.
func (s *Store) Archived(ctx context.Context) iter.Seq2[memory.Archived, error] {
	return func(yield func(memory.Archived, error) bool) {
		living := s.livingAtoms()
		for i := range s.roots {
			if err := ctx.Err(); err != nil {
				yield(memory.Archived{}, err)
				return
			}
			items, problems := s.archivedIn(&s.roots[i], living)
			for _, err := range problems {
				if !yield(memory.Archived{}, err) {
					return
				}
			}
			for _, a := range items {
				if !yield(a, nil) {
					return
				}
			}
		}
	}
}

// livingAtoms are the IDs of the atoms that recall reads.
func (s *Store) livingAtoms() map[string]bool {
	living := make(map[string]bool)
	entries, _ := s.walk()
	for i := range entries {
		if e := &entries[i]; e.kind == kindMarkdown && mayBeAtom(e.file) {
			if m, _, err := readMarkdown(e); err == nil && m.atom {
				living[m.item.ID] = true
			}
		}
	}
	return living
}

func (s *Store) archivedIn(r *Root, living map[string]bool) (out []memory.Archived, problems []error) {
	records, problems := readParts(r)
	byID := make(map[string]*archived, len(records))
	for i := range records {
		byID[records[i].ID] = &records[i]
	}
	for _, name := range ledgersIn(r) {
		if r.Notes {
			break
		}
		e := ledgerEntry(r, name)
		l, err := readLedger(&e, 0, 0, nil)
		if errors.Is(err, errGone) {
			continue
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, id := range l.order {
			if v := l.versions[id]; v.archived {
				a := memory.Archived{Item: v.item, Path: e.path, From: e.path, At: v.at, Why: v.why}
				if rec := byID[id]; rec != nil {
					a.Path, a.Vector = rec.path, rec.vector()
				}
				out = append(out, a)
			}
			delete(byID, id)
		}
	}
	for i := range records {
		// Its lines have gone from the ledger: the archive is all there is.
		if rec := &records[i]; byID[rec.ID] == rec {
			out = append(out, memory.Archived{Item: rec.Item, Path: rec.path, From: rec.Archived.From, At: rec.Archived.At, Why: rec.Archived.Why, Vector: rec.vector()})
		}
	}
	for _, e := range archivedAtoms(r) {
		items, err := s.items(e.asItStood())
		if err != nil {
			if !errors.Is(err, errGone) {
				problems = append(problems, err)
			}
			continue
		}
		for _, it := range items {
			if atom, _, _ := strings.Cut(it.Item.ID, "#"); !living[atom] && !it.Retired {
				out = append(out, memory.Archived{Item: it.Item, Path: e.path, From: r.Name + "/" + strings.ReplaceAll(withoutMonth(r, &e), "\\", "/")})
			}
		}
	}
	return out, problems
}

func (a *archived) vector() memory.ArchiveVector {
	return memory.ArchiveVector{Model: a.Archived.Model, Values: unitOf(a.Archived.Vector)}
}

// Shares of the score of an archived item that has a vector of the query's
// model, and the cosine from which one is found without a common word.
const (
	archiveWords   = 0.75
	archiveMeaning = 0.25
	archiveAlike   = 0.6
)

// SearchArchive finds what bears on a query, best first, by reading the whole
// archive: the share of the query's terms that stand in title, text, tags,
// triggers and aliases, weighted by how rare they are in the archive, ¾, and
// the cosine of the vectors, ¼, where both are of one model. problems are
// parts that could not be read.
func (s *Store) SearchArchive(ctx context.Context, q memory.ArchiveQuery) (hits []memory.ArchiveHit, problems []error, err error) {
	var all []memory.Archived
	var has []map[string]bool
	df := make(map[string]int)
	for a, err := range s.Archived(ctx) {
		if err != nil {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			problems = append(problems, err)
			continue
		}
		if !q.Filter.Match(&memory.Passage{Item: a.Item}) {
			continue
		}
		words := wordsOf(&a.Item, q.Terms)
		for w := range words {
			df[w]++
		}
		all, has = append(all, a), append(has, words)
	}
	weight := func(term string) float64 { return math.Log1p((float64(len(all)) + 0.5) / (float64(df[term]) + 0.5)) }
	var whole float64
	for _, t := range q.Terms {
		whole += weight(t)
	}
	for i := range all {
		h := memory.ArchiveHit{Archived: all[i]}
		for t := range has[i] {
			h.Score += weight(t) / whole
		}
		near, comparable := cosine(&q.Vector, &h.Vector)
		if len(has[i]) == 0 && near < archiveAlike {
			continue
		}
		if comparable {
			h.Score = archiveWords*h.Score + archiveMeaning*max(0, near)
		}
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b memory.ArchiveHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt))
	})
	limit := q.Limit
	if limit <= 0 {
		limit = 20
	}
	return hits[:min(len(hits), limit)], problems, nil
}

// wordsOf are those of the terms that stand in an item.
func wordsOf(it *memory.Item, wanted []string) map[string]bool {
	text := strings.Join(slices.Concat([]string{it.Title, it.Content}, it.Metadata.Tags, it.Triggers, it.Aliases, it.NeededWhen), "\n")
	has := make(map[string]bool)
	for _, t := range terms.Index(text) {
		if slices.Contains(wanted, t) {
			has[t] = true
		}
	}
	return has
}

func cosine(a, b *memory.ArchiveVector) (float64, bool) {
	if a.Model == "" || a.Model != b.Model || len(a.Values) != len(b.Values) || len(a.Values) == 0 {
		return 0, false
	}
	var dot float64
	for i := range a.Values {
		dot += float64(a.Values[i]) * float64(b.Values[i])
	}
	return dot, true
}
