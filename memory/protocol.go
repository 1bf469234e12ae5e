package memory

import (
	"context"
	"iter"
	"time"
)

// Store keeps items as text, the truth of record. Implementations are safe for
// use by several goroutines and several processes at once.
type Store interface {
	// Put writes one version of each item, all durable when it returns. An
	// item that fails [Item.Validate] is refused before anything is written.
	Put(ctx context.Context, items ...Item) error
	// Get returns the current version, or [ErrNotFound]. Retired items are
	// found only by [Store.Scan].
	Get(ctx context.Context, id string) (Item, error)
	// Scan yields the current version of every item, retired ones included,
	// in a fixed order.
	Scan(ctx context.Context) iter.Seq2[Stored, error]
	// Remove retires an item: it leaves recall but stays recoverable.
	Remove(ctx context.Context, id, reason string, at time.Time) error
}

// Stored is an item as a store holds it.
type Stored struct {
	Item    Item
	Path    string // where it stands, as the store names it
	Line    int    // from 1; 0 when unknown
	Retired bool
	// Archived says that it was retired into the archive, which no index knows.
	Archived bool
	Reason   string // why it was retired
}

// Index finds passages. It is derived from a store and may be deleted at any
// time.
type Index interface {
	// Apply carries out the batch in one transaction.
	Apply(ctx context.Context, b Batch) error
	// Search returns candidates with the raw score of each leg. It does not
	// fuse them: that is recall's work.
	Search(ctx context.Context, s Search) (Candidates, error)
	// Fetch returns the passages with the given IDs that pass the filter, in
	// the order of the IDs; without IDs, all that pass it, newest first.
	Fetch(ctx context.Context, f Filter, ids ...string) ([]Passage, error)
	// Stamp says what the index was built from and whether it can be trusted.
	Stamp(ctx context.Context) (Stamp, error)
	Close() error
}

// Embedder turns texts into unit vectors of one fixed length.
type Embedder interface {
	// Embed returns one vector per text, in order.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// ID names provider, model and dimension; vectors of different IDs are
	// never compared.
	ID() string
}

// QueryEmbedder is an [Embedder] for which a question is not a document:
// models that mark the two differently, servers that must answer a question at
// once.
type QueryEmbedder interface {
	Embedder
	// EmbedQuery returns the vector of one question.
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// Search is what an index is asked. The zero value of a filter does not
// filter, except Scopes: nothing outside Scopes is ever returned.
type Search struct {
	Terms []string // as the terms package cuts them, without duplicates
	// Weights are how much each of the terms counts, 0..1; nil is 1 for all. An
	// index that does not weigh terms may leave them out of account.
	Weights []float64
	// Alike says of each term which other one it stands for, by its place, as it means
	// about the same; -1, and all beyond its end, stand for none. An index that knows
	// no such terms may leave it out of account.
	Alike  []int
	Text   string    // the prompt, for triggers and aliases; empty leaves the leg out
	Vector []float32 // of the prompt, by the index's embedder; nil leaves the leg out
	// Times are periods the prompt names: what was created in one of them is a
	// candidate whatever its words; empty leaves the leg out.
	Times  []Span
	Filter Filter
	Limit  int // candidates per leg; 0 means 200
	// MaxTerms is how many of the rarest terms are searched for; 0 means 12.
	MaxTerms int
	// First is how many terms at the beginning go before rarer ones: what a long
	// prompt asks stands beside much that is pasted.
	First int
	// Instead is searched in the place of what the index has of the same passages and
	// files, for who asks what once held; nil is nothing. An index may pass over it.
	Instead *Batch
	// Few says that all statements are candidates where no more than so many pass the
	// filter: what means the same in other words has none in common with the text. 0 is
	// none. An index may pass over it.
	Few int
	// CommonShare is the share of the passages above which a term is left out
	// when there are rarer ones; 0 means 0.3.
	CommonShare float64
}

// StandsFor is the place of the term that one stands for, see Alike; most often its own.
func (s *Search) StandsFor(term int) int {
	if term < len(s.Alike) && s.Alike[term] >= 0 {
		return s.Alike[term]
	}
	return term
}

// Filter restricts a search or a listing; it is applied inside the query.
type Filter struct {
	Scopes        []Scope // required: what the caller may see
	Kinds         []Kind
	Topics        []Topic
	Tiers         []Tier
	Tags          []string
	MinConfidence float64
	AsOf          time.Time // only statements that held then; zero does not look at validity
	// Present says that AsOf is the clock's time now: what held from when it
	// was written holds, even if the clock was ahead then.
	Present      bool
	Since, Until time.Time // by creation
	Superseded   bool      // include statements that were replaced, even if they no longer held
	Retired      bool      // include what was forgotten
	NoTurns      bool      // leave conversations out
	NotSession   string    // leave this session's own turns out
}

// Span is the time from From to just before To.
type Span struct{ From, To time.Time }

// OtherEmbedder is what [Candidates] names as degraded when an index holds the
// vectors of another embedder than its handle's: they are left out until
// Reembed has made new ones. It is no damage.
const OtherEmbedder = "embedder"

// Candidates is the raw material of a recall.
type Candidates struct {
	Hits []Candidate
	// N is the number of passages in the index, DF the number of them that
	// hold each term of [Search.Terms], in the same order.
	N  int
	DF []int
	// Stated is how many of the passages are [Passage.Stated]; 0 where nobody counts them.
	Stated int
	// Embedder is the ID of the embedder whose cosines the candidates have,
	// empty without vectors.
	Embedder string
	// Usual is how near passages lie to the prompt by chance: its cosines with some drawn
	// from all. Zero where nobody looked; the scales of two models cannot be compared.
	Usual Spread
	// Degraded names the legs that failed and were left out.
	Degraded []string
}

// BuiltinEmbedders is how the IDs of embedders begin whose cosines lie on known scales.
const BuiltinEmbedders = "builtin/"

// Spread is the mean and the standard deviation of some figures.
type Spread struct {
	N               int
	Mean, Deviation float64
}

// Candidate is a passage with the raw score of each leg; zero means that the
// leg did not find it.
type Candidate struct {
	Passage Passage

	Own     float64 // BM25 over the passage's own text
	Near    float64 // BM25 over its text and its neighbours', weighted by distance
	Vector  float64 // cosine
	Trigger bool    // one of its triggers or aliases stands in the query

	// Matched[i] is how often Terms[i] stands in the passage's own text,
	// Length how many terms that text has.
	Matched []int
	Length  int

	// Words are the terms of its text as those of a query are cut, with blanks between,
	// and on a line of its own each of the phrases it is looked for by; empty where an
	// index does not keep them.
	Words string

	// Accesses are the most recent accesses, at most 16, oldest first.
	Accesses []time.Time
}

// Stamp describes the state of an index.
type Stamp struct {
	Format   int       // version of the schema
	Embedder string    // ID of the embedder whose vectors it holds
	Stale    string    // why it must be rebuilt; empty when it need not be
	Passages int       // live passages
	Synced   time.Time // end of the last complete sync
	Files    []File    // what it was built from, by path
}
