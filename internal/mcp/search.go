package mcp

import (
	"cmp"
	"context"
	"math"
	"strings"

	"orihon/internal/inert"
	"orihon/memory"
)

type searchArguments struct {
	Query     string `json:"query" jsonschema:"what you want to know, in words"`
	Limit     int    `json:"limit,omitempty" jsonschema:"most hits, 10"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"of the answer, 2000"`
	Scope     string `json:"scope,omitempty" jsonschema:"personal, global, shared or role:<name>; all"`
	Type      string `json:"type,omitempty"`
	Since     string `json:"since,omitempty" jsonschema:"YYYY-MM-DD"`
	Until     string `json:"until,omitempty"`
}

type hits struct {
	told
	Hits     []hit    `json:"hits"`
	Degraded []string `json:"degraded,omitempty" jsonschema:"parts of memory that were left out"`
}

// hit is a passage that was found; what it says stands in the text.
type hit struct {
	ID        string  `json:"id"`
	Type      string  `json:"type"`
	Relevance float64 `json:"relevance"`
	Tokens    int     `json:"tokens"`
	Former    bool    `json:"former,omitempty" jsonschema:"replaced since"`
	Weak      bool    `json:"weak,omitempty" jsonschema:"below the line, may not bear on the query"`
}

const nothing = "Nothing in memory bears on this."

// search is memory_search: what memory has on these words, with what is in the window
// already.
func (s *Server) search(ctx context.Context, c call, in *searchArguments) (hits, error) {
	topics, kinds, err := parseType(in.Type)
	if err != nil {
		return hits{}, err
	}
	return s.recall(ctx, c, in, memory.Query{Topics: topics, Kinds: kinds})
}

// recall asks memory for the arguments of a search, of what the query says already.
func (s *Server) recall(ctx context.Context, c call, in *searchArguments, q memory.Query) (out hits, err error) {
	if strings.TrimSpace(in.Query) == "" {
		return out, errEmpty
	}
	if q.Scopes, err = parseScopes(in.Scope, s.o.Memory.Viewer()); err != nil {
		return out, err
	}
	if q.Since, q.Until, err = parseSpan(in.Since, in.Until); err != nil {
		return out, err
	}
	q.Text, q.Session, q.IDs, q.Search = in.Query, c.session, true, true
	q.Limit, q.MaxTokens = cmp.Or(in.Limit, 10), cmp.Or(in.MaxTokens, 2000)
	found, err := s.o.Memory.Recall(ctx, q)
	if err != nil {
		return out, err
	}
	out.Text, out.Degraded = cmp.Or(found.Text, nothing), found.Degraded
	if len(found.Degraded) > 0 {
		out.Text += "\nLeft out, because it could not be used: " + strings.Join(found.Degraded, ", ") + "."
	}
	out.Hits = make([]hit, len(found.Hits))
	for i := range found.Hits {
		h := &found.Hits[i]
		out.Hits[i] = hit{
			ID: inert.Line(h.Passage.ID), Type: typeOf(&h.Passage.Item), Relevance: math.Round(h.Relevance*100) / 100,
			Tokens: h.Tokens, Former: h.Passage.SupersededBy != "", Weak: h.Weak,
		}
	}
	return out, nil
}
