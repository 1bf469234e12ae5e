package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"orihon/memory"
)

// A store that has looked often answers like one that reads everything anew,
// whatever other processes and editors do to the ledger.
func TestTableAnswersAsTheLedgerItselfDoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		ctx := context.Background()
		now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		open := func() *Store {
			s, err := Open(&Options{
				Roots: []Root{{Name: "personal", Dir: filepath.Join(dir, "memory"), Scope: memory.Personal("ann")}},
				State: dir, Now: func() time.Time { return now },
			})
			if err != nil {
				rt.Fatal(err)
			}
			return s
		}
		old := open()
		file := filepath.Join(dir, "memory", "semantic.jsonl")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 7))
		ids := []string{"a", "b", "c", "d\"q", "e/é"}
		for step := range rapid.IntRange(2, 20).Draw(rt, "steps") {
			id := ids[rng.IntN(len(ids))]
			data, _ := os.ReadFile(file)
			switch by := []*Store{old, open()}[rng.IntN(2)]; rng.IntN(10) {
			case 0, 1, 2, 3:
				err = by.Put(ctx, memory.Item{
					ID: id, Kind: memory.Semantic, Topic: memory.Fact, Content: fmt.Sprintf("said %d 次", step), Scope: memory.Personal("ann"),
					Tier: memory.Observed, Metadata: memory.Metadata{CreatedAt: now, UpdatedAt: now, Source: memory.FromUser, Confidence: 0.9},
				})
			case 4:
				err = by.Remove(ctx, id, "old", now)
			case 9:
				_, err = by.Archive(ctx, now, memory.Leaving{ID: id, Why: "idle"})
			case 5: // an editor that writes in place
				err = os.WriteFile(file, append([]byte(`{"id":"e/é","content":"by hand","kind":"semantic","topic":"fact"}`+"\n"), data...), 0o600)
			case 6: // one that replaces the file and drops a line
				if i := bytes.IndexByte(data, '\n'); i >= 0 {
					err = os.Rename(write(t, file+".tmp", data[i+1:]), file)
				}
			case 7:
				err = os.WriteFile(file, append(data, `{"v":1,"id":"a","kind":"none"}`+"\n"...), 0o600)
			case 8:
				err = os.WriteFile(file, append(data, ` { "content": "by hand", "id": "b", "kind": "semantic", "topic": "fact" }`+"\n"...), 0o600)
			}
			if err != nil && !os.IsNotExist(err) && !isNotFound(err) {
				rt.Fatal(err)
			}
			got, err := old.find(ctx, ids...)
			if err != nil {
				rt.Fatal(err)
			}
			want, err := open().find(ctx, ids...)
			if err != nil {
				rt.Fatal(err)
			}
			same := cmp.Options{cmp.AllowUnexported(place{}, entry{}), cmpopts.EquateEmpty(), cmp.Comparer(func(a, b *Root) bool { return a.Name == b.Name })}
			if diff := cmp.Diff(want, got, same, cmpopts.IgnoreTypes(entry{})); diff != "" {
				rt.Fatalf("step %d (-read anew +by table):\n%s", step, diff)
			}
		}
	})
}

func write(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return path
}

func isNotFound(err error) bool { return errors.Is(err, memory.ErrNotFound) }

func BenchmarkPutIntoLargeStore(b *testing.B) {
	ctx := context.Background()
	dir := b.TempDir()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s, err := Open(&Options{Roots: []Root{{Name: "personal", Dir: filepath.Join(dir, "memory"), Scope: memory.Personal("ann")}}, State: dir, Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	item := func(i int) memory.Item {
		return memory.Item{
			ID: fmt.Sprintf("item-%08d", i), Kind: memory.Semantic, Topic: memory.Fact, Content: fmt.Sprintf("service %d listens on port %d behind the gateway", i, 3000+i), Scope: memory.Personal("ann"),
			Tier: memory.Observed, Metadata: memory.Metadata{CreatedAt: now, UpdatedAt: now, Source: memory.FromUser, Confidence: 0.9},
		}
	}
	const size = 100_000
	many := make([]memory.Item, size)
	for i := range many {
		many[i] = item(i)
	}
	if err := s.Put(ctx, many...); err != nil {
		b.Fatal(err)
	}
	if _, err := s.find(ctx, "x"); err != nil {
		b.Fatal(err)
	}
	n := size
	for b.Loop() {
		n++
		if err := s.Put(ctx, item(n)); err != nil {
			b.Fatal(err)
		}
	}
}
