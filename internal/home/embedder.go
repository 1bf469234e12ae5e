package home

import (
	"fmt"
	"path/filepath"

	"orihon/embed"
	"orihon/memory"
)

// EmbedderFolders are where embedders keep what several projects share.
func (h *Home) EmbedderFolders() (models, cache string) {
	home := h.Project.Home
	return filepath.Join(home, "models"), filepath.Join(home, "cache", "embed")
}

// DropCachedVectors erases the hashes of texts that were embedded by a server.
func (h *Home) DropCachedVectors() error {
	_, cache := h.EmbedderFolders()
	return embed.DropCaches(cache)
}

// openConfigured opens the embedder that the settings name, nil for the one
// that is built in.
func (h *Home) openConfigured() (memory.Embedder, error) {
	c := &h.Config.Embedder
	if c.Provider == "" || c.Provider == embed.ProviderBuiltin {
		return nil, nil
	}
	models, cache := h.EmbedderFolders()
	keyEnv := embed.KeyVariable(c.Provider, c.URL, c.KeyEnv)
	var key string
	if h.env != nil && keyEnv != "" {
		key, _ = h.env(keyEnv)
	}
	e, err := embed.Open(&embed.Config{
		Provider: c.Provider, Model: c.Model, URL: c.URL, Key: key, KeyEnv: keyEnv, Dimensions: c.Dimensions,
		Timeout: c.Timeout, BatchTimeout: c.BatchTimeout, Batch: c.Batch,
		QueryPrefix: c.QueryPrefix, DocumentPrefix: c.DocumentPrefix,
		Interactive: h.ReadOnly, Models: models, State: cache, Now: h.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("embedder %s: %w", c.Provider, err)
	}
	h.opened = embed.Cached(e, cache, &embed.CacheOptions{ReadOnly: h.ReadOnly})
	return h.opened, nil
}

// CheckEmbedder says what is wrong with the embedder that the settings name: a
// model that is not there, or cannot be used. Servers are not asked.
func (h *Home) CheckEmbedder() error {
	_, err := h.configured()
	return err
}
