package embed_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"orihon/embed"
	"orihon/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ memory.QueryEmbedder = (*embed.Remote)(nil)

// asked is a request as a server saw it.
type asked struct {
	Path       string   `json:"-"`
	Auth       string   `json:"-"`
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	KeepAlive  string   `json:"keep_alive"`
	Dimensions int      `json:"dimensions"`
	Format     string   `json:"encoding_format"`
}

// server answers requests for embeddings by script, and remembers them.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []asked
}

func (s *server) requests() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *server) texts() (out []string) {
	for _, a := range s.requests() {
		out = append(out, a.Input...)
	}
	return out
}

func newServer(t *testing.T, answer func(n int, a asked, w http.ResponseWriter)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := asked{Path: r.URL.Path, Auth: r.Header.Get("Authorization")}
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			t.Errorf("request: %v", err)
		}
		s.mu.Lock()
		s.asked = append(s.asked, a)
		n := len(s.asked) - 1
		s.mu.Unlock()
		answer(n, a, w)
	}))
	t.Cleanup(s.Close)
	return s
}

// vectorOf is what the scripted servers answer: (length of the text, 1), which
// is not of length one.
func vectorOf(text string) []float32 { return []float32{float32(len(text)), 1} }

func unitOf(text string) []float64 {
	l := math.Hypot(float64(len(text)), 1)
	return []float64{float64(len(text)) / l, 1 / l}
}

func ollamaAnswer(_ int, a asked, w http.ResponseWriter) {
	var out [][]float32
	for _, t := range a.Input {
		out = append(out, vectorOf(t))
	}
	json.NewEncoder(w).Encode(map[string]any{"model": a.Model, "embeddings": out})
}

func openAIAnswer(_ int, a asked, w http.ResponseWriter) {
	var data []map[string]any
	for i, t := range a.Input {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectorOf(t)})
	}
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
}

func open(t *testing.T, c embed.Config) memory.QueryEmbedder {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	e, err := embed.Open(&c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { embed.Close(e) })
	return e.(memory.QueryEmbedder)
}

func TestOllamaIsAskedAsItWants(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	e := open(t, embed.Config{Provider: "ollama", URL: s.URL, DocumentPrefix: "search_document: ", QueryPrefix: "search_query: "})
	v, err := e.Embed(t.Context(), []string{"abc", "記憶"})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "abc", v[0], unitOf("search_document: abc")...)
	near(t, "記憶", v[1], unitOf("search_document: 記憶")...)
	q, err := embed.Query(t.Context(), e, "abc")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "question", q, unitOf("search_query: abc")...)
	want := []asked{
		{Path: "/api/embed", Model: "qwen3-embedding", Input: []string{"search_document: abc", "search_document: 記憶"}, KeepAlive: "30m"},
		{Path: "/api/embed", Model: "qwen3-embedding", Input: []string{"search_query: abc"}, KeepAlive: "30m"},
	}
	if diff := cmp.Diff(want, s.requests()); diff != "" {
		t.Error(diff)
	}
}

func TestOpenAIIsAskedAsItWants(t *testing.T) {
	s := newServer(t, openAIAnswer)
	for _, base := range []string{s.URL, s.URL + "/v1", s.URL + "/v1/", s.URL + "/v1/embeddings"} {
		e := open(t, embed.Config{Provider: "openai", URL: base, Model: "m", Dimensions: 2, Key: "sk-1"})
		v, err := e.Embed(t.Context(), []string{"abc"})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "abc", v[0], unitOf("abc")...)
	}
	want := slices.Repeat([]asked{{Path: "/v1/embeddings", Auth: "Bearer sk-1", Model: "m", Input: []string{"abc"}, Dimensions: 2, Format: "float"}}, 4)
	if diff := cmp.Diff(want, s.requests()); diff != "" {
		t.Error(diff)
	}
}

func TestTheOrderOfAnAnswerIsThatOfItsIndexes(t *testing.T) {
	s := newServer(t, func(_ int, a asked, w http.ResponseWriter) {
		var data []map[string]any
		for i, t := range slices.Backward(a.Input) {
			raw := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(len(t))))
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(1))
			data = append(data, map[string]any{"index": i, "embedding": base64.StdEncoding.EncodeToString(raw)})
		}
		json.NewEncoder(w).Encode(map[string]any{"data": data})
	})
	texts := []string{"a", "bb", "ccc"}
	v, err := open(t, embed.Config{Provider: "openai", URL: s.URL}).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		near(t, texts[i], v[i], unitOf(texts[i])...)
	}
}

func TestBatchesHaveABoundInCountAndSize(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	long := strings.Repeat("x", 200<<10)
	texts := []string{"a", "bb", "ccc", "dddd", long, long, "e"}
	v, err := open(t, embed.Config{Provider: "ollama", URL: s.URL, Batch: 3}).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, a := range s.requests() {
		sizes = append(sizes, len(a.Input))
	}
	if diff := cmp.Diff([]int{3, 2, 2}, sizes); diff != "" {
		t.Error(diff)
	}
	for i := range texts {
		near(t, fmt.Sprint(i), v[i], unitOf(texts[i])...)
	}
}

func TestBlankTextsAreNotSent(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	e := open(t, embed.Config{Provider: "ollama", URL: s.URL})
	v, err := e.Embed(t.Context(), []string{"", " \n"})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "blank", v[0], 0, 0)
	if v, err = e.Embed(t.Context(), []string{"", "a", "　"}); err != nil {
		t.Fatal(err)
	}
	near(t, "blank", v[2], 0, 0)
	near(t, "a", v[1], unitOf("a")...)
	if v, err := e.Embed(t.Context(), nil); err != nil || len(v) != 0 {
		t.Errorf("nothing: %v, %v", v, err)
	}
	if diff := cmp.Diff([]string{"-", "a"}, s.texts()); diff != "" {
		t.Error(diff)
	}
}

func TestAnswersThatCannotBeUsedAreNamed(t *testing.T) {
	say := func(status int, text string) func(int, asked, http.ResponseWriter) {
		return func(_ int, _ asked, w http.ResponseWriter) {
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	for _, tt := range []struct {
		name, provider string
		answer         func(int, asked, http.ResponseWriter)
		config         embed.Config
		want           string
	}{
		{"no such model", "ollama", say(404, `{"error":"model \"qwen3-embedding\" not found, try pulling it first"}`), embed.Config{}, `HOST answered 404: model "qwen3-embedding" not found, try pulling it first: run ` + "`ollama pull qwen3-embedding`"},
		{"no key", "openai", say(401, `{"error":{"message":"no key"}}`), embed.Config{}, "HOST answered 401: no key: it wants an API key: name its environment variable in embedder.key_env"},
		{"an unset key", "openai", say(401, `{}`), embed.Config{KeyEnv: "MY_KEY"}, "HOST answered 401: {}: it wants an API key: MY_KEY is not set"},
		{"a wrong key", "openai", say(401, `{"error":{"message":"bad key sk-7"}}`), embed.Config{Key: "sk-7", KeyEnv: "MY_KEY"}, "HOST answered 401: bad key [key]: check the API key in MY_KEY"},
		{"another path", "openai", say(404, "404 page not found"), embed.Config{Model: "m"}, "HOST answered 404: 404 page not found: check embedder.url and embedder.model (m)"},
		{"a page", "openai", say(200, "<html><title>Sign in</title>"), embed.Config{}, "HOST: the answer is not the JSON that was expected: a web page, Sign in"},
		{"too few", "ollama", say(200, `{"embeddings":[[1,2]]}`), embed.Config{}, "HOST: it gave 1 vectors for 2 texts"},
		{"too many", "openai", say(200, `{"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]}`), embed.Config{}, "HOST: it gave 3 vectors for 2 texts"},
		{"none", "ollama", say(200, `{}`), embed.Config{}, "HOST: it gave 0 vectors for 2 texts"},
		{"one twice", "openai", say(200, `{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`), embed.Config{}, "HOST: it did not give each text one vector"},
		{"a place that is none", "openai", say(200, `{"data":[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]}`), embed.Config{}, "HOST: it did not give each text one vector"},
		{"empty ones", "ollama", say(200, `{"embeddings":[[],[]]}`), embed.Config{}, "HOST: it gave a vector of 0 dimensions"},
		{"two dimensions", "ollama", say(200, `{"embeddings":[[1,2],[1,2,3]]}`), embed.Config{}, "HOST: it gave 3 dimensions where 2 are expected: if the model was changed, say so in embedder.model or set embedder.dimensions to 3"},
		{"not those that were configured", "ollama", say(200, `{"embeddings":[[1,2],[1,2]]}`), embed.Config{Dimensions: 3}, "HOST: it gave 2 dimensions where 3 are expected: if the model was changed, say so in embedder.model or set embedder.dimensions to 2"},
		{"zeros", "ollama", say(200, `{"embeddings":[[0,0],[1,2]]}`), embed.Config{}, "HOST: it gave a vector that is zero or not finite"},
		{"not a number", "openai", say(200, `{"data":[{"embedding":"AADAfwAAwH8="},{"embedding":[1,2]}]}`), embed.Config{}, "HOST: it gave a vector that is zero or not finite"},
		{"no base64", "openai", say(200, `{"data":[{"embedding":"?"},{"embedding":[1,2]}]}`), embed.Config{}, `HOST: the answer is not the JSON that was expected: {"data":[{"embedding":"?"},{"embedding":[1,2]}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.answer)
			tt.config.Provider, tt.config.URL = tt.provider, s.URL
			v, err := open(t, tt.config).Embed(t.Context(), []string{"a", "b"})
			want := "embedder is unavailable: " + tt.provider + ": " + strings.ReplaceAll(tt.want, "HOST", strings.TrimPrefix(s.URL, "http://"))
			if v != nil || !errors.Is(err, embed.ErrUnavailable) || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestAServerThatChangesItsDimensionIsRefused(t *testing.T) {
	s := newServer(t, func(n int, a asked, w http.ResponseWriter) {
		io.WriteString(w, []string{`{"embeddings":[[3,4]]}`, `{"embeddings":[[1,2,3]]}`}[min(n, 1)])
	})
	state := t.TempDir()
	c := embed.Config{Provider: "ollama", URL: s.URL, State: state}
	if _, err := open(t, c).Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	// Another process knows it too.
	if _, err := open(t, c).Embed(t.Context(), []string{"b"}); err == nil || !strings.Contains(err.Error(), "3 dimensions where 2 are expected") {
		t.Errorf("got %v", err)
	}
}

// A prompt waits as long as it was told to, and the next ones not at all.
func TestADeadServerIsLeftAloneByAllProcesses(t *testing.T) {
	release := make(chan struct{})
	var healed atomic.Bool
	s := newServer(t, func(n int, a asked, w http.ResponseWriter) {
		if healed.Load() {
			ollamaAnswer(n, a, w)
			return
		}
		<-release
	})
	state := filepath.Join(t.TempDir(), "run")
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	process := func() memory.QueryEmbedder {
		return open(t, embed.Config{Provider: "ollama", URL: s.URL, State: state, Timeout: 20 * time.Millisecond, Interactive: true, Now: func() time.Time { return now }})
	}
	for range 2 {
		if _, err := process().EmbedQuery(t.Context(), "a"); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, embed.ErrUnavailable) {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := process().EmbedQuery(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "left alone for 61 s after 2 failures, the last: ") && !strings.Contains(err.Error(), "left alone for 60 s") {
		t.Errorf("got %v", err)
	}
	if _, err := process().Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "left alone") {
		t.Errorf("documents: %v", err)
	}
	if n := len(s.requests()); n != 2 {
		t.Errorf("%d requests reached it", n)
	}
	healed.Store(true)
	close(release)
	now = now.Add(61 * time.Second)
	for range 2 {
		e := open(t, embed.Config{Provider: "ollama", URL: s.URL, State: state, Now: func() time.Time { return now }})
		if _, err := e.EmbedQuery(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second) // it is well again, and stays so
	}
}

func TestOneFailureOrAWrongInputLeavesTheServerOn(t *testing.T) {
	s := newServer(t, func(n int, a asked, w http.ResponseWriter) {
		switch n {
		case 0, 2: // a failure, success, and another one: not two in a row
			w.WriteHeader(501)
		case 4, 5, 6:
			w.WriteHeader(400)
		default:
			ollamaAnswer(n, a, w)
		}
	})
	state := t.TempDir()
	for n := range 8 {
		_, err := open(t, embed.Config{Provider: "ollama", URL: s.URL, State: state}).EmbedQuery(t.Context(), "a")
		if bad := n == 0 || n == 2 || n >= 4 && n <= 6; bad != (err != nil) || err != nil && strings.Contains(err.Error(), "left alone") {
			t.Errorf("request %d: %v", n, err)
		}
	}
}

func TestACancelledCallerSaysNothingAboutTheServer(t *testing.T) {
	begun := make(chan struct{}, 10)
	release := make(chan struct{})
	defer close(release)
	s := newServer(t, func(_ int, _ asked, w http.ResponseWriter) { begun <- struct{}{}; <-release })
	e := open(t, embed.Config{Provider: "ollama", URL: s.URL})
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		if _, err := e.EmbedQuery(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if n := len(s.requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestDocumentsAreTriedAgainAndQuestionsAreNot(t *testing.T) {
	s := newServer(t, func(n int, a asked, w http.ResponseWriter) {
		if n%2 == 0 {
			w.WriteHeader(503)
			return
		}
		ollamaAnswer(n, a, w)
	})
	e := open(t, embed.Config{Provider: "ollama", URL: s.URL})
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil || len(s.requests()) != 2 {
		t.Errorf("%d requests, %v", len(s.requests()), err)
	}
	if _, err := e.EmbedQuery(t.Context(), "a"); err == nil || len(s.requests()) != 3 {
		t.Errorf("%d requests, %v", len(s.requests()), err)
	}
}

func TestHostileStateIsPassedOver(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	state := t.TempDir()
	c := embed.Config{Provider: "ollama", URL: s.URL, State: state}
	if _, err := open(t, c).EmbedQuery(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(state, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, text := range []string{
		"", "{", "null", `{"id":"another","failures":9,"until":"2999-01-01T00:00:00Z"}`,
		`{"id":"ollama/qwen3-embedding","failures":9,"until":"2999-01-01T00:00:00Z","dimension":2}`,
		`{"id":"ollama/qwen3-embedding","dimension":-5}`, strings.Repeat("x", 1<<20),
	} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, c).EmbedQuery(t.Context(), "a"); err != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, nil, 0o600); err != nil { // a file where the folder would be
		t.Fatal(err)
	}
	if _, err := open(t, c).EmbedQuery(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

func TestTheKeyOfOpenAIIsForItsOwnServer(t *testing.T) {
	for _, tt := range []struct{ provider, url, configured, want string }{
		{"openai", "", "", "OPENAI_API_KEY"},
		{"openai", "https://api.openai.com/v1/", "", "OPENAI_API_KEY"},
		{"openai", "https://api.openai.com.evil.example/v1", "", ""},
		{"openai", "https://models.example.com/v1", "", ""},
		{"openai", "https://models.example.com/v1", "MY_KEY", "MY_KEY"},
		{"ollama", "", "", ""},
		{"ollama", "", "MY_KEY", "MY_KEY"},
	} {
		if got := embed.KeyVariable(tt.provider, tt.url, tt.configured); got != tt.want {
			t.Errorf("%+v gave %q", tt, got)
		}
	}
}

func TestIDsTellWhatIsNotComparable(t *testing.T) {
	seen := map[string]embed.Config{}
	for _, c := range []embed.Config{
		{Provider: "ollama"}, {Provider: "ollama", Model: "bge-m3"}, {Provider: "ollama", Dimensions: 256},
		{Provider: "ollama", QueryPrefix: "q: "}, {Provider: "ollama", DocumentPrefix: "q: "},
		{Provider: "openai"}, {Provider: "openai", Model: "m"}, {Provider: "openai", URL: "http://127.0.0.1:1"}, {Provider: "openai", URL: "http://127.0.0.1:2"},
	} {
		id := open(t, c).ID()
		if other, ok := seen[id]; ok {
			t.Errorf("%+v and %+v are both %s", c, other, id)
		}
		seen[id] = c
	}
	if a, b := open(t, embed.Config{Provider: "ollama"}).ID(), open(t, embed.Config{Provider: "ollama", URL: "http://10.0.0.7:11434", Key: "k", Batch: 9}).ID(); a != b {
		t.Errorf("the same model is %s and %s", a, b)
	}
	for _, c := range []embed.Config{{Provider: "gpt"}, {Provider: "ollama", URL: "nowhere"}, {Provider: "ollama", Dimensions: -1}, {Provider: "openai", URL: "http://example.com", Key: "k"}, {Provider: "static"}} {
		if e, err := embed.Open(&c); err == nil || e != nil {
			t.Errorf("%+v: %v, %v", c, e, err)
		}
	}
}
