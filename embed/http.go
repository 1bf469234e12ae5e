package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"orihon/internal/apiclient"
	"orihon/memory"
)

// ErrUnavailable means that an embedder could not be reached, or not in time,
// or gave something unusable: go on without vectors.
var ErrUnavailable = errors.New("embedder is unavailable")

// ErrResting means that a server was not even asked, because it failed shortly
// before: whoever asked it then was told.
var ErrResting = errors.New("embedder is left alone")

// resting is [ErrResting] with the reason alone as its text.
type resting string

// Error implements error.
func (r resting) Error() string { return string(r) }

// Is makes it an ErrResting.
func (r resting) Is(target error) bool { return target == ErrResting }

// Bounds of what is sent to a server.
const (
	defaultTimeout      = 300 * time.Millisecond
	defaultBatchTimeout = time.Minute
	defaultBatch        = 64
	maxBatchBytes       = 256 << 10
	maxDimensions       = 1 << 16
	batchRetries        = 2
)

// Remote embeds by asking a server over HTTP. It is safe for use by several
// goroutines; Close drops idle connections.
type Remote struct {
	c      Config
	id     string
	client *apiclient.Client
	wire   wire
	health *health
}

// wire is what differs between the servers: the shape of a request and of its
// answer.
type wire interface {
	// path of the request below the base address.
	path() string
	// body is the request for these texts.
	body(texts []string) any
	// answer is where the answer is read into, a new one for each request.
	answer() answer
	// explain may add to a refusal what mends it.
	explain(e *apiclient.Error) string
}

// answer gives the vectors of n texts in the order of the texts.
type answer interface {
	vectors(n int) ([][]float32, error)
}

// newRemote checks the configuration and asks the server nothing.
func newRemote(c Config) (*Remote, error) {
	r := &Remote{c: c}
	base, err := r.dialect()
	if err != nil {
		return nil, err
	}
	r.c.Timeout = cmp.Or(max(r.c.Timeout, 0), defaultTimeout)
	r.c.BatchTimeout = cmp.Or(max(r.c.BatchTimeout, 0), defaultBatchTimeout)
	r.c.Batch = cmp.Or(max(r.c.Batch, 0), defaultBatch)
	if r.c.Dimensions < 0 || r.c.Dimensions > maxDimensions {
		return nil, fmt.Errorf("%w embedder.dimensions %d: want 0 to %d", memory.ErrInvalid, c.Dimensions, maxDimensions)
	}
	r.client, err = apiclient.New(apiclient.Options{Base: base, Key: c.Key, Timeout: r.c.BatchTimeout, Retries: batchRetries})
	if err != nil {
		return nil, fmt.Errorf("embedder.url: %w", err)
	}
	r.id = r.name(base)
	r.health = newHealth(c.State, r.id, c.Now)
	return r, nil
}

// dialect chooses the wire and completes address and model.
func (r *Remote) dialect() (base string, err error) {
	c := &r.c
	switch c.Provider {
	case ProviderOllama:
		c.URL, c.Model = cmp.Or(c.URL, "http://127.0.0.1:11434"), cmp.Or(c.Model, "qwen3-embedding")
		r.wire = ollama{c}
		return strings.TrimSuffix(strings.TrimRight(c.URL, "/"), "/api"), nil
	case ProviderOpenAI:
		c.URL, c.Model = cmp.Or(c.URL, defaultOpenAI), cmp.Or(c.Model, "text-embedding-3-small")
		r.wire = openAI{c}
		base = strings.TrimSuffix(strings.TrimRight(c.URL, "/"), "/embeddings")
		if u, err := url.Parse(base); err == nil && strings.Trim(u.Path, "/") == "" {
			base += "/v1"
		}
		return base, nil
	}
	return "", fmt.Errorf("%w embedder.provider %q", memory.ErrInvalid, c.Provider)
}

// name is the ID: everything that decides what vectors come back. Servers that
// speak OpenAI's protocol often ignore the name of the model, so that their
// address belongs to it. The dimension is part of it where it is configured;
// else the server's first answer fixes it, see health.dimension.
func (r *Remote) name(base string) string {
	id := r.c.Provider + "/" + r.c.Model
	if r.c.Dimensions > 0 {
		id += fmt.Sprintf("/%d", r.c.Dimensions)
	}
	also := ""
	if r.c.Provider == ProviderOpenAI {
		also = base
	}
	if r.c.QueryPrefix != "" || r.c.DocumentPrefix != "" {
		also += "\x00" + r.c.QueryPrefix + "\x00" + r.c.DocumentPrefix
	}
	if also != "" {
		id += "/" + digest(also)[:8]
	}
	return id
}

// ID names provider, model and, where configured, dimension.
func (r *Remote) ID() string { return r.id }

// Close drops idle connections.
func (r *Remote) Close() error { return r.client.Close() }

// EmbedQuery embeds a question, within Config.Timeout and without a second
// try.
func (r *Remote) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := r.embed(ctx, []string{text}, r.c.QueryPrefix, r.c.Timeout)
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// Embed embeds documents in batches. Every failure wraps [ErrUnavailable]; a
// context that was cancelled does not count against the server.
func (r *Remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	within := time.Duration(0)
	if r.c.Interactive {
		within = r.c.Timeout
		bounded, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		ctx = bounded
	}
	return r.embed(ctx, texts, r.c.DocumentPrefix, within)
}

// embed gives blank texts the zero vector, since servers refuse them, and asks
// for the others batch by batch.
func (r *Remote) embed(ctx context.Context, texts []string, prefix string, within time.Duration) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var ask []string
	var places []int
	for i, t := range texts {
		if strings.TrimSpace(t) != "" {
			ask, places = append(ask, prefix+strings.ToValidUTF8(t, "\uFFFD")), append(places, i)
		}
	}
	dim := r.health.dimension()
	if len(ask) == 0 && len(texts) > 0 && dim == 0 {
		ask, places = []string{"-"}, []int{-1} // the answer tells how long a vector is
	}
	for from := 0; from < len(ask); {
		to := r.batchEnd(ask, from)
		vectors, err := r.request(ctx, ask[from:to], within)
		if err != nil {
			return nil, err
		}
		for i, v := range vectors {
			dim = len(v)
			if at := places[from+i]; at >= 0 {
				out[at] = v
			}
		}
		from = to
	}
	for i := range out {
		if out[i] == nil {
			out[i] = make([]float32, dim)
		}
	}
	return out, nil
}

// batchEnd is where the batch that begins at from ends, by count and size; one
// text always fits.
func (r *Remote) batchEnd(texts []string, from int) int {
	size, to := 0, from
	for to < len(texts) && to-from < r.c.Batch {
		if size += len(texts[to]); size > maxBatchBytes && to > from {
			break
		}
		to++
	}
	return to
}

// request asks for one batch, unless the server is known to be down, and
// remembers how it went.
func (r *Remote) request(ctx context.Context, texts []string, within time.Duration) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if why := r.health.down(); why != "" {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnavailable, r.c.Provider, resting(why))
	}
	vectors, err := r.post(ctx, texts, within)
	if err != nil {
		if errors.Is(ctx.Err(), context.Canceled) {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		}
		err = r.explained(err)
		if !aboutInput(err) {
			r.health.failed(err)
		}
		return nil, fmt.Errorf("%w: %s: %w", ErrUnavailable, r.c.Provider, err)
	}
	r.health.worked(len(vectors[0]))
	return vectors, nil
}

func (r *Remote) post(ctx context.Context, texts []string, within time.Duration) ([][]float32, error) {
	a := r.wire.answer()
	if err := r.client.Within(within).Post(ctx, r.wire.path(), r.wire.body(texts), a); err != nil {
		return nil, err
	}
	vectors, err := a.vectors(len(texts))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.client.Host(), err)
	}
	if err := r.check(vectors); err != nil {
		return nil, fmt.Errorf("%s: %w", r.client.Host(), err)
	}
	return vectors, nil
}

// check refuses what must never reach an index, and scales the rest to length
// one.
func (r *Remote) check(vectors [][]float32) error {
	want := cmp.Or(r.c.Dimensions, r.health.dimension(), len(vectors[0]))
	for _, v := range vectors {
		switch {
		case len(v) == 0 || len(v) > maxDimensions:
			return fmt.Errorf("it gave a vector of %d dimensions", len(v))
		case len(v) != want:
			return fmt.Errorf("it gave %d dimensions where %d are expected: if the model was changed, say so in embedder.model or set embedder.dimensions to %d", len(v), want, len(v))
		}
		if !unit(v) {
			return errors.New("it gave a vector that is zero or not finite")
		}
	}
	return nil
}

// unit scales v to length one; false when it has no direction.
func unit(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	inv := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * inv)
	}
	return true
}

// explained adds to a refusal what mends it.
func (r *Remote) explained(err error) error {
	e, ok := errors.AsType[*apiclient.Error](err)
	if !ok {
		return err
	}
	hint := r.wire.explain(e)
	if hint == "" && (e.Status == statusUnauthorized || e.Status == statusForbidden) {
		hint = "check the API key in " + cmp.Or(r.c.KeyEnv, "the variable that embedder.key_env names")
		if r.c.Key == "" {
			hint = "it wants an API key: name its environment variable in embedder.key_env"
			if r.c.KeyEnv != "" {
				hint = "it wants an API key: " + r.c.KeyEnv + " is not set"
			}
		}
	}
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, hint)
}

// aboutInput reports whether a failure says something about the texts and
// nothing about the server.
func aboutInput(err error) bool {
	e, ok := errors.AsType[*apiclient.Error](err)
	return ok && (e.Status == statusBadInput || e.Status == statusTooLarge || e.Status == statusUnusable)
}
