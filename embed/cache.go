package embed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/memory"
)

// CacheOptions of [Cached]; nil means all defaults.
type CacheOptions struct {
	// ReadOnly looks vectors up and keeps none: what a hook needs.
	ReadOnly bool
	// MaxBytes bounds the file; 0 means 256 MiB. When it is full the oldest
	// vectors make room.
	MaxBytes int64
}

const defaultCacheBytes = 256 << 20

// Cached puts a cache before an embedder that costs something, a [*Remote]; any
// other is given back as it is. The vectors lie in one file per embedder in dir,
// found by the SHA-256 of provider, model and text; several processes may use
// it at once. A cache that cannot be read or written is passed over: it never
// makes an answer fail.
//
// The file holds nothing but hashes and vectors. It is derived: delete it at
// will, and by [DropCaches] when texts are purged.
func Cached(e memory.Embedder, dir string, o *CacheOptions) memory.Embedder {
	r, ok := e.(*Remote)
	if !ok || dir == "" {
		return e
	}
	return newCache(r, dir, o)
}

func newCache(e memory.QueryEmbedder, dir string, o *CacheOptions) *cache {
	c := &cache{e: e, dir: dir}
	if o != nil {
		c.o = *o
	}
	c.o.MaxBytes = cmp.Or(max(c.o.MaxBytes, 0), defaultCacheBytes)
	return c
}

// cache is a [memory.QueryEmbedder] before another one.
type cache struct {
	e   memory.QueryEmbedder
	dir string
	o   CacheOptions
}

// ID is that of the embedder behind it: the vectors are the same.
func (c *cache) ID() string { return c.e.ID() }

// Close closes the embedder behind it.
func (c *cache) Close() error { return Close(c.e) }

// Names of cache files: vectors-<part of the embedder's digest>.cache.
const (
	cachePrefix = "vectors-"
	cacheSuffix = ".cache"
	keptCaches  = 2 // this embedder's, and the one before it
)

func (c *cache) path() string {
	return filepath.Join(c.dir, cachePrefix+digest(c.e.ID())[:12]+cacheSuffix)
}

// key of a text in one of its two roles.
func (c *cache) key(role, text string) vectorKey {
	return sha256.Sum256([]byte(c.e.ID() + "\x00" + role + "\x00" + text))
}

// EmbedQuery embeds a question, or remembers it.
func (c *cache) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	out, err := c.through(ctx, "query", []string{text}, func(ctx context.Context, texts []string) ([][]float32, error) {
		v, err := c.e.EmbedQuery(ctx, texts[0])
		return [][]float32{v}, err
	})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Embed asks only for the texts that are not in the cache, each once. What was
// got before a failure is kept.
func (c *cache) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return c.through(ctx, "document", texts, c.e.Embed)
}

// cacheRound is how many texts are asked for before their vectors are kept: a
// failure later on does not lose them.
const cacheRound = 256

func (c *cache) through(ctx context.Context, role string, texts []string, ask func(context.Context, []string) ([][]float32, error)) ([][]float32, error) {
	keys := make([]vectorKey, len(texts))
	wanted := make(map[vectorKey][]float32, len(texts))
	for i, t := range texts {
		keys[i] = c.key(role, t)
		wanted[keys[i]] = nil
	}
	lookUp(c.path(), wanted)
	var missing []string
	var places []vectorKey
	asked := make(map[vectorKey]bool)
	for i, k := range keys {
		if wanted[k] == nil && !asked[k] {
			asked[k] = true
			missing, places = append(missing, texts[i]), append(places, k)
		}
	}
	for from := 0; from < len(missing); from += cacheRound {
		to := min(len(missing), from+cacheRound)
		got, err := ask(ctx, missing[from:to])
		if err != nil {
			return nil, err
		}
		if len(got) != to-from {
			return nil, fmt.Errorf("embed: %s gave %d vectors for %d texts", c.ID(), len(got), to-from)
		}
		for i, v := range got {
			wanted[places[from+i]] = v
		}
		if !c.o.ReadOnly {
			c.keep(ctx, places[from:to], got)
		}
	}
	out := make([][]float32, len(texts))
	for i, k := range keys {
		out[i] = slices.Clone(wanted[k])
		if len(out[i]) != len(out[0]) {
			// The model behind the name is another one than it was.
			if err := os.Remove(c.path()); err != nil {
				return nil, fmt.Errorf("embed: %s has another dimension than its cache: %w", c.ID(), err)
			}
			return ask(ctx, texts)
		}
	}
	return out, nil
}

// keep stores vectors; a cache that cannot be written is passed over.
func (c *cache) keep(ctx context.Context, keys []vectorKey, vectors [][]float32) {
	if os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	if _, err := os.Stat(c.path()); err != nil {
		_ = dropCaches(c.dir, keptCaches-1)
	}
	_ = store(ctx, c.path(), c.o.MaxBytes, keys, vectors)
}

// DropCaches deletes the caches in a folder, and what servers last complained of
// there, for when texts are purged: neither their hashes nor a quotation of them
// must outlive them.
func DropCaches(dir string) error {
	errs := []error{dropCaches(dir, 0)}
	for _, name := range []string{healthPrefix + "*" + healthSuffix, healthTemporary} {
		files, err := filepath.Glob(filepath.Join(dir, name))
		errs = append(errs, err, removeAll(files))
	}
	return errors.Join(errs...)
}

// removeAll deletes files; those that are not there are as good as deleted.
func removeAll(files []string) error {
	var errs []error
	for _, path := range files {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// dropCaches deletes all but the newest caches in a folder.
func dropCaches(dir string, keep int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	var files []string
	times := make(map[string]time.Time)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), cachePrefix) || !strings.HasSuffix(e.Name(), cacheSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil {
			path := filepath.Join(dir, e.Name())
			files, times[path] = append(files, path), info.ModTime()
		}
	}
	slices.SortFunc(files, func(a, b string) int { return times[b].Compare(times[a]) })
	return removeAll(files[min(keep, len(files)):])
}
