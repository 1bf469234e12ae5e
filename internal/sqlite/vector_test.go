package sqlite

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"orihon/embed"
	"orihon/internal/score"
	"orihon/memory"
)

func index(t testing.TB) string { return filepath.Join(t.TempDir(), "index.db") }

func apply(t testing.TB, x *Index, b memory.Batch) {
	t.Helper()
	if err := x.Apply(context.Background(), b); err != nil {
		t.Fatal(err)
	}
}

func reembed(t testing.TB, x *Index, e memory.Embedder) {
	t.Helper()
	if err := x.Reembed(context.Background(), e, nil); err != nil {
		t.Fatal(err)
	}
}

func embedding(t testing.TB, x *Index) memory.Embedding {
	t.Helper()
	e, err := x.Embedding(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answer lists what a search finds, with cosines.
func answer(t testing.TB, x *Index, s memory.Search) []string {
	t.Helper()
	c, err := x.Search(context.Background(), s)
	if err != nil || len(c.Degraded) > 0 {
		t.Fatal(err, c.Degraded)
	}
	var out []string
	for _, h := range c.Hits {
		out = append(out, fmt.Sprintf("%s %.9f", h.Passage.ID, h.Vector))
	}
	return out
}

func TestTheNearestVectorsAreFoundAmongManyOfThem(t *testing.T) {
	for _, tt := range []struct{ n, dim int }{{30_000, 96}, {5_000, 384}} {
		t.Run(fmt.Sprint(tt.dim, " dimensions"), func(t *testing.T) {
			const queries = 30
			all := clustered(5, tt.n+queries, tt.dim)
			x := filled(t, index(t), &table{"t", all[queries:]})
			if r := recallAt10(t, x, all[queries:], all[:queries]); r < 0.95 {
				t.Errorf("recall of the nearest ten %.3f, want at least .95", r)
			}
		})
	}
}

// TestTheNearestVectorsOfRealTextsAreFound runs where the development data lie
// beside the repository.
func TestTheNearestVectorsOfRealTextsAreFound(t *testing.T) {
	dev := filepath.Join("..", "..", "..", "shared", "bench", "dev")
	for name, load := range map[string]func(*json.Decoder) ([][]float32, error){
		"madial_en_memory_vectors_bge_m3.json.gz": func(d *json.Decoder) ([][]float32, error) {
			var model struct{ Vectors [][]float32 }
			err := d.Decode(&model)
			for _, v := range model.Vectors {
				unit(v)
			}
			return model.Vectors, err
		},
		"cmrc2018_sentences.jsonl.gz": func(d *json.Decoder) ([][]float32, error) {
			var texts []string
			for d.More() {
				var c struct{ Turns []struct{ Text string } }
				if err := d.Decode(&c); err != nil {
					return nil, err
				}
				for _, turn := range c.Turns {
					texts = append(texts, turn.Text)
				}
			}
			return embed.NewHash(0).Embed(t.Context(), texts)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join(dev, name))
			if err != nil {
				t.Skip("SKIPPED: the development data are not here")
			}
			defer f.Close()
			z, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			all, err := load(json.NewDecoder(z))
			if err != nil {
				t.Fatal(err)
			}
			const queries = 60
			r := rand.New(rand.NewPCG(1, 1))
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			x := filled(t, index(t), &table{"t", all[queries:]})
			got := recallAt10(t, x, all[queries:], all[:queries])
			t.Logf("recall of the nearest ten of %d: %.3f", len(all)-queries, got)
			if got < 0.95 {
				t.Errorf("recall of the nearest ten %.3f, want at least .95", got)
			}
		})
	}
}

func TestInvisiblePassagesDoNotCrowdOutVisibleOnes(t *testing.T) {
	const near, far = 3000, 300
	all := clustered(6, far, 64)
	q := all[0]
	e := &table{id: "t"}
	for i := range near {
		v := slices.Clone(q)
		v[i%64] += 0.01
		e.vectors = append(e.vectors, unit(v))
	}
	e.vectors = append(e.vectors, all...)
	hide := map[string]func(p *memory.Passage, f *memory.Filter){
		"of another's scope": func(p *memory.Passage, _ *memory.Filter) { p.Item.Scope = memory.Personal("bob") },
		"turns":              func(p *memory.Passage, f *memory.Filter) { p.Population, f.NoTurns = memory.UserTurns, true },
	}
	for name, hide := range hide {
		t.Run(name, func(t *testing.T) {
			x := openTable(t, index(t), e)
			var b memory.Batch
			f := everything
			for i := range e.vectors {
				p := tablePassage(i)
				if i < near {
					hide(&p, &f)
				}
				b.Put = append(b.Put, p)
			}
			apply(t, x, b)
			var want []string
			order := slices.Clone(all)
			slices.SortFunc(order, func(a, b []float32) int { return cmp.Compare(dotFloat(q, b), dotFloat(q, a)) })
			least := dotFloat(q, order[4])
			for i, v := range all {
				if dotFloat(q, v) >= least {
					want = append(want, fmt.Sprintf("p%07d", near+i))
				}
			}
			c, err := x.Search(t.Context(), memory.Search{Vector: q, Filter: f, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range c.Hits {
				got = append(got, h.Passage.ID)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAmongEqualVectorsTheIDDecidesAndNotTheOrderOfWriting(t *testing.T) {
	e := &table{id: "t", vectors: clustered(7, 1, 64)}
	for len(e.vectors) < 500 {
		e.vectors = append(e.vectors, e.vectors[0])
	}
	var put []memory.Passage
	for i := range e.vectors {
		p := tablePassage(i)
		p.Item.Triggers = []string{"apple"}
		put = append(put, p)
	}
	for name, s := range map[string]memory.Search{
		"vectors":  {Vector: e.vectors[0], Filter: everything, Limit: 10},
		"triggers": {Text: "an apple", Filter: everything, Limit: 10},
		"times": {Times: []memory.Span{{From: put[0].Item.Metadata.CreatedAt, To: put[0].Item.Metadata.CreatedAt.Add(1)}},
			Filter: everything, Limit: 10},
	} {
		t.Run(name, func(t *testing.T) {
			var answers [2][]string
			for i := range answers {
				x := openTable(t, index(t), e)
				apply(t, x, memory.Batch{Put: put})
				answers[i] = answer(t, x, s)
				slices.Reverse(put)
			}
			if diff := gocmp.Diff(answers[0], answers[1]); diff != "" {
				t.Errorf("-forth +back:\n%s", diff)
			}
			if len(answers[0]) == 0 || answers[0][0][:8] != "p0000000" {
				t.Errorf("found %v, want the lowest IDs", answers[0])
			}
		})
	}
}

func TestOfThousandsOfEqualVectorsNoneIsChosen(t *testing.T) {
	e := &table{id: "t", vectors: clustered(7, 3, 64)}
	put := []memory.Passage{tablePassage(0), tablePassage(1), tablePassage(2)}
	for len(e.vectors) < 1500 {
		put = append(put, tablePassage(len(e.vectors)))
		e.vectors = append(e.vectors, e.vectors[1])
	}
	x := openTable(t, index(t), e)
	apply(t, x, memory.Batch{Put: put})
	got := answer(t, x, memory.Search{Vector: e.vectors[0], Filter: everything, Limit: 10})
	if len(got) == 0 || got[0][:8] != "p0000000" || len(got) > 2 {
		t.Errorf("found %d passages: %.3q, want p0000000 and none of the equal ones", len(got), got)
	}
}

// TestVectorsAnswerAlikeIncrementalReembeddedAndRebuilt edits an index at
// random, under changing embedders, and compares it with one made at once.
func TestVectorsAnswerAlikeIncrementalReembeddedAndRebuilt(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 9))
		var embedders []*table
		for i, dim := range []int{96, 40, 300} {
			e := &table{fmt.Sprint("e", i), clustered(seed, 600, dim)}
			for i := range e.vectors { // many are equal, some are of nothing
				switch r.IntN(4) {
				case 0:
					e.vectors[i] = e.vectors[r.IntN(3)]
				case 1:
					if r.IntN(10) == 0 {
						e.vectors[i] = make([]float32, dim)
					}
				}
			}
			embedders = append(embedders, e)
		}
		path, now := index(t), 0
		x := openTable(t, path, embedders[now])
		truth := make(map[string]memory.Passage)
		for range 30 {
			var b memory.Batch
			for range r.IntN(60) {
				p := tablePassage(r.IntN(400))
				p.Item.Content = fmt.Sprint("v", r.IntN(600))
				p.Retired = r.IntN(9) == 0
				if r.IntN(3) == 0 {
					p.Population = memory.UserTurns
				}
				truth[p.ID], b.Put = p, append(b.Put, p)
			}
			for id := range truth {
				if r.IntN(40) == 0 {
					b.Remove = append(b.Remove, id)
				}
			}
			slices.Sort(b.Remove)
			b.Put = slices.DeleteFunc(b.Put, func(p memory.Passage) bool { return slices.Contains(b.Remove, p.ID) })
			for _, id := range b.Remove {
				delete(truth, id)
			}
			apply(t, x, b)
			if r.IntN(6) == 0 {
				now = r.IntN(len(embedders))
				reembed(t, x, embedders[now])
				x = openTable(t, path, embedders[now])
			}
		}
		rebuilt := openTable(t, index(t), embedders[now])
		var b memory.Batch
		for _, p := range truth {
			b.Put = append(b.Put, p)
		}
		apply(t, rebuilt, b)
		if diff := gocmp.Diff(embedding(t, rebuilt), embedding(t, x)); diff != "" {
			t.Errorf("seed %d: -rebuilt +incremental:\n%s", seed, diff)
		}
		for range 20 {
			s := memory.Search{Vector: embedders[now].vectors[r.IntN(600)], Filter: everything, Limit: 2 + r.IntN(40)}
			s.Filter.NoTurns = r.IntN(2) == 0
			if diff := gocmp.Diff(answer(t, rebuilt, s), answer(t, x, s)); diff != "" {
				t.Fatalf("seed %d, limit %d: -rebuilt +incremental:\n%s", seed, s.Limit, diff)
			}
		}
	}
}

// halting ends a re-embedding after some batches.
type halting struct {
	table
	batches int
	failure error
	embeds  int
}

func (e *halting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if e.batches--; e.batches < 0 {
		return nil, e.failure
	}
	e.embeds += len(texts)
	return e.table.Embed(ctx, texts)
}

func TestReembeddingGoesOnWhereItWasStopped(t *testing.T) {
	const n = 1500
	path := index(t)
	before, after := &table{"before", clustered(1, n, 64)}, table{"after", clustered(2, n, 200)}
	x := filled(t, path, before)
	asked := memory.Search{Vector: before.vectors[3], Filter: everything, Limit: 10}
	old := answer(t, x, asked)

	failure := errors.New("the server is down")
	e := &halting{table: after, batches: 2, failure: failure}
	if err := x.Reembed(t.Context(), e, nil); !errors.Is(err, failure) {
		t.Fatalf("got %v, want the embedder's error", err)
	}
	if diff := gocmp.Diff(old, answer(t, x, asked)); diff != "" {
		t.Errorf("a search sees the unfinished vectors (-before +after):\n%s", diff)
	}
	half := embedding(t, x)
	if half.Serving != "before" || half.Next != "after" || half.NextEmbedded != 512 {
		t.Errorf("state %+v, want 512 of the next embedder", half)
	}

	// Another process goes on, while passages are written, changed and removed.
	y := openTable(t, path, &after)
	rest := &halting{table: after, batches: 100}
	first := true
	err := y.Reembed(t.Context(), rest, func(done, total int) {
		if !first {
			return
		}
		first = false
		changed := tablePassage(1)
		changed.Item.Content = "v700"
		fresh := tablePassage(n)
		fresh.Item.Content = "v700"
		apply(t, x, memory.Batch{Put: []memory.Passage{changed, fresh}, Remove: []string{"p0000002"}})
		if err := x.Reembed(t.Context(), before, nil); !errors.Is(err, memory.ErrBusy) {
			t.Errorf("a second call returned %v, want busy", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := n - 512 + 2; rest.embeds > want {
		t.Errorf("%d texts were embedded, want at most %d: the rest and what changed", rest.embeds, want)
	}
	if s := embedding(t, y); s != (memory.Embedding{Passages: n, Serving: "after", Embedded: n}) {
		t.Errorf("state %+v", s)
	}
	got := neighbours(t, y, after.vectors[700], 3)
	slices.Sort(got)
	if diff := gocmp.Diff([]string{"p0000001", "p0000700", fmt.Sprintf("p%07d", n)}, got); diff != "" {
		t.Errorf("passages written meanwhile (-want +got):\n%s", diff)
	}

	// The handle of the old embedder leaves the vectors out and says so.
	c, err := x.Search(t.Context(), asked)
	if err != nil || !slices.Equal(c.Degraded, []string{memory.OtherEmbedder}) || len(c.Hits) > 0 {
		t.Errorf("%d hits, degraded %v, %v; want none by another embedder's vectors", len(c.Hits), c.Degraded, err)
	}
}

func TestACancelledReembeddingChangesNothingAndCanBeTurnedBack(t *testing.T) {
	before, after := &table{"before", clustered(1, 600, 64)}, &table{"after", clustered(2, 600, 64)}
	x := filled(t, index(t), before)
	asked := memory.Search{Vector: before.vectors[3], Filter: everything, Limit: 10}
	old := answer(t, x, asked)
	ctx, cancel := context.WithCancel(t.Context())
	if err := x.Reembed(ctx, after, func(int, int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want cancelled", err)
	}
	if diff := gocmp.Diff(old, answer(t, x, asked)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	reembed(t, x, before)
	if s := embedding(t, x); s != (memory.Embedding{Passages: 600, Serving: "before", Embedded: 600}) {
		t.Errorf("state %+v, want nothing left of the other embedder", s)
	}
}

func TestPassagesOfABrokenEmbedderAreFoundByTextAndEmbeddedLater(t *testing.T) {
	vectors := clustered(1, 3, 64)
	path := index(t)
	x := openTable(t, path, &halting{table: table{"t", vectors}, failure: errors.New("down")})
	apply(t, x, memory.Batch{Put: []memory.Passage{tablePassage(0), tablePassage(1), tablePassage(2)}})
	if got := answer(t, x, memory.Search{Terms: []string{"v1"}, Vector: vectors[1], Filter: everything}); len(got) != 1 {
		t.Errorf("found %v, want one by its text", got)
	}
	if s := embedding(t, x); s.Embedded != 0 || s.Passages != 3 {
		t.Errorf("state %+v", s)
	}
	reembed(t, x, &table{"t", vectors})
	if got := neighbours(t, x, vectors[1], 1); !slices.Equal(got, []string{"p0000001"}) {
		t.Errorf("found %v", got)
	}
}

func TestAnEmbedderThatChangesItsDimensionDoesNotMixVectors(t *testing.T) {
	path := index(t)
	apply(t, openTable(t, path, &table{"t", clustered(1, 2, 64)}), memory.Batch{Put: []memory.Passage{tablePassage(0)}})
	other := &table{"t", clustered(1, 2, 128)}
	x := openTable(t, path, other)
	apply(t, x, memory.Batch{Put: []memory.Passage{tablePassage(1)}})
	if s := embedding(t, x); s.Embedded != 1 || s.Passages != 2 {
		t.Errorf("state %+v, want the second passage without a vector", s)
	}
	if err := x.Reembed(t.Context(), other, nil); err == nil {
		t.Error("no error")
	}
	c, err := x.Search(t.Context(), memory.Search{Vector: other.vectors[0], Filter: everything})
	if err != nil || !slices.Equal(c.Degraded, []string{"vectors"}) {
		t.Errorf("degraded %v, %v; want the vectors", c.Degraded, err)
	}
}

func TestASearchSeesWhatAnotherProcessWrote(t *testing.T) {
	vectors := clustered(1, 400, 64)
	path := index(t)
	e := &table{"t", vectors}
	filled(t, path, &table{"t", vectors[:300]})
	y := openTable(t, path, e)
	for i := range 6 { // by now it has vectors in memory
		neighbours(t, y, vectors[i], 3)
	}
	if y.vectors.whole == nil || len(y.vectors.rows) == 0 {
		t.Fatal("nothing was kept")
	}
	x := openTable(t, path, e)
	apply(t, x, memory.Batch{Put: []memory.Passage{tablePassage(350)}, Remove: []string{"p0000000"}})
	if got := neighbours(t, y, vectors[350], 1); !slices.Equal(got, []string{"p0000350"}) {
		t.Errorf("found %v, want what the other wrote", got)
	}
	if got := neighbours(t, y, vectors[0], 1); slices.Equal(got, []string{"p0000000"}) {
		t.Error("found what the other removed")
	}
}

func TestManySearchesAtOnceDoNotWaitForEachOther(t *testing.T) {
	vectors := clustered(1, 300, 64)
	x := filled(t, index(t), &table{"t", vectors})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 10 {
				c, err := x.Search(ctx, memory.Search{Vector: vectors[g*10+i], Filter: everything, Limit: 10})
				if err != nil || len(c.Hits) == 0 || len(c.Degraded) > 0 {
					t.Errorf("%d hits, degraded %v, %v", len(c.Hits), c.Degraded, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestDamagedVectorsAreLeftOutAndNeverCompared(t *testing.T) {
	vectors := clustered(1, 100, 64)
	for name, query := range map[string]string{
		"a flipped bit in the codes":   `UPDATE code SET data = CAST(substr(data, 1, 700) || x'ff' || substr(data, 702) AS BLOB)`,
		"a flipped bit in the vectors": `UPDATE vec SET data = CAST(substr(data, 1, 70) || x'55' || substr(data, 72) AS BLOB)`,
		"codes cut short":              `UPDATE code SET data = substr(data, 1, 100)`,
		"no codes":                     `DELETE FROM code`,
		"no vectors":                   `DELETE FROM vec`,
	} {
		t.Run(name, func(t *testing.T) {
			x := filled(t, index(t), &table{"t", vectors})
			if _, err := x.db.Exec(query); err != nil {
				t.Fatal(err)
			}
			c, err := x.Search(t.Context(), memory.Search{Terms: []string{"v7"}, Vector: vectors[3], Filter: everything})
			if err != nil || !slices.Equal(c.Degraded, []string{"vectors"}) {
				t.Errorf("degraded %v, %v; want the vectors", c.Degraded, err)
			}
			if len(c.Hits) != 1 || c.Hits[0].Vector != 0 {
				t.Errorf("%d hits, want one by its text alone", len(c.Hits))
			}
		})
	}
}

// A passage without its text can never get a vector: whoever waits for it would
// wait for ever.
func TestReembeddingEndsAtAPassageThatHasLostItsText(t *testing.T) {
	before, after := &table{"before", clustered(1, 600, 64)}, &table{"after", clustered(2, 600, 64)}
	for _, e := range []memory.Embedder{before, after} {
		x := filled(t, index(t), before)
		if err := x.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{`DELETE FROM body WHERE rowid = (SELECT max(rowid) FROM body)`, `DELETE FROM code`} {
			if _, err := x.db.Exec(query); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Reembed(t.Context(), e, nil); !Damaged(err) {
			t.Errorf("with %s: %v, want damage", e.ID(), err)
		}
		if err := x.Check(t.Context()); !Damaged(err) {
			t.Errorf("the check says %v, want damage", err)
		}
	}
}

func TestARemovedPassageLeavesNoVector(t *testing.T) {
	dir := t.TempDir()
	before, after := &table{"before", clustered(1, 700, 128)}, &halting{table: table{"after", clustered(2, 700, 128)}, batches: 1, failure: errors.New("enough")}
	x := filled(t, filepath.Join(dir, "index.db"), before)
	if err := x.Reembed(t.Context(), after, nil); !errors.Is(err, after.failure) {
		t.Fatal(err)
	}
	var traces [][]byte
	for _, e := range []*table{before, &after.table} {
		v := score.NewRotation(128).Vector(e.vectors[5])
		raw := make([]byte, len(v.Q))
		for i, x := range v.Q {
			raw[i] = byte(x)
		}
		traces = append(traces, raw[:32], v.Code(nil)[:16])
	}
	in := func() (held []int) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for i, trace := range traces {
				if bytes.Contains(data, trace) {
					held = append(held, i)
				}
			}
		}
		slices.Sort(held)
		return slices.Compact(held)
	}
	wipe := func() {
		t.Helper()
		if err := x.Wipe(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	wipe()
	if held := in(); len(held) != len(traces) {
		t.Fatalf("only %v of the vectors' traces were there to begin with", held)
	}
	apply(t, x, memory.Batch{Remove: []string{"p0000005"}})
	wipe()
	if held := in(); len(held) > 0 {
		t.Errorf("traces %v are still there", held)
	}
}

func TestHowNearPassagesUsuallyLieIsDrawnForForeignModelsAlone(t *testing.T) {
	vectors := clustered(7, 501, 64)
	query, vectors := vectors[0], vectors[1:]
	mean := 0.0
	for _, v := range vectors {
		mean += float64(dotFloat(query, v)) / float64(len(vectors)) // all are of length 1
	}
	for id, want := range map[string]int{"openai/model": 128, "builtin/table/x": 0} {
		c, err := filled(t, index(t), &table{id, vectors}).Search(t.Context(), memory.Search{Vector: query, Filter: everything})
		if err != nil || c.Usual.N != want {
			t.Errorf("%s: %+v, %v, want %d drawn", id, c.Usual, err, want)
		}
		if want > 0 && (math.Abs(c.Usual.Mean-mean) > 0.05 || c.Usual.Deviation <= 0) {
			t.Errorf("%s: %+v, the mean of all is %.3f", id, c.Usual, mean)
		}
	}
}
