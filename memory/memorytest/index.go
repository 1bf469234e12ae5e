package memorytest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/memory"
)

// day is a fixed time for the suites.
var day = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

// Passage makes a personal statement of the user ada for tests.
func Passage(id, text string) memory.Passage {
	return memory.Passage{
		ID: id, Source: "personal/semantic.jsonl", Line: 1,
		Item: memory.Item{
			ID: id, Kind: memory.Semantic, Topic: memory.Fact, Content: text, Scope: memory.Personal("ada"), Tier: memory.Observed,
			Metadata: memory.Metadata{CreatedAt: day, UpdatedAt: day, Source: memory.FromUser, Confidence: memory.StatedConfidence},
		},
	}
}

// lengths is an embedder that sees nothing but the length of a text.
type lengths struct{}

// ID names it.
func (lengths) ID() string { return "memorytest/lengths/2" }

// Embed puts texts on a circle and fails when ctx ends.
func (lengths) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		sin, cos := math.Sincos(float64(len(t)))
		out[i] = []float32{float32(sin), float32(cos)}
	}
	return out, ctx.Err()
}

// TestIndex is the contract of [memory.Index], and of what an index offers
// beyond it. open gives an empty index;
// query cuts a prompt into the terms that the index understands.
func TestIndex(t *testing.T, open func(t *testing.T) memory.Index, query func(prompt string) []string) {
	ada := []memory.Scope{memory.Global, memory.Shared, memory.Personal("ada")}
	ctx := t.Context()
	apply := func(t *testing.T, x memory.Index, b memory.Batch) {
		t.Helper()
		if err := x.Apply(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	search := func(t *testing.T, x memory.Index, prompt string, f memory.Filter) []memory.Candidate {
		t.Helper()
		if f.Scopes == nil {
			f.Scopes = ada
		}
		c, err := x.Search(ctx, memory.Search{Terms: query(prompt), Text: prompt, Filter: f})
		if err != nil {
			t.Fatal(err)
		}
		return c.Hits
	}
	found := func(t *testing.T, x memory.Index, prompt string, f memory.Filter) []string {
		t.Helper()
		var ids []string
		for _, h := range search(t, x, prompt, f) {
			if h.Own > 0 || h.Near > 0 || h.Trigger {
				ids = append(ids, h.Passage.ID)
			}
		}
		slices.Sort(ids)
		return ids
	}
	ids := func(passages []memory.Passage) (out []string) {
		for i := range passages {
			out = append(out, passages[i].ID)
		}
		return out
	}
	same := func(t *testing.T, want, got []string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("wrong passages (-want +got):\n%s", diff)
		}
	}

	t.Run("finds by words of both languages and returns the passage whole", func(t *testing.T) {
		x := open(t)
		p := Passage("a", "We deploy with make ship, never with kubectl directly")
		p.Item.Relations.RelatedTo = []string{"b"}
		p.Heading = "Operations › Deployment"
		p.Parent, p.Whole, p.Summary = "atom", 300, "How we deploy."
		apply(t, x, memory.Batch{Put: []memory.Passage{p, Passage("b", "部署前必須先執行 npm run build"), Passage("c", "Tests live beside the code")}})
		same(t, []string{"a"}, found(t, x, "how do I deploy with kubectl?", memory.Filter{}))
		same(t, []string{"b"}, found(t, x, "部署前要做什么", memory.Filter{}))
		hits := search(t, x, "kubectl", memory.Filter{})
		if len(hits) == 0 {
			t.Fatal("nothing found")
		}
		if diff := cmp.Diff(p, hits[0].Passage); diff != "" {
			t.Errorf("the passage came back changed (-want +got):\n%s", diff)
		}
	})

	t.Run("the last version of a passage wins and the old words are gone", func(t *testing.T) {
		x := open(t)
		apply(t, x, memory.Batch{Put: []memory.Passage{Passage("a", "the timeout is thirty")}})
		apply(t, x, memory.Batch{Put: []memory.Passage{Passage("a", "the limit is sixty"), Passage("a", "the deadline is ninety")}})
		same(t, nil, found(t, x, "timeout thirty limit sixty", memory.Filter{}))
		same(t, []string{"a"}, found(t, x, "deadline", memory.Filter{}))
	})

	t.Run("replacing a file drops what no longer stands in it", func(t *testing.T) {
		x := open(t)
		apply(t, x, memory.Batch{Put: []memory.Passage{Passage("a", "alpha"), Passage("b", "beta")}})
		apply(t, x, memory.Batch{Replace: []string{"personal/semantic.jsonl"}, Put: []memory.Passage{Passage("b", "beta")}})
		same(t, []string{"b"}, found(t, x, "alpha beta", memory.Filter{}))
		apply(t, x, memory.Batch{Gone: []string{"personal/semantic.jsonl"}})
		same(t, nil, found(t, x, "alpha beta", memory.Filter{}))
	})

	t.Run("nothing outside the scopes is ever returned", func(t *testing.T) {
		x := open(t)
		var all []memory.Passage
		for i, s := range []memory.Scope{memory.Global, memory.Shared, memory.Role("art"), memory.Personal("ada"), memory.Personal("bob")} {
			p := Passage(fmt.Sprint(i), "the secret garden")
			p.Item.Scope = s
			p.Item.Triggers = []string{"garden"}
			all = append(all, p)
		}
		apply(t, x, memory.Batch{Put: all})
		same(t, []string{"0", "1", "3"}, found(t, x, "secret garden", memory.Filter{}))
		same(t, []string{"2"}, found(t, x, "secret garden", memory.Filter{Scopes: []memory.Scope{memory.Role("art")}}))
		same(t, nil, found(t, x, "secret garden", memory.Filter{Scopes: []memory.Scope{}}))
		got, err := x.Fetch(ctx, memory.Filter{Scopes: ada}, "4", "3", "0")
		if err != nil {
			t.Fatal(err)
		}
		same(t, []string{"3", "0"}, ids(got))
	})

	t.Run("every filter agrees with its definition", func(t *testing.T) {
		x := open(t)
		var all []memory.Passage
		for i := range 64 {
			p := Passage(fmt.Sprintf("p%02d", i), "common words everywhere")
			it := &p.Item
			it.Kind = []memory.Kind{memory.Semantic, memory.Episodic, memory.Procedural, memory.Note}[i%4]
			it.Topic = []memory.Topic{memory.Fact, memory.Pitfall, ""}[i%3]
			it.Tier = []memory.Tier{memory.Provisional, memory.Settled}[i%2]
			it.Metadata.Confidence = float64(i%10) / 10
			it.Metadata.CreatedAt = day.AddDate(0, 0, i)
			it.Metadata.Session = []string{"s1", "s2"}[i%2]
			it.Metadata.Tags = [][]string{nil, {"db"}, {"db", "ui"}}[i%3]
			if i%5 == 0 {
				it.ValidFrom = day.AddDate(0, 0, i)
			}
			if i%7 == 0 {
				it.ValidTo = day.AddDate(0, 0, 30)
			}
			if i%11 == 0 {
				p.SupersededBy = "p01"
				it.ValidTo = day.AddDate(0, 0, 40)
			}
			if i%6 == 0 {
				p.Population = memory.UserTurns
			}
			all = append(all, p)
		}
		apply(t, x, memory.Batch{Put: all})
		filters := map[string]memory.Filter{
			"none": {}, "kinds": {Kinds: []memory.Kind{memory.Episodic, memory.Note}}, "topics": {Topics: []memory.Topic{memory.Pitfall}},
			"tiers": {Tiers: []memory.Tier{memory.Settled}}, "tags": {Tags: []string{"ui"}}, "confidence": {MinConfidence: 0.5},
			"since": {Since: day.AddDate(0, 0, 20)}, "until": {Until: day.AddDate(0, 0, 20)}, "superseded": {Superseded: true},
			"as of": {AsOf: day.AddDate(0, 0, 25)}, "as of, late": {AsOf: day.AddDate(0, 0, 50)},
			"present":                {AsOf: day.AddDate(0, 0, 5), Present: true},
			"as of, with superseded": {AsOf: day.AddDate(0, 0, 50), Superseded: true},
			"no turns":               {NoTurns: true}, "not session": {NotSession: "s2"},
			"together": {Kinds: []memory.Kind{memory.Semantic}, MinConfidence: 0.3, Tags: []string{"db"}, NoTurns: true, AsOf: day.AddDate(0, 0, 45)},
		}
		for name, f := range filters {
			t.Run(name, func(t *testing.T) {
				f.Scopes = ada
				var want []string
				for i := range all {
					if f.Match(&all[i]) {
						want = append(want, all[i].ID)
					}
				}
				same(t, want, found(t, x, "common words", f))
			})
		}
	})

	t.Run("statements are counted", func(t *testing.T) {
		x := open(t)
		turn, episode, note, rule := Passage("turn", "zebra"), Passage("episode", "zebra"), Passage("note", "zebra"), Passage("rule", "zebra")
		turn.Population, episode.Item.Kind, note.Item.Kind, rule.Item.Kind = memory.UserTurns, memory.Episodic, memory.Note, memory.Procedural
		retired := Passage("retired", "zebra")
		retired.Retired = true
		counts := func(want int, b memory.Batch) {
			t.Helper()
			apply(t, x, b)
			c, err := x.Search(t.Context(), memory.Search{Terms: []string{"zebra"}, Text: "zebra", Limit: 10})
			if err != nil || c.Stated != want {
				t.Errorf("%d statements, want %d (%v)", c.Stated, want, err)
			}
		}
		counts(2, memory.Batch{Put: []memory.Passage{Passage("fact", "zebra"), turn, episode, note, rule, retired}})
		rule.Item.Kind = memory.Episodic
		counts(1, memory.Batch{Put: []memory.Passage{rule}})
	})

	t.Run("what is retired is not found", func(t *testing.T) {
		x := open(t)
		p := Passage("a", "zebra crossing")
		apply(t, x, memory.Batch{Put: []memory.Passage{p}})
		p.Retired = true
		apply(t, x, memory.Batch{Put: []memory.Passage{p}})
		same(t, nil, found(t, x, "zebra", memory.Filter{}))
		p.Retired = false
		apply(t, x, memory.Batch{Put: []memory.Passage{p}})
		same(t, []string{"a"}, found(t, x, "zebra", memory.Filter{}))
	})

	t.Run("triggers and aliases call an item up, phrases and Chinese included", func(t *testing.T) {
		x := open(t)
		p, q := Passage("a", "use the blue cluster"), Passage("b", "每週五發版")
		p.Item.Triggers = []string{"Helm chart"}
		q.Item.Aliases = []string{"上線"}
		apply(t, x, memory.Batch{Put: []memory.Passage{p, q}})
		same(t, []string{"a"}, found(t, x, "where is the helm chart?", memory.Filter{}))
		same(t, []string{"b"}, found(t, x, "什么时候上线呢", memory.Filter{}))
		same(t, nil, found(t, x, "helmet charts", memory.Filter{}))
	})

	t.Run("phrases find an item by each of their words, and are not its text", func(t *testing.T) {
		x := open(t)
		p := Passage("a", "use the blue cluster")
		p.Item.NeededWhen = []string{"bring the site back after a crash", "網站掛了怎麼辦"}
		apply(t, x, memory.Batch{Put: []memory.Passage{p}})
		same(t, []string{"a"}, found(t, x, "the crash again", memory.Filter{}))
		same(t, []string{"a"}, found(t, x, "网站又挂了", memory.Filter{}))
		if hits := search(t, x, "crash", memory.Filter{}); len(hits) != 1 || hits[0].Passage.Item.Content != p.Item.Content || !slices.Equal(hits[0].Passage.Item.NeededWhen, p.Item.NeededWhen) {
			t.Errorf("got %+v, want the item as it was put", hits)
		}
		p.Item.NeededWhen = nil
		apply(t, x, memory.Batch{Put: []memory.Passage{p}})
		same(t, nil, found(t, x, "the crash again", memory.Filter{}))
		long := Passage("b", "the red one")
		for range memory.MaxNeededWhen {
			long.Item.NeededWhen = append(long.Item.NeededWhen, strings.Repeat("everything ", memory.MaxPhrase/10)+"beyond")
		}
		long.Item.NeededWhen = append(long.Item.NeededWhen, "superfluous")
		apply(t, x, memory.Batch{Put: []memory.Passage{long}})
		same(t, nil, found(t, x, "beyond superfluous", memory.Filter{}))
	})

	t.Run("a turn is found by its neighbours, and says so", func(t *testing.T) {
		x := open(t)
		p := Passage("s/2", "Yes, on Friday.")
		p.Population, p.Near = memory.UserTurns, []memory.Neighbour{{Text: "When is the concert?", Distance: 1}}
		apply(t, x, memory.Batch{Put: []memory.Passage{p}})
		hits := search(t, x, "concert", memory.Filter{})
		if len(hits) != 1 || hits[0].Near <= 0 || hits[0].Own != 0 {
			t.Errorf("got %+v, want one hit by its neighbours alone", hits)
		}
		if c, err := x.Search(ctx, memory.Search{Terms: query("concert"), Filter: memory.Filter{Scopes: ada}, Limit: 1}); err != nil || len(c.Hits) != 1 {
			t.Errorf("the only one asked for: %+v, %v", c.Hits, err)
		}
	})

	t.Run("document frequencies and matches are counted", func(t *testing.T) {
		x := open(t)
		apply(t, x, memory.Batch{Put: []memory.Passage{Passage("a", "apple apple pear"), Passage("b", "apple"), Passage("c", "plum")}})
		words := query("apple pear cherry")
		c, err := x.Search(ctx, memory.Search{Terms: words, Filter: memory.Filter{Scopes: ada}})
		if err != nil {
			t.Fatal(err)
		}
		if c.N != 3 || !slices.Equal(c.DF, []int{2, 1, 0}) {
			t.Errorf("N=%d DF=%v, want 3 and [2 1 0] for %v", c.N, c.DF, words)
		}
		for _, h := range c.Hits {
			if h.Passage.ID == "a" && !slices.Equal(h.Matched, []int{2, 1, 0}) {
				t.Errorf("matched %v, want [2 1 0]", h.Matched)
			}
		}
	})

	t.Run("accesses come back oldest first", func(t *testing.T) {
		x := open(t)
		apply(t, x, memory.Batch{Put: []memory.Passage{Passage("a", "apple")}, Uses: []memory.Use{{ID: "a", At: day.Add(time.Hour)}, {ID: "a", At: day}}})
		hits := search(t, x, "apple", memory.Filter{})
		if len(hits) != 1 || !slices.EqualFunc(hits[0].Accesses, []time.Time{day, day.Add(time.Hour)}, time.Time.Equal) {
			t.Errorf("got %+v", hits)
		}
	})

	t.Run("the stamp remembers every file as it was given", func(t *testing.T) {
		x := open(t)
		f := memory.File{Path: "shared/a.md", Kind: "atom", Size: 7, MTime: day.Add(123456789), Hash: "abc", Offset: 7, Mark: `{"x":1}`}
		apply(t, x, memory.Batch{Files: []memory.File{f}})
		s, err := x.Stamp(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]memory.File{f}, s.Files); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("among equals the ID decides and not the order of writing", func(t *testing.T) {
		var put []memory.Passage
		for i := range 80 {
			p := Passage(fmt.Sprintf("p%02d", i), "apple pie")
			p.Item.Triggers = []string{"dessert"}
			put = append(put, p)
		}
		for _, prompt := range []string{"apple", "dessert"} {
			var answers [2][]string
			for i := range answers {
				x := open(t)
				for part := range slices.Chunk(put, 30) {
					apply(t, x, memory.Batch{Put: part})
				}
				c, err := x.Search(ctx, memory.Search{Terms: query(prompt), Text: prompt, Filter: memory.Filter{Scopes: ada}, Limit: 10})
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range c.Hits {
					answers[i] = append(answers[i], h.Passage.ID)
				}
				slices.Reverse(put)
			}
			same(t, answers[0], answers[1])
			if len(answers[0]) < 10 || answers[0][0] != "p00" {
				t.Errorf("%s: found %v, want ten from p00 on", prompt, answers[0])
			}
		}
	})

	t.Run("re-embedding is seen when it is done and not before", func(t *testing.T) {
		x := open(t)
		r, ok := x.(memory.Reembedder)
		if !ok {
			t.Skip("this index does not re-embed")
		}
		apply(t, x, memory.Batch{Put: []memory.Passage{Passage("a", "apple"), Passage("b", "pear")}})
		before, err := x.Stamp(ctx)
		if err != nil {
			t.Fatal(err)
		}
		serving := func(want string) {
			t.Helper()
			s, err := x.Stamp(ctx)
			if err != nil || s.Embedder != want {
				t.Errorf("serving %q, %v; want %q", s.Embedder, err, want)
			}
			same(t, []string{"a"}, found(t, x, "apple", memory.Filter{}))
		}
		ended, cancel := context.WithCancel(ctx)
		if err := r.Reembed(ended, lengths{}, func(int, int) { cancel() }); err == nil && before.Passages > 0 {
			t.Error("cancelled, and yet no error")
		}
		cancel()
		if before.Passages > 0 {
			serving(before.Embedder)
		}
		if err := r.Reembed(ctx, lengths{}, func(done, total int) { serving(before.Embedder) }); err != nil {
			t.Fatal(err)
		}
		serving(lengths{}.ID())
		want := memory.Embedding{Passages: before.Passages, Serving: lengths{}.ID(), Embedded: before.Passages}
		if got, err := r.Embedding(ctx); got != want || err != nil {
			t.Errorf("the vectors are %+v, %v; want %+v", got, err, want)
		}
	})

	t.Run("the newest come first, and no more than were asked for", func(t *testing.T) {
		x := open(t)
		r, ok := x.(memory.Recent)
		if !ok {
			t.Skip("this index does not find the newest alone")
		}
		var put []memory.Passage
		for i, id := range []string{"d", "a", "c", "b", "e"} {
			p := Passage(id, "apple")
			p.Item.Metadata.CreatedAt = day.AddDate(0, 0, -i/2) // d and a, c and b, e
			put = append(put, p)
		}
		apply(t, x, memory.Batch{Put: put})
		for n, want := range map[int][]string{0: nil, 3: {"a", "d", "b"}, 9: {"a", "d", "b", "c", "e"}} {
			got, err := r.Newest(ctx, memory.Filter{Scopes: ada}, n)
			if err != nil {
				t.Fatal(err)
			}
			same(t, want, ids(got))
		}
	})

	t.Run("what once held is searched instead", func(t *testing.T) {
		x := open(t)
		now, once := Passage("a", "the heron limit is nine"), Passage("a", "the heron limit is five")
		now.Source, once.Source = "f", "f"
		apply(t, x, memory.Batch{Put: []memory.Passage{now, Passage("b", "the heron sleeps")}})
		s := memory.Search{Terms: []string{"heron", "five"}, Text: "heron five", Filter: memory.Filter{Scopes: ada}, Limit: 10}
		for range 2 { // and is forgotten behind the search
			s.Instead = &memory.Batch{Put: []memory.Passage{once}}
			got, err := x.Search(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Hits) != 2 || got.Hits[0].Passage.Item.Content != once.Item.Content || got.Hits[0].Own == 0 {
				t.Skipf("this index passes over it: %+v", got.Hits)
			}
			s.Instead = nil
			if got, err = x.Search(t.Context(), s); err != nil || len(got.Hits) != 2 || got.Hits[0].Passage.Item.Content != now.Item.Content {
				t.Errorf("afterwards: %+v, %v", got.Hits, err)
			}
		}
	})

	t.Run("what is pending is found, and not written", func(t *testing.T) {
		x := open(t)
		p, ok := x.(memory.Pending)
		if !ok {
			t.Skip("this index has nothing pending")
		}
		if err := p.Pend(ctx, memory.Batch{Put: []memory.Passage{Passage("a", "apple")}}); err != nil {
			t.Fatal(err)
		}
		same(t, []string{"a"}, found(t, x, "apple", memory.Filter{}))
		if s, err := x.Stamp(ctx); err != nil || s.Passages != 0 {
			t.Errorf("the stamp counts %d passages, %v; want none", s.Passages, err)
		}
		if err := p.Pend(ctx, memory.Batch{}); err != nil {
			t.Fatal(err)
		}
		same(t, nil, found(t, x, "apple", memory.Filter{}))
	})

	t.Run("files are looked up by kind and by path, and a sync is remembered", func(t *testing.T) {
		x := open(t)
		r, ok := x.(memory.Syncable)
		if !ok {
			t.Skip("this index does not look files up")
		}
		a, b := memory.File{Path: "a.md", Kind: "atom", Size: 1}, memory.File{Path: "b.jsonl", Kind: "ledger", Size: 2}
		apply(t, x, memory.Batch{Files: []memory.File{b, a}})
		byKind, err := r.Files(ctx, "ledger", "log")
		if diff := cmp.Diff([]memory.File{b}, byKind); err != nil || diff != "" {
			t.Errorf("ledgers: %v (-want +got):\n%s", err, diff)
		}
		byPath, err := r.FilesAt(ctx, "b.jsonl", "c.md", "a.md")
		if diff := cmp.Diff([]memory.File{a, b}, byPath); err != nil || diff != "" {
			t.Errorf("by path: %v (-want +got):\n%s", err, diff)
		}
		if err := r.Synced(ctx, day); err != nil {
			t.Fatal(err)
		}
		if s, err := x.Stamp(ctx); err != nil || !s.Synced.Equal(day) || s.Stale != "" {
			t.Errorf("synced %v, stale %q, %v; want %v", s.Synced, s.Stale, err, day)
		}
	})

	t.Run("a sound index passes its check, and its statements are counted and told", func(t *testing.T) {
		x := open(t)
		turn, gone := Passage("s/1", "plum"), Passage("c", "quince")
		turn.Population, turn.Item.Metadata.Session = memory.UserTurns, "s"
		gone.Retired = true
		apply(t, x, memory.Batch{
			Put:   []memory.Passage{turn, Passage("b", "pear"), Passage("a", "apple"), gone},
			Files: []memory.File{{Path: "personal/semantic.jsonl", Kind: "ledger"}},
		})
		if r, ok := x.(memory.Checker); ok {
			if err := r.Check(ctx); err != nil {
				t.Error(err)
			}
			if n, err := r.Statements(ctx); n != 2 || err != nil {
				t.Errorf("%d statements, %v; want 2", n, err)
			}
		}
		if r, ok := x.(memory.Trainable); ok {
			var got []memory.PassageText
			for p, err := range r.Passages(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, p)
			}
			want := []memory.PassageText{{ID: "a", Text: "apple", Line: 1}, {ID: "b", Text: "pear", Line: 1}, {ID: "s/1", Text: "plum", Turn: true, Session: "s", Line: 1}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
		}
	})

	t.Run("an ended context ends a search", func(t *testing.T) {
		x := open(t)
		apply(t, x, memory.Batch{Put: []memory.Passage{Passage("a", "apple")}})
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := x.Search(ended, memory.Search{Terms: query("apple"), Filter: memory.Filter{Scopes: ada}}); err == nil {
			t.Error("no error")
		}
	})
}
