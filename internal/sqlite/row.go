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
	score.Entry
	doc []byte // the passage, see encodePassage
	sum [16]byte
}

// embedEntries gives entries their vectors, in batches, since an embedder may be
// a server. When it fails they have none: text is found without, and
// [Index.Reembed] makes up for it.
func (x *Index) embedEntries(ctx context.Context, entries []*score.Entry) error {
	const batch = 512
	for start := 0; start < len(entries); start += batch {
		part := entries[start:min(start+batch, len(entries))]
		texts := make([]string, len(part))
		for i := range part {
			texts[i] = score.Meaning(&part[i].Passage)
		}
		vectors, err := score.Embed(ctx, x.embed, texts)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			x.log.Warn("index: passages have no vectors until they are embedded again", "path", x.path, "embedder", x.embed.ID(), "passages", len(entries)-start, "err", err)
			return nil
		}
		for i, v := range vectors {
			part[i].Vector = v
		}
	}
	return nil
}

// prepare makes the row of a passage: terms and checksum.
func prepare(p *memory.Passage) (row, error) {
	e := score.Prepare(p)
	doc, err := encodePassage(p, e.Words)
	if err != nil {
		return row{}, fmt.Errorf("passage %s: %w", p.ID, err)
	}
	r := row{Entry: e, doc: doc}
	all := slices.Clone(doc)
	for _, n := range p.Near {
		all = append(binary.AppendVarint(binary.AppendUvarint(all, uint64(len(n.Text))), int64(n.Distance)), n.Text...)
	}
	sum := sha256.Sum256(all)
	copy(r.sum[:], sum[:])
	return r, nil
}

// nearSep stands between the neighbours at distance 1 and those at 2. It is
// no term: terms are letters and digits.
const nearSep = "|"

func (r *row) nearText() string {
	if len(r.Near[0])+len(r.Near[1]) == 0 {
		return ""
	}
	return strings.Join(r.Near[0], " ") + " " + nearSep + " " + strings.Join(r.Near[1], " ")
}

// splitNear reads what nearText wrote.
func splitNear(s string) (near [2][]string) {
	first, second, _ := strings.Cut(s, nearSep)
	near[0], near[1] = strings.Fields(first), strings.Fields(second)
	return near
}

// triggers are the words by which the passage is called up.
func (r *row) triggers() []string {
	var out []string
	for _, t := range slices.Concat(r.Passage.Item.Triggers, r.Passage.Item.Aliases) {
		if f := terms.Fold(strings.TrimSpace(t)); f != "" {
			out = append(out, f)
		}
	}
	return out
}
