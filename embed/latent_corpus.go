package embed

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
)

// corpus is the sparse matrix of a sample: for every passage its features.
type corpus struct {
	bits   int
	docs   []corpusDoc // by thread, position and ID
	chunks [][]uint32  // bucket << 16 | weight * weightUnit
	weight []float32   // of every bucket
}

type corpusDoc struct {
	id, thread string
	pos        int
	chunk      int32
	from, to   int32
	scale      float32
	joined     bool // of the same thread as the passage before
}

const (
	chunkLen   = 1 << 16
	weightUnit = 4096
	maxWeight  = 1<<16 - 1
)

// readCorpus reads at most sample passages and counts all.
func readCorpus(ctx context.Context, docs iter.Seq2[Doc, error], sample int) (c *corpus, total int, err error) {
	c = &corpus{bits: maxLatentBits}
	f := features{bits: c.bits}
	var keys []corpusDoc
	if err := eachDoc(ctx, docs, func(d Doc) {
		keys = append(keys, corpusDoc{id: d.ID, thread: d.Thread, pos: d.Pos})
		if len(keys) <= sample {
			c.add(keys[len(keys)-1], f.of(d.Text))
		}
	}); err != nil {
		return nil, 0, err
	}
	total = len(keys)
	if total > sample {
		c.docs, c.chunks = nil, nil
		chosen := sampled(keys, sample)
		if err := eachDoc(ctx, docs, func(d Doc) {
			if chosen[d.ID] {
				c.add(corpusDoc{id: d.ID, thread: d.Thread, pos: d.Pos}, f.of(d.Text))
			}
		}); err != nil {
			return nil, 0, err
		}
	}
	slices.SortFunc(c.docs, corpusDoc.compare)
	for i := 1; i < len(c.docs); i++ {
		c.docs[i].joined = c.docs[i].thread != "" && c.docs[i].thread == c.docs[i-1].thread
	}
	c.fold()
	return c, total, nil
}

// eachDoc calls fn for every passage until ctx ends.
func eachDoc(ctx context.Context, docs iter.Seq2[Doc, error], fn func(Doc)) error {
	for d, err := range docs {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		fn(d)
	}
	return nil
}

func (d corpusDoc) compare(e corpusDoc) int {
	return cmp.Or(cmp.Compare(d.thread, e.thread), cmp.Compare(d.pos, e.pos), cmp.Compare(d.id, e.id))
}

// sampled chooses whole threads in the order of a hash of their names, until
// there are most passages. A passage outside of any thread is one of its own.
func sampled(keys []corpusDoc, most int) map[string]bool {
	hash := func(d *corpusDoc) uint64 {
		name := cmp.Or(d.thread, d.id)
		h := hashBytes(hashStart(0), name)
		return (h ^ h>>32) * 0x9e3779b97f4a7c15
	}
	slices.SortFunc(keys, func(a, b corpusDoc) int {
		return cmp.Or(cmp.Compare(hash(&a), hash(&b)), a.compare(b))
	})
	out := make(map[string]bool, most)
	for i := range keys[:most] {
		out[keys[i].id] = true
	}
	return out
}

// add appends a passage's features to the matrix.
func (c *corpus) add(d corpusDoc, list []feature) {
	n := len(c.chunks)
	if n == 0 || cap(c.chunks[n-1])-len(c.chunks[n-1]) < len(list) {
		c.chunks = append(c.chunks, make([]uint32, 0, max(chunkLen, len(list))))
		n++
	}
	chunk := c.chunks[n-1]
	d.chunk, d.from = int32(n-1), int32(len(chunk))
	for _, f := range list {
		w := min(maxWeight, uint32(f.weight*weightUnit+0.5))
		chunk = append(chunk, f.bucket<<16|w)
	}
	d.to = int32(len(chunk))
	c.chunks[n-1] = chunk
	c.docs = append(c.docs, d)
}

// fold makes do with fewer buckets when the sample is small: the model is a
// file of one row for each.
func (c *corpus) fold() {
	bits := latentBits(len(c.docs))
	for _, chunk := range c.chunks {
		for i, x := range chunk {
			chunk[i] = x>>16>>(c.bits-bits)<<16 | x&maxWeight
		}
	}
	c.bits = bits
}

// latentBits is the binary logarithm of the number of buckets for a sample.
func latentBits(passages int) int {
	if passages <= 2000 {
		return 14
	}
	return maxLatentBits
}

// row is a passage's part of the matrix.
func (c *corpus) row(d *corpusDoc) []uint32 { return c.chunks[d.chunk][d.from:d.to] }

// weigh gives every bucket its weight and every row the length one.
func (c *corpus) weigh() {
	df := make([]int32, 1<<c.bits)
	last := make([]int32, 1<<c.bits) // a bucket may stand twice in a row
	for i := range c.docs {
		for _, x := range c.row(&c.docs[i]) {
			if last[x>>16] != int32(i+1) {
				last[x>>16] = int32(i + 1)
				df[x>>16]++
			}
		}
	}
	c.weight = make([]float32, len(df))
	for j, n := range df {
		if n > 0 {
			idf := math.Log(1 + float64(len(c.docs))/float64(n))
			c.weight[j] = float32(idf * math.Sqrt(idf))
		}
	}
	for i := range c.docs {
		var sum float64
		for _, x := range c.row(&c.docs[i]) {
			w := float64(x&maxWeight) / weightUnit * float64(c.weight[x>>16])
			sum += w * w
		}
		if sum > 0 {
			c.docs[i].scale = float32(1 / (math.Sqrt(sum) * weightUnit))
		}
	}
}
