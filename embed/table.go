package embed

import (
	"context"

	"orihon/internal/meaning"
	"orihon/internal/terms"
)

// Table embeds a text by the table of word vectors in the binary: texts are near that
// mean about the same, in English and in Chinese, whether they share a word or not. It
// needs no model and no network, and nothing is learned from what is embedded.
type Table struct{ table *meaning.Table }

// NewTable returns the embedder of the table in the binary.
func NewTable() Table { return Table{meaning.Builtin()} }

// ID names the table, so that vectors of another one are never compared with its own.
func (t Table) ID() string { return "builtin/table/" + t.table.ID() }

// Embed fails only when ctx ends. A text of which the table knows no word has the zero
// vector, which is near to nothing.
func (t Table) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if out[i] = t.table.Encode(terms.Query(text), nil); out[i] == nil {
			out[i] = make([]float32, t.table.Dimensions())
		}
	}
	return out, nil
}
