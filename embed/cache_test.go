package embed_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon/embed"
	"orihon/memory"
)

func cached(t *testing.T, url, dir string, o *embed.CacheOptions) memory.QueryEmbedder {
	t.Helper()
	return embed.Cached(open(t, embed.Config{Provider: "ollama", URL: url}), dir, o).(memory.QueryEmbedder)
}

func embedAll(t *testing.T, e memory.Embedder, texts ...string) [][]float32 {
	t.Helper()
	v, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		near(t, texts[i], v[i], unitOf(texts[i])...)
	}
	return v
}

func TestOnlyWhatIsMissingIsAskedFor(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	dir := filepath.Join(t.TempDir(), "index")
	embedAll(t, cached(t, s.URL, dir, nil), "a", "bb", "a")
	e := cached(t, s.URL, dir, nil) // as another process would
	v := embedAll(t, e, "ccc", "a", "ccc", "bb", "記憶")
	v[1][0] = 99 // the caller's own
	embedAll(t, e, "a")
	if _, err := e.EmbedQuery(t.Context(), "a"); err != nil { // in another role
		t.Fatal(err)
	}
	if _, err := e.EmbedQuery(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "bb", "ccc", "記憶", "a"}, s.texts()); diff != "" {
		t.Error(diff)
	}
	if got, want := e.ID(), "ollama/qwen3-embedding"; got != want {
		t.Errorf("ID %s, want %s", got, want)
	}
}

func TestAnotherModelHasAnotherCache(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	dir := t.TempDir()
	for _, model := range []string{"one", "two", "one", "three", "one"} {
		e := embed.Cached(open(t, embed.Config{Provider: "ollama", URL: s.URL, Model: model}), dir, nil)
		embedAll(t, e, "a")
		files, _ := filepath.Glob(filepath.Join(dir, "*.cache"))
		if len(files) > 2 {
			t.Errorf("%d caches are kept", len(files))
		}
	}
	if n := len(s.requests()); n > 4 {
		t.Errorf("%d requests", n)
	}
	if err := embed.DropCaches(dir); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.cache")); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
	if err := embed.DropCaches(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
}

func TestACacheThatMayNotBeWrittenIsRead(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	dir := t.TempDir()
	hook := cached(t, s.URL, dir, &embed.CacheOptions{ReadOnly: true})
	embedAll(t, hook, "a")
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("it wrote %v", files)
	}
	embedAll(t, cached(t, s.URL, dir, nil), "a")
	embedAll(t, hook, "a")
	if n := len(s.requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestWhatCostsNothingIsNotCached(t *testing.T) {
	h := embed.NewHash(0)
	if e := embed.Cached(h, t.TempDir(), nil); e != memory.Embedder(h) {
		t.Errorf("got %T", e)
	}
}

func TestDamageInACacheIsAMiss(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	dir := t.TempDir()
	embedAll(t, cached(t, s.URL, dir, nil), "a", "bb", "ccc")
	files, err := filepath.Glob(filepath.Join(dir, "*.cache"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	embedHere := func(what string) {
		if v, err := cached(t, s.URL, dir, nil).Embed(t.Context(), []string{"a", "bb", "ccc"}); err != nil {
			t.Errorf("%s: %v", what, err)
		} else {
			for i, text := range []string{"a", "bb", "ccc"} {
				near(t, what, v[i], unitOf(text)...)
			}
		}
	}
	for at := 0; at < len(whole); at += 1 + at/40 {
		damaged := append([]byte(nil), whole...)
		damaged[at] ^= 0x41
		for _, data := range [][]byte{damaged, whole[:at]} {
			if err := os.WriteFile(files[0], data, 0o600); err != nil {
				t.Fatal(err)
			}
			embedHere(fmt.Sprintf("byte %d of %d", at, len(whole)))
		}
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(files[0], 0o700); err != nil {
		t.Fatal(err)
	}
	embedHere("a folder in its place")
}

// A cache of 256 places that is asked for more forgets the oldest and answers
// rightly all the same.
func TestACacheHasABound(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	dir := t.TempDir()
	e := cached(t, s.URL, dir, &embed.CacheOptions{MaxBytes: 1})
	text := func(i int) string { return strings.Repeat("x", i+1) }
	for i := range 300 {
		embedAll(t, e, text(i))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.cache"))
	info, err := os.Stat(files[0])
	if err != nil || info.Size() > 64+256*(32+12) {
		t.Errorf("%v, %v", info.Size(), err)
	}
	before := len(s.requests())
	for i := range 300 {
		embedAll(t, e, text(299-i)) // the newest are there, and are asked for first
	}
	if asked := len(s.requests()) - before; asked != 44 {
		t.Errorf("%d were asked for again, want 44", asked)
	}
}

func TestProcessesShareACacheAtOnce(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	dir := t.TempDir()
	var wg sync.WaitGroup
	for p := range 8 {
		e := cached(t, s.URL, dir, &embed.CacheOptions{MaxBytes: 1})
		wg.Go(func() {
			for i := range 60 {
				text := strings.Repeat("x", 1+(i*7+p*13)%400)
				v, err := e.Embed(context.Background(), []string{text})
				if err != nil {
					t.Error(err)
					return
				}
				near(t, "shared", v[0], unitOf(text)...)
			}
		})
	}
	wg.Wait()
}

func TestAFailureLosesNothingThatWasGot(t *testing.T) {
	s := newServer(t, func(n int, a asked, w http.ResponseWriter) {
		if a.Input[0] == strings.Repeat("x", 257) && n < 8 {
			w.WriteHeader(400)
			return
		}
		ollamaAnswer(n, a, w)
	})
	e := cached(t, s.URL, t.TempDir(), nil)
	var texts []string
	for i := range 300 {
		texts = append(texts, strings.Repeat("x", i+1))
	}
	if _, err := e.Embed(t.Context(), texts); err == nil {
		t.Fatal("no failure")
	}
	before := len(s.texts())
	for len(s.requests()) < 8 { // until the server has recovered
		_, _ = e.Embed(t.Context(), texts)
	}
	embedAll(t, e, texts...)
	var asked int
	for _, text := range s.texts()[before:] {
		if len(text) <= 256 {
			asked++
		}
	}
	if asked != 0 {
		t.Errorf("%d texts were asked for again", asked)
	}
}

func TestAModelThatWasExchangedEmptiesItsCache(t *testing.T) {
	var wide atomic.Bool
	s := newServer(t, func(n int, a asked, w http.ResponseWriter) {
		if !wide.Load() {
			ollamaAnswer(n, a, w)
			return
		}
		fmt.Fprintf(w, `{"embeddings":[[3,4,0]%s]}`, strings.Repeat(",[3,4,0]", len(a.Input)-1))
	})
	dir := t.TempDir()
	embedAll(t, cached(t, s.URL, dir, nil), "a")
	wide.Store(true)
	v, err := cached(t, s.URL, dir, nil).Embed(t.Context(), []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "a", v[0], 0.6, 0.8, 0)
	near(t, "b", v[1], 0.6, 0.8, 0)
}

func TestACacheAnswersLikeWhatIsBehindIt(t *testing.T) {
	s := newServer(t, ollamaAnswer)
	dir := t.TempDir()
	e := cached(t, s.URL, dir, nil)
	rapid.Check(t, func(r *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[ab記 ]{0,3}`), 0, 6).Draw(r, "texts")
		v, err := e.Embed(t.Context(), texts)
		if err != nil || len(v) != len(texts) {
			r.Fatalf("%d vectors, %v", len(v), err)
		}
		for i, text := range texts {
			if strings.TrimSpace(text) == "" {
				near(r, "blank", v[i], 0, 0)
			} else {
				near(r, text, v[i], unitOf(text)...)
			}
		}
	})
}

func FuzzCacheFile(f *testing.F) {
	f.Add([]byte("orihonVC\x01\x00\x00\x00\x02\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01"), "a")
	f.Add([]byte{}, "b")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		path := filepath.Join(t.TempDir(), "c")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if v := embed.LookUp(path, text); v != nil {
			t.Logf("%d dimensions", len(v)) // a checksum that was guessed
		}
	})
}
