// Package recalltest is what tests of recall, of openings and of advice share: an engine
// over a real index that holds given passages.
package recalltest

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/embed"
	"orihon/internal/recall"
	"orihon/internal/sqlite"
	"orihon/memory"
	"orihon/memory/memorytest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// When it is, and who asks.
var (
	Now = time.Date(2026, 3, 17, 12, 0, 0, 0, time.UTC) // three days behind memorytest's day
	Ada = memory.Viewer{User: "ada"}
)

// Clock says [Now].
func Clock() time.Time { return Now }

// Index is a real index that holds the passages.
func Index(t testing.TB, passages ...memory.Passage) *sqlite.Index {
	t.Helper()
	x, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), &sqlite.Options{Embedder: embed.NewHash(0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if err := x.Apply(t.Context(), memory.Batch{Put: passages}); err != nil {
		t.Fatal(err)
	}
	return x
}

// Asking gives a search the vector of its prompt, as whoever owns an index does.
type Asking struct {
	memory.Index
	Embedder memory.Embedder
}

// Search asks with the vector of the text.
func (a Asking) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	var err error
	if s.Vector, err = embed.Query(ctx, a.Embedder, s.Text); err != nil {
		return memory.Candidates{}, err
	}
	return a.Index.Search(ctx, s)
}

// Spelled is the index's own, if it knows how words are spelled.
func (a Asking) Spelled(ctx context.Context, words []string) (map[string]string, error) {
	if x, ok := a.Index.(memory.Speller); ok {
		return x.Spelled(ctx, words)
	}
	return nil, nil
}

// Over is an engine over indexes: the project's, then the user's.
func Over(sources ...memory.Index) *recall.Engine {
	o := &recall.Options{Now: Clock}
	all := make([]recall.Source, len(sources))
	for i, x := range sources {
		all[i] = recall.Source{Name: []string{"project", "user"}[i], Index: Asking{x, embed.NewHash(0)}}
	}
	return recall.New(o, all...)
}

// Engine is one over an index that holds the passages.
func Engine(t testing.TB, passages ...memory.Passage) *recall.Engine {
	t.Helper()
	return Over(Index(t, passages...))
}

// With changes a passage for a test.
func With(p memory.Passage, change func(p *memory.Passage)) memory.Passage {
	change(&p)
	return p
}

// Golden compares with a file whose lines in "#" on top say why the case
// exists; they survive -update.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	const end = "\n\n"
	prose, want, ok := strings.Cut(text, end)
	if !ok || !strings.HasPrefix(prose, "# ") {
		t.Fatalf("%s: want lines in # that say why the case exists, an empty line, then the text", path)
	}
	got += "\n"
	if *update {
		if err := os.WriteFile(path, []byte(prose+end+got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// Fillers are statements about other matters, so that a store is no longer a
// single sentence.
func Fillers() []memory.Passage {
	var out []memory.Passage
	for i, text := range []string{
		"The office plants are watered on Mondays",
		"Invoices are numbered per customer and year",
		"Avatars are cropped to a square before upload",
		"登入頁面的按鈕是藍色的",
		"用户头像保存在对象存储里",
	} {
		out = append(out, memorytest.Passage("filler"+string(rune('a'+i)), text))
	}
	return out
}
