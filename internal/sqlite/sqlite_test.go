package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/embed"
	"orihon/internal/jsonl"
	"orihon/internal/sqlite"
	"orihon/internal/terms"
	"orihon/memory"
	"orihon/memory/memorytest"
)

var ada = []memory.Scope{memory.Personal("ada")}

func open(t testing.TB, path string) *sqlite.Index {
	t.Helper()
	x, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: embed.NewHash(0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func TestIndexKeepsTheContract(t *testing.T) {
	memorytest.TestIndex(t, func(t *testing.T) memory.Index {
		return open(t, filepath.Join(t.TempDir(), "index.db"))
	}, terms.Query)
}

func TestStatementsAreCountedAsTheyGo(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	stated := func(want int) {
		t.Helper()
		c, err := x.Search(t.Context(), memory.Search{Text: "zebra", Terms: []string{"zebra"}})
		if err != nil || c.Stated != want {
			t.Errorf("%d statements, want %d (%v)", c.Stated, want, err)
		}
	}
	turn := memorytest.Passage("turn", "zebra")
	turn.Population = memory.UserTurns
	put := memory.Batch{Put: []memory.Passage{memorytest.Passage("a", "zebra"), memorytest.Passage("b", "zebra"), turn}}
	if err := x.Apply(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	stated(2)
	if err := x.Apply(t.Context(), memory.Batch{Remove: []string{"a", "turn"}}); err != nil {
		t.Fatal(err)
	}
	stated(1)
}

// pended keeps what is applied pending, so that the contract is also held
// against the in-memory half of the index.
type pended struct {
	*sqlite.Index
	batch memory.Batch
}

func (p *pended) Apply(ctx context.Context, b memory.Batch) error {
	if len(b.Uses)+len(b.Files) > 0 {
		return p.Index.Apply(ctx, b)
	}
	kept := p.batch.Put[:0]
	for _, old := range p.batch.Put {
		if !slices.Contains(b.Replace, old.Source) && !slices.Contains(b.Gone, old.Source) {
			kept = append(kept, old)
		}
	}
	p.batch.Put = append(kept, b.Put...)
	return p.Pend(ctx, p.batch)
}

func TestPendingPassagesKeepTheContract(t *testing.T) {
	memorytest.TestIndex(t, func(t *testing.T) memory.Index {
		return &pended{Index: open(t, filepath.Join(t.TempDir(), "index.db"))}
	}, terms.Query)
}

// dump describes an index by what it answers.
func dump(t *testing.T, x *sqlite.Index, prompts []string) string {
	t.Helper()
	var b strings.Builder
	for _, prompt := range prompts {
		vectors, _ := embed.NewHash(0).Embed(t.Context(), []string{prompt})
		c, err := x.Search(t.Context(), memory.Search{Terms: terms.Query(prompt), Text: prompt, Vector: vectors[0], Filter: memory.Filter{Scopes: ada}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s N=%d DF=%v\n", prompt, c.N, c.DF)
		for _, h := range c.Hits {
			fmt.Fprintf(&b, "  %s %.9f %.9f %.9f %v %v\n", h.Passage.ID, h.Own, h.Near, h.Vector, h.Trigger, h.Matched)
		}
	}
	return b.String()
}

var vocabulary = strings.Fields("deploy kubectl timeout cache index 部署 記憶 资料库 測試 user_session parseHTTPRequest retry error config")

func randomPassage(r *rand.Rand) memory.Passage {
	words := make([]string, 3+r.IntN(8))
	for i := range words {
		words[i] = vocabulary[r.IntN(len(vocabulary))]
	}
	p := memorytest.Passage(fmt.Sprintf("p%d", r.IntN(40)), strings.Join(words, " "))
	p.Source = fmt.Sprintf("file%d", r.IntN(4))
	p.ID = p.Source + "/" + p.ID
	p.Retired = r.IntN(8) == 0
	if r.IntN(3) == 0 {
		p.Item.Triggers = []string{vocabulary[r.IntN(len(vocabulary))]}
	}
	if r.IntN(2) == 0 {
		p.Population, p.Near = memory.UserTurns, []memory.Neighbour{{Text: vocabulary[r.IntN(len(vocabulary))], Distance: 1 + r.IntN(2)}}
	}
	return p
}

func TestAnIncrementalIndexAnswersLikeARebuiltOne(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			incremental := open(t, filepath.Join(t.TempDir(), "index.db"))
			truth := make(map[string]memory.Passage)
			var last memory.Batch
			for range 25 {
				var b memory.Batch
				switch r.IntN(4) {
				case 0:
					file := fmt.Sprintf("file%d", r.IntN(4))
					b.Replace = []string{file}
					for id, p := range truth {
						if p.Source == file {
							delete(truth, id)
						}
					}
				case 1:
					for id := range truth {
						b.Remove = append(b.Remove, id)
						delete(truth, id)
						break
					}
				}
				for range r.IntN(12) {
					p := randomPassage(r)
					b.Put = append(b.Put, p)
					truth[p.ID] = p
				}
				last = b
				if err := incremental.Apply(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
			rebuilt := open(t, filepath.Join(t.TempDir(), "index.db"))
			var all memory.Batch
			for _, p := range truth {
				all.Put = append(all.Put, p)
			}
			if err := rebuilt.Apply(t.Context(), all); err != nil {
				t.Fatal(err)
			}
			want := dump(t, rebuilt, vocabulary)
			if diff := cmp.Diff(want, dump(t, incremental, vocabulary)); diff != "" {
				t.Errorf("last batch %+v\n-rebuilt +incremental:\n%s", last, diff)
			}
		})
	}
}

func TestAPendingBatchAnswersLikeAnAppliedOne(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		pending, applied := open(t, filepath.Join(t.TempDir(), "a.db")), open(t, filepath.Join(t.TempDir(), "b.db"))
		var first, second memory.Batch
		for range 30 {
			first.Put = append(first.Put, randomPassage(r))
		}
		for range 5 {
			second.Put = append(second.Put, randomPassage(r))
		}
		for _, err := range []error{
			pending.Apply(t.Context(), first), pending.Pend(t.Context(), second),
			applied.Apply(t.Context(), first), applied.Apply(t.Context(), second),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		hits := func(x *sqlite.Index, prompt string) []string {
			c, err := x.Search(t.Context(), memory.Search{Terms: terms.Query(prompt), Text: prompt, Filter: memory.Filter{Scopes: ada}})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, h := range c.Hits {
				ids = append(ids, fmt.Sprint(h.Passage.ID, h.Matched, h.Trigger, h.Passage.Item.Content))
			}
			return ids
		}
		for _, prompt := range vocabulary {
			if diff := cmp.Diff(hits(applied, prompt), hits(pending, prompt)); diff != "" {
				t.Errorf("seed %d, %s: -applied +pending:\n%s", seed, prompt, diff)
			}
		}
	}
}

func TestOpenStartsOverWhenTheFileCannotBeUsed(t *testing.T) {
	for _, tt := range []struct {
		name, stale string
		spoil       func(t *testing.T, path string)
	}{
		{"another format", "format", func(t *testing.T, path string) { exec(t, path, `UPDATE meta SET value = '0' WHERE key = 'format'`) }},
		{"no generation of vectors", "embedder", func(t *testing.T, path string) { exec(t, path, `DELETE FROM meta WHERE key = 'vectors'`) }},
		{"vectors nobody can read", "vectors", func(t *testing.T, path string) {
			exec(t, path, `UPDATE meta SET value = '{"dim":-1}' WHERE key = 'vectors'`)
		}},
		{"another tokenizer", "tokenizer", func(t *testing.T, path string) { exec(t, path, `DELETE FROM meta WHERE key = 'tokenizer'`) }},
		{"no tables", "no tables", func(t *testing.T, path string) { exec(t, path, `DROP TABLE meta`) }},
		{"not a database", "not a database", func(t *testing.T, path string) {
			write(t, path, []byte(strings.Repeat("this is no database. ", 400)))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index.db")
			x := open(t, path)
			if err := x.Apply(t.Context(), memory.Batch{Put: []memory.Passage{memorytest.Passage("a", "apple")}}); err != nil {
				t.Fatal(err)
			}
			if err := x.Synced(t.Context(), time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			x.Close()
			tt.spoil(t, path)
			if _, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: embed.NewHash(0), ReadOnly: true}); !sqlite.Damaged(err) {
				t.Errorf("read-only: got %v, want an error that asks for a rebuild", err)
			}
			x = open(t, path)
			s, err := x.Stamp(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(s.Stale, tt.stale) || s.Passages != 0 {
				t.Errorf("stale %q with %d passages, want a reason with %q and none", s.Stale, s.Passages, tt.stale)
			}
		})
	}
}

func TestOnlyARebuildForDamageIsAWarning(t *testing.T) {
	for _, tt := range []struct {
		name string
		warn bool
		// spoil makes a sound index one that must be rebuilt.
		spoil func(t *testing.T, path string)
	}{
		{"another tokenizer", false, func(t *testing.T, path string) { exec(t, path, `UPDATE meta SET value = '0' WHERE key = 'tokenizer'`) }},
		{"another format", false, func(t *testing.T, path string) { exec(t, path, `UPDATE meta SET value = '0' WHERE key = 'format'`) }},
		{"no tables", true, func(t *testing.T, path string) { exec(t, path, `DROP TABLE meta`) }},
		{"not a database", true, func(t *testing.T, path string) {
			write(t, path, []byte(strings.Repeat("this is no database. ", 400)))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index.db")
			open(t, path).Close()
			tt.spoil(t, path)
			var said bytes.Buffer
			x, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: embed.NewHash(0), Logger: slog.New(slog.NewTextHandler(&said, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if !strings.Contains(said.String(), "index is rebuilt") || strings.Contains(said.String(), "level=WARN") != tt.warn {
				t.Errorf("said %q; want the rebuild told, as a warning: %v", &said, tt.warn)
			}
		})
	}
}

func TestAnIndexThatAnotherProcessIsCreatingIsNotTakenForABrokenOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path)
	if err := x.Synced(t.Context(), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	x.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The creator holds the lock and has not got further than the first table.
	unlock, err := jsonl.Lock(t.Context(), path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.db")
	exec(t, empty, `CREATE TABLE passage (id)`)
	begun, err := os.ReadFile(empty)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, begun)
	var said bytes.Buffer
	opened := make(chan *sqlite.Index)
	go func() {
		x, err := sqlite.Open(context.Background(), path, &sqlite.Options{Embedder: embed.NewHash(0), Logger: slog.New(slog.NewTextHandler(&said, nil))})
		if err != nil {
			t.Error(err)
		}
		opened <- x
	}()
	time.Sleep(50 * time.Millisecond) // it has looked, and waits for the lock
	write(t, path, whole)
	unlock()
	if x = <-opened; x == nil {
		t.FailNow()
	}
	defer x.Close()
	if s, err := x.Stamp(t.Context()); err != nil || s.Stale != "" || said.Len() > 0 {
		t.Errorf("stale %q, %v, said %q; want the finished index and not a word", s.Stale, err, &said)
	}
}

func TestAMissingIndexIsNotCreatedByAReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "index.db")
	_, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: embed.NewHash(0), ReadOnly: true})
	if !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("the folder was created")
	}
}

func TestWipedTextIsNowhereInTheFiles(t *testing.T) {
	dir := t.TempDir()
	x := open(t, filepath.Join(dir, "index.db"))
	secret := "xylophonequartz"
	if err := x.Apply(t.Context(), memory.Batch{Put: []memory.Passage{memorytest.Passage("a", secret), memorytest.Passage("b", "other")}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Apply(t.Context(), memory.Batch{Remove: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Wipe(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		// The stemmed term is a prefix of the word.
		if strings.Contains(string(data), secret[:10]) {
			t.Errorf("%s still holds the purged text", e.Name())
		}
	}
}

func TestManyWritersAndReadersShareOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	open(t, path)
	var wg sync.WaitGroup
	for w := range 4 {
		x := open(t, path)
		wg.Go(func() {
			for i := range 15 {
				if err := x.Apply(context.Background(), memory.Batch{Put: []memory.Passage{memorytest.Passage(fmt.Sprintf("w%d-%d", w, i), "shared apple")}}); err != nil {
					t.Errorf("write: %v", err)
				}
				if _, err := x.Search(context.Background(), memory.Search{Terms: []string{"appl"}, Filter: memory.Filter{Scopes: ada}}); err != nil {
					t.Errorf("read: %v", err)
				}
			}
		})
	}
	wg.Wait()
	s, err := open(t, path).Stamp(t.Context())
	if err != nil || s.Passages != 60 {
		t.Errorf("%d passages, %v; want 60", s.Passages, err)
	}
}

func TestVectorsFindWhatSharesLettersOnly(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	if err := x.Apply(t.Context(), memory.Batch{Put: []memory.Passage{memorytest.Passage("a", "kubernetes clusters"), memorytest.Passage("b", "lunch is at noon")}}); err != nil {
		t.Fatal(err)
	}
	prompt := "kuberntes" // misspelt
	vectors, err := embed.NewHash(0).Embed(t.Context(), []string{prompt})
	if err != nil {
		t.Fatal(err)
	}
	c, err := x.Search(t.Context(), memory.Search{Terms: terms.Query(prompt), Vector: vectors[0], Filter: memory.Filter{Scopes: ada}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Hits) != 1 || c.Hits[0].Passage.ID != "a" || c.Hits[0].Own != 0 {
		t.Errorf("got %+v, want a by its vector alone", c.Hits)
	}
}

func TestDiskFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	open(t, filepath.Join(dir, "index.db"))
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAmongEqualsTheIDDecidesAndNotTheOrderOfWriting(t *testing.T) {
	var put []memory.Passage
	for i := range 300 {
		put = append(put, memorytest.Passage(fmt.Sprintf("p%03d", i), "apple pie"))
	}
	found := func(order []memory.Passage) []string {
		x := open(t, filepath.Join(t.TempDir(), "index.db"))
		if err := x.Apply(t.Context(), memory.Batch{Put: order}); err != nil {
			t.Fatal(err)
		}
		c, err := x.Search(t.Context(), memory.Search{Terms: []string{"appl"}, Filter: memory.Filter{Scopes: ada}, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range c.Hits {
			ids = append(ids, h.Passage.ID)
		}
		return ids
	}
	forth := found(put)
	slices.Reverse(put)
	if diff := cmp.Diff(forth, found(put)); diff != "" || len(forth) != 10 || forth[0] != "p000" {
		t.Errorf("%v (-forth +back):\n%s", forth, diff)
	}
}

func TestManyTurnsTakeNoStatementsPlace(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	put := []memory.Passage{memorytest.Passage("statement", "the walrus store, among much else that makes this text a long one, opens at nine")}
	for i := range 40 {
		turn := memorytest.Passage(fmt.Sprintf("s/%d", i), "walrus store")
		turn.Population, turn.Item.Metadata.Session = memory.UserTurns, "s"
		put = append(put, turn)
	}
	if err := x.Apply(t.Context(), memory.Batch{Put: put}); err != nil {
		t.Fatal(err)
	}
	c, err := x.Search(t.Context(), memory.Search{Terms: terms.Query("walrus store"), Filter: memory.Filter{Scopes: ada}, Limit: 5})
	if err != nil || !slices.ContainsFunc(c.Hits, func(h memory.Candidate) bool { return h.Passage.ID == "statement" }) {
		t.Errorf("the statement is not among %d candidates, %v", len(c.Hits), err)
	}
}

func TestWhatAMistypedWordIsMeantForIsKnownAsLongAsItIsHeld(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	put := func(b memory.Batch) {
		t.Helper()
		if err := x.Apply(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	spelled := func(want map[string]string) {
		t.Helper()
		got, err := x.Spelled(t.Context(), []string{"walrsu", "lantern", "部署"})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	}
	spelled(map[string]string{})
	put(memory.Batch{Put: []memory.Passage{memorytest.Passage("a", "a walrus"), memorytest.Passage("b", "two walrus and a lantern")}})
	spelled(map[string]string{"walrsu": "walrus", "lantern": "lantern"})
	put(memory.Batch{Remove: []string{"b"}})
	spelled(map[string]string{"walrsu": "walrus"})
	put(memory.Batch{Put: []memory.Passage{memorytest.Passage("c", "a walrsy")}}) // as near
	spelled(map[string]string{})
	put(memory.Batch{Remove: []string{"a", "c"}})
	spelled(map[string]string{})
}

func TestASessionsOwnPromptMakesNoWordKnown(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	turn := func(id, session, text string) memory.Passage {
		p := memorytest.Passage(id, text)
		p.Population, p.Item.Metadata.Session = memory.UserTurns, session
		return p
	}
	err := x.Apply(t.Context(), memory.Batch{Put: []memory.Passage{
		memorytest.Passage("known", "the ferry leaves at nine"),
		turn("earlier", "other", "is the ferry late?"),
		turn("own", "mine", "when does the ferry leave the quay?"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for session, want := range map[string][]int{"mine": {2, 0}, "other": {2, 1}, "": {3, 1}} {
		c, err := x.Search(t.Context(), memory.Search{
			Terms: terms.Query("ferry quay"), Filter: memory.Filter{Scopes: ada, NotSession: session},
		})
		if err != nil || !slices.Equal(c.DF, want) {
			t.Errorf("asked by session %q: %v, %v, want %v", session, c.DF, err, want)
		}
	}
}
