package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"orihon/embed"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// Somebody cuts the file short under an open index. What was mapped into memory
// is gone then, and a search says so instead of ending the process.
func TestAFileThatIsCutShortIsDamageAndNoFault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	var b memory.Batch
	for i := range 2000 {
		id := fmt.Sprintf("id-%d", i)
		b.Put = append(b.Put, memory.Passage{ID: id, Source: "x", Item: memory.Item{
			ID: id, Kind: memory.Semantic, Scope: "global", Metadata: memory.Metadata{Confidence: 0.9},
			Content: fmt.Sprintf("Statement %d: the service number %d is deployed with make ship from host-%d", i, i*7, i%50),
		}})
	}
	for _, cut := range []struct {
		file string
		size int64
	}{{"", 0}, {"", 4096}, {"", 64 << 10}, {"-wal", 0}, {"-shm", 0}} {
		o := &sqlite.Options{Embedder: embed.NewHash(64)}
		x, err := sqlite.Open(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Apply(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil { // the log is in the file then
			t.Fatal(err)
		}
		o.ReadOnly = true
		if x, err = sqlite.Open(t.Context(), path, o); err != nil {
			t.Fatal(err)
		}
		s := memory.Search{Terms: []string{"servic", "deploy"}, Filter: memory.Filter{Scopes: []memory.Scope{"global"}}}
		for range 3 { // queries that come again stay compiled
			if c, err := x.Search(t.Context(), s); err != nil || len(c.Hits) == 0 {
				t.Fatalf("%d hits, %v", len(c.Hits), err)
			}
		}
		_, err = x.Read(t.Context(), func() {
			if err := os.Truncate(path+cut.file, cut.size); err != nil {
				t.Fatal(err)
			}
		})
		if cut.file == "" && !sqlite.Damaged(err) {
			t.Errorf("cut to %d bytes while it is read: %v, want damage", cut.size, err)
		}
		for range 3 {
			if _, err := x.Search(t.Context(), s); cut.file == "" && !sqlite.Damaged(err) {
				t.Errorf("cut to %d bytes: %v, want damage", cut.size, err)
			}
		}
		_ = x.Close() // it must come back; what it says does not matter
		if err := sqlite.Delete(path, nil); err != nil {
			t.Fatal(err)
		}
	}
}
