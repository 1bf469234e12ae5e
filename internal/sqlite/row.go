package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/score"
	"orihon/internal/terms"
	"orihon/memory"
)

// row is a passage made ready for the tables.
type row struct {
	passage memory.Passage
	doc     []byte // the passage, see encodePassage
	sum     [16]byte
	own     []string
	near    [2][]string   // terms of the neighbours at distance 1 and 2
	vector  *score.Vector // nil when the embedder failed
}

// rows prepares passages: terms and checksums.
func rows(passages []memory.Passage) ([]row, error) {
	out := make([]row, len(passages))
	for i := range passages {
		r, err := prepare(&passages[i])
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

// embedRows gives rows their vectors, in batches, since an embedder may be a
// server. When it fails they have none: text is found without, and
// [Index.Reembed] makes up for it.
func (x *Index) embedRows(ctx context.Context, rs []row) error {
	const batch = 512
	for start := 0; start < len(rs); start += batch {
		part := rs[start:min(start+batch, len(rs))]
		texts := make([]string, len(part))
		for i := range part {
			texts[i] = embeddedText(&part[i].passage)
		}
		vectors, err := embedTexts(ctx, x.embed, texts)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			x.log.Warn("index: passages have no vectors until they are embedded again", "path", x.path, "embedder", x.embed.ID(), "passages", len(rs)-start, "err", err)
			return nil
		}
		for i, v := range vectors {
			part[i].vector = v
		}
	}
	return nil
}

func embedTexts(ctx context.Context, e memory.Embedder, texts []string) ([]*score.Vector, error) {
	embedded, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	if len(embedded) != len(texts) {
		return nil, fmt.Errorf("embed: %s gave %d vectors for %d texts", e.ID(), len(embedded), len(texts))
	}
	out := make([]*score.Vector, len(texts))
	var r *score.Rotation
	for i, v := range embedded {
		if r == nil {
			r = score.NewRotation(len(v))
		}
		if out[i] = r.Vector(v); out[i] == nil || len(v) == 0 {
			return nil, fmt.Errorf("embed: %s gave a vector of %d dimensions beside one of %d", e.ID(), len(v), len(embedded[0]))
		}
	}
	return out, nil
}

func prepare(p *memory.Passage) (row, error) {
	doc, err := encodePassage(p)
	if err != nil {
		return row{}, fmt.Errorf("passage %s: %w", p.ID, err)
	}
	r := row{passage: *p, doc: doc, own: terms.Index(embeddedText(p))}
	all := slices.Clone(doc)
	for _, n := range p.Near {
		all = append(binary.AppendVarint(binary.AppendUvarint(all, uint64(len(n.Text))), int64(n.Distance)), n.Text...)
		d := min(max(n.Distance, 1), 2) - 1
		r.near[d] = append(r.near[d], terms.Index(n.Text)...)
	}
	sum := sha256.Sum256(all)
	copy(r.sum[:], sum[:])
	r.passage.Near = nil
	return r, nil
}

// embeddedText is what a passage is found by: its text with the title and the
// headings it stands under.
func embeddedText(p *memory.Passage) string {
	parts := make([]string, 0, 4)
	for _, s := range []string{p.Heading, p.Item.Title, p.Item.Content} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// nearSep stands between the neighbours at distance 1 and those at 2. It is
// no term: terms are letters and digits.
const nearSep = "|"

func (r *row) nearText() string {
	if len(r.near[0])+len(r.near[1]) == 0 {
		return ""
	}
	return strings.Join(r.near[0], " ") + " " + nearSep + " " + strings.Join(r.near[1], " ")
}

// splitNear reads what nearText wrote.
func splitNear(s string) (near [2][]string) {
	first, second, _ := strings.Cut(s, nearSep)
	near[0], near[1] = strings.Fields(first), strings.Fields(second)
	return near
}

// contextLength is the length of a passage of own terms with its neighbours',
// each counted by its weight.
func contextLength(own int, near [2][]string) int {
	return own + int(nearWeights[0]*float64(len(near[0]))+nearWeights[1]*float64(len(near[1])))
}

// triggers are the words by which the passage is called up.
func (r *row) triggers() []string {
	var out []string
	for _, list := range [][]string{r.passage.Item.Triggers, r.passage.Item.Aliases} {
		for _, t := range list {
			if f := terms.Fold(strings.TrimSpace(t)); f != "" {
				out = append(out, f)
			}
		}
	}
	return out
}
