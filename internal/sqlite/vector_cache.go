package sqlite

import (
	"slices"
	"sync"
)

// vectorCache keeps what searches of one process have read, as long as no
// transaction changes the vectors. The first search keeps nothing: most
// processes are hooks and make only one.
type vectorCache struct {
	mu       sync.Mutex
	searches int
	n        int64 // generation
	version  int64
	size     int // bytes
	whole    []codeRow
	rows     map[int64][]byte
}

// codeRow is a row of codes without its checksum.
type codeRow struct {
	chunk int64
	data  []byte
}

// maxVectorCache bounds the bytes kept.
const maxVectorCache = 64 << 20

// current reports whether the cache holds the state of g.
func (c *vectorCache) current(g *generation) bool { return c.n == g.N && c.version == g.Version }

func (c *vectorCache) codes(g *generation) ([]codeRow, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.searches++
	return c.whole, c.whole != nil && c.current(g)
}

func (c *vectorCache) keeps(size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.searches > 1 && size < maxVectorCache/2
}

func (c *vectorCache) keep(g *generation, rows []codeRow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n, c.version, c.whole = g.N, g.Version, rows
	c.rows, c.size = make(map[int64][]byte), 0
	for _, r := range rows {
		c.size += len(r.data)
	}
}

func (c *vectorCache) row(g *generation, chunk int64) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok := c.rows[chunk]
	return data, ok && c.current(g)
}

func (c *vectorCache) add(g *generation, chunk int64, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows == nil || !c.current(g) || c.size+len(data) > maxVectorCache {
		return
	}
	c.rows[chunk] = slices.Clone(data)
	c.size += len(data)
}
