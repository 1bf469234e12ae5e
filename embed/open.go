package embed

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"orihon/memory"
)

// Providers that [Open] knows.
const (
	ProviderBuiltin = "builtin"
	ProviderStatic  = "static"
	ProviderOllama  = "ollama"
	ProviderOpenAI  = "openai"
)

// Config says which embedder [Open] opens. The zero value is the built-in one.
type Config struct {
	// Provider is [ProviderBuiltin], [ProviderStatic], [ProviderOllama] or
	// [ProviderOpenAI]; empty is the built-in one.
	Provider string
	// Model is the name of a compiled model for static ones; for servers the model
	// they know, empty meaning qwen3-embedding or text-embedding-3-small.
	Model string
	// URL is the server's base, such as http://127.0.0.1:11434 or
	// https://api.openai.com/v1, which are the defaults.
	URL string
	// Key is the API key, empty for none; KeyEnv is the environment variable it
	// was looked for in, for messages alone.
	Key, KeyEnv string
	// Dimensions is the length of the vectors asked of a server; 0 leaves it to
	// the model.
	Dimensions int
	// Timeout bounds the embedding of a question, 0 meaning 300 ms;
	// BatchTimeout that of one batch of documents, 0 meaning a minute.
	Timeout, BatchTimeout time.Duration
	// Batch is how many texts one request carries; 0 means 64.
	Batch int
	// QueryPrefix and DocumentPrefix stand before every text, as some models
	// want it ("search_query: ").
	QueryPrefix, DocumentPrefix string
	// Interactive says that somebody waits for every answer: documents too get
	// Timeout, and nothing is tried twice. Hooks set it.
	Interactive bool

	// Models is the folder of compiled models; required for static ones.
	Models string
	// State is a folder in which processes tell each other that a server is
	// down; empty keeps that to this process.
	State string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// defaultOpenAI is the server of [ProviderOpenAI] when none is configured.
const defaultOpenAI = "https://api.openai.com/v1"

// KeyVariable is the environment variable to look for an API key in: the one
// that is configured, else OPENAI_API_KEY for OpenAI's own server and none for
// any other, which has no business with that key.
func KeyVariable(provider, url, configured string) string {
	if configured != "" {
		return configured
	}
	if provider == ProviderOpenAI && (url == "" || strings.TrimRight(url, "/") == defaultOpenAI) {
		return "OPENAI_API_KEY"
	}
	return ""
}

// Open opens the embedder that is configured. What it returns is an [io.Closer]
// too when it holds files or connections, see [Close].
//
// It does not ask a server anything: a server that is down is an error of
// Embed. A model that is not there wraps [memory.ErrNotFound], a configuration
// that cannot work [memory.ErrInvalid].
func Open(c *Config) (memory.Embedder, error) {
	switch c.Provider {
	case "", ProviderBuiltin:
		return NewTable(), nil
	case ProviderStatic:
		s, err := OpenStatic(c.Models, c.Model)
		if err != nil {
			return nil, err
		}
		return s, nil
	case ProviderOllama, ProviderOpenAI:
		r, err := newRemote(*c)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	return nil, fmt.Errorf("%w embedder.provider %q: want builtin, static, ollama or openai", memory.ErrInvalid, c.Provider)
}

// Close releases what an embedder holds, if anything.
func Close(e memory.Embedder) error {
	if c, ok := e.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Query embeds a question: as one where the embedder tells questions from
// documents, else as any text.
func Query(ctx context.Context, e memory.Embedder, text string) ([]float32, error) {
	if q, ok := e.(memory.QueryEmbedder); ok {
		return q.EmbedQuery(ctx, text)
	}
	v, err := e.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	if len(v) != 1 {
		return nil, fmt.Errorf("embed: %s gave %d vectors for one text", e.ID(), len(v))
	}
	return v[0], nil
}
