package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon/internal/store"
	"orihon/internal/trust"
	"orihon/memory"
)

// index is the least an index must do with batches.
type index struct {
	passages map[string]memory.Passage
	files    map[string]memory.File
}

func newIndex() *index {
	return &index{passages: make(map[string]memory.Passage), files: make(map[string]memory.File)}
}

func (x *index) apply(b memory.Batch) {
	for _, path := range slices.Concat(b.Gone, b.Replace) {
		maps.DeleteFunc(x.passages, func(_ string, p memory.Passage) bool { return p.Source == path })
	}
	for _, path := range b.Gone {
		delete(x.files, path)
	}
	for _, id := range b.Remove {
		delete(x.passages, id)
	}
	for _, p := range b.Put {
		x.passages[p.ID] = p
	}
	for _, f := range b.Files {
		x.files[f.Path] = f
	}
}

func (x *index) known() []memory.File { return slices.Collect(maps.Values(x.files)) }

// sync brings an index up to date and returns the problems.
func (s *space) sync(x *index, depth memory.Depth) []memory.Problem {
	s.t.Helper()
	b, problems := s.changes(x.known(), depth)
	x.apply(b)
	return problems
}

// quickKnown is what a hook takes out of its index for a Quick look.
func (x *index) quickKnown() []memory.File {
	return slices.DeleteFunc(x.known(), func(f memory.File) bool { return !slices.Contains(store.QuickKinds(), f.Kind) })
}

func (x *index) ids() []string { return slices.Sorted(maps.Keys(x.passages)) }

func TestChangesOfALedgerReadOnlyWhatItGained(t *testing.T) {
	s := openSpace(t)
	put(t, s, fact("a", "Alpha is first."), fact("b", "Beta is second."))
	x := newIndex()
	s.sync(x, memory.FullLook)

	put(t, s, fact("c", "Gamma is third."))
	b, _ := s.changes(x.known(), memory.QuickLook)
	if len(b.Put) != 1 || b.Put[0].ID != "c" || len(b.Replace) != 0 {
		t.Fatalf("batch after one put = %+v, want only c", b)
	}
	if b.Put[0].Line != 3 {
		t.Errorf("line = %d, want 3", b.Put[0].Line)
	}
	x.apply(b)
	if b, _ := s.changes(x.known(), memory.QuickLook); !b.Empty() {
		t.Errorf("nothing changed, but the batch is %+v", b)
	}

	if err := s.Remove(t.Context(), "a", "outdated", s.now); err != nil {
		t.Fatal(err)
	}
	b, _ = s.changes(x.known(), memory.QuickLook)
	if len(b.Put) != 1 || b.Put[0].ID != "a" || !b.Put[0].Retired || b.Put[0].Item.Content != "Alpha is first." {
		t.Errorf("batch after retiring = %+v, want a, retired, with its text", b.Put)
	}
}

func TestALedgerEditedInTheMiddleIsReadWhole(t *testing.T) {
	for _, depth := range []memory.Depth{memory.QuickLook, memory.FullLook} {
		s := openSpace(t)
		put(t, s, fact("a", "Alpha is first."), fact("b", "Beta is second."), fact("c", "Gamma."))
		x := newIndex()
		s.sync(x, memory.FullLook)
		s.write("personal/semantic.jsonl", strings.ReplaceAll(s.read("personal/semantic.jsonl"), "Beta is second", "Beta was always second"))
		b, _ := s.changes(x.known(), depth)
		if !slices.Equal(b.Replace, []string{"personal/semantic.jsonl"}) || len(b.Put) != 3 {
			t.Errorf("depth %d: batch = %+v, want the whole ledger again", depth, b)
		}
		if err := os.Remove(filepath.Join(s.dir, "personal/semantic.jsonl")); err != nil {
			t.Fatal(err)
		}
		b, _ = s.changes(x.known(), depth)
		if !slices.Equal(b.Gone, []string{"personal/semantic.jsonl"}) {
			t.Errorf("depth %d: gone = %v after the ledger was deleted", depth, b.Gone)
		}
	}
}

func TestASupersededItemIsPutAgainWithItsSuccessor(t *testing.T) {
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, old := range []string{"ledger", "atom", "bullet"} {
		s := openSpace(t)
		id := "old"
		switch old {
		case "ledger":
			put(t, s, fact("old", "The port is 8080."))
		case "atom":
			s.write("shared/port.md", "---\nid: old\n---\nThe port is 8080.\n")
		case "bullet":
			s.write("shared/port.md", "---\nid: atom\n---\n- The port is 8080.\n- The host is db1.\n")
		}
		x := newIndex()
		s.sync(x, memory.FullLook)
		if old == "bullet" {
			for _, p := range x.passages {
				if p.Item.Content == "The port is 8080." {
					id = p.ID
				}
			}
		}
		next := fact("new", "The port is 9090.")
		next.Relations.Supersedes, next.ValidFrom = id, at
		put(t, s, next)
		s.sync(x, memory.QuickLook)
		if p := x.passages[id]; p.SupersededBy != "new" || !p.Item.ValidTo.Equal(at) {
			t.Errorf("%s: superseded by %q until %v, want new until %v", old, p.SupersededBy, p.Item.ValidTo, at)
		}
		// Taking the successor back makes the old one current again.
		if err := s.Remove(t.Context(), "new", "wrong", at); err != nil {
			t.Fatal(err)
		}
		s.sync(x, memory.QuickLook)
		if p := x.passages[id]; p.SupersededBy != "" || !p.Item.ValidTo.IsZero() {
			t.Errorf("%s: still superseded by %q after its successor left", old, p.SupersededBy)
		}
	}
}

func TestAFullLookSettlesWhatAQuickOneCouldNotKnow(t *testing.T) {
	s := openSpace(t)
	s.write("shared/old.md", "---\nid: old\n---\nThe port is 8080.\n")
	s.write("personal/next.md", "---\nid: next\nsupersedes: host\n---\n主機是 db2。\n")
	put(t, s, fact("host", "主機是 db1。"))
	x := newIndex()
	s.sync(x, memory.FullLook)
	next := fact("new", "The port is 9090.")
	next.Relations.Supersedes = "old"
	put(t, s, next, fact("host", "主機是 db1!"))
	b, _ := s.changes(x.quickKnown(), memory.QuickLook)
	x.apply(b)
	s.sync(x, memory.FullLook)
	if old, host := x.passages["old"].SupersededBy, x.passages["host"].SupersededBy; old != "new" || host != "next" {
		t.Errorf("superseded by %q and %q, want new and next", old, host)
	}
	if b, _ := s.changes(x.known(), memory.FullLook); len(b.Put) > 0 {
		t.Errorf("the debt is paid twice: %+v", b.Put)
	}
}

func TestItemsThatSupersedeEachOtherLeaveOneCurrent(t *testing.T) {
	s := openSpace(t)
	for i, id := range []string{"a", "b", "c"} {
		it := fact(id, "Statement "+id)
		it.Relations.Supersedes = []string{"c", "a", "b"}[i]
		put(t, s, it)
	}
	self := fact("self", "It replaces itself.")
	self.Relations.Supersedes = "self"
	put(t, s, self)
	x := newIndex()
	s.sync(x, memory.FullLook)
	current := 0
	for _, id := range []string{"a", "b", "c"} {
		if x.passages[id].SupersededBy == "" {
			current++
		}
	}
	if current != 1 || x.passages["self"].SupersededBy != "" {
		t.Errorf("%d of 3 are current, self is superseded by %q", current, x.passages["self"].SupersededBy)
	}
}

func TestAnAtomGetsAnIDAndKeepsItWhenRenamed(t *testing.T) {
	s := openSpace(t)
	text := "---\r\n# mine\r\nkind: semantic\r\n---\r\n- 部署在週五。\r\n- Deploys run from main.\r\n"
	s.write("shared/deploy.md", text)
	x := newIndex()
	s.sync(x, memory.FullLook)
	want := strings.Replace(text, "---\r\n", "---\r\nid: new-1\r\n", 1)
	if got := s.read("shared/deploy.md"); got != want {
		t.Errorf("file = %q, want only an id line more: %q", got, want)
	}
	before := x.ids()
	if err := os.Rename(filepath.Join(s.dir, "shared/deploy.md"), filepath.Join(s.dir, "shared/zz.md")); err != nil {
		t.Fatal(err)
	}
	s.sync(x, memory.FullLook)
	if diff := cmp.Diff(before, x.ids()); diff != "" {
		t.Errorf("renaming changed the ids:\n%s", diff)
	}
	for _, p := range x.passages {
		if p.Source != "shared/zz.md" {
			t.Errorf("passage %s still stands in %s", p.ID, p.Source)
		}
	}
}

func TestACopiedAtomIsReportedAndLeftOutUntilTheOriginalGoes(t *testing.T) {
	s := openSpace(t)
	s.write("shared/a.md", "---\nid: x\n---\n- One.\n")
	x := newIndex()
	s.sync(x, memory.FullLook)
	s.write("shared/b.md", "---\nid: x\n---\n- One.\n- Two.\n")
	problems := s.sync(x, memory.FullLook)
	if len(problems) != 1 || problems[0].Path != "shared/b.md" || len(x.passages) != 1 {
		t.Errorf("problems = %v, %d passages; want one problem with b.md and one passage", problems, len(x.passages))
	}
	if err := os.Remove(filepath.Join(s.dir, "shared/a.md")); err != nil {
		t.Fatal(err)
	}
	s.sync(x, memory.FullLook)
	if len(x.passages) != 2 {
		t.Errorf("%d passages after the original went, want the copy's 2", len(x.passages))
	}
}

func TestDailyLogsAreIndexedWhereNoJournalCoversThem(t *testing.T) {
	s := openSpace(t)
	for _, session := range []string{"covered-1", "open-1"} {
		if err := s.AppendLog(t.Context(), s.now, session, []store.LogTurn{{User: true, Text: "Where do we deploy from, in " + session + "?"}, {Text: "From main."}}); err != nil {
			t.Fatal(err)
		}
	}
	x := newIndex()
	s.sync(x, memory.FullLook)
	if len(x.passages) != 1 {
		t.Fatalf("passages = %v, want one", x.ids())
	}
	p := x.passages["personal/2026-11-21.md#1"]
	if p.Item.Metadata.Session != "open-1" || !p.Item.Metadata.CreatedAt.Equal(s.now) || p.Item.Kind != memory.Note {
		t.Errorf("passage = %+v, want a note of session open-1 at %v", p, s.now)
	}

	// A journal that is gone leaves its part of the log to the index.
	o := s.options()
	o.Covered = nil
	bare, err := store.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := bare.Changes(t.Context(), x.known(), memory.FullLook)
	if err != nil {
		t.Fatal(err)
	}
	if x.apply(b); len(x.passages) != 2 {
		t.Errorf("passages = %v, want two now", x.ids())
	}
}

func TestUsesComeOutOnceAndOnlyForAccesses(t *testing.T) {
	s := openSpace(t)
	use := func(op memory.UsageOp, id string) {
		t.Helper()
		if err := s.Use(t.Context(), memory.Usage{Op: op, IDs: []string{id}, Session: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	use(memory.UsageInjected, "a")
	use(memory.UsageAccessed, "b")
	x := newIndex()
	b, _ := s.changes(nil, memory.QuickLook)
	x.apply(b)
	use(memory.UsageAccessed, "c")
	b2, _ := s.changes(x.known(), memory.QuickLook)
	got := append(b.Uses, b2.Uses...)
	if diff := cmp.Diff([]memory.Use{{ID: "b", At: s.now}, {ID: "c", At: s.now}}, got); diff != "" {
		t.Errorf("uses differ (-want +got):\n%s", diff)
	}
	if err := s.Use(t.Context(), memory.Usage{Op: "look", IDs: []string{"a"}}); err == nil {
		t.Error("an unknown op was taken")
	}
}

// The text decides what is remembered, not the way the index came to know it.
func TestIncrementalChangesEqualChangesFromNothing(t *testing.T) {
	words := []string{"deploy", "port 8080", "部署", "数据库", "never on Fridays", "資料庫遷移", "cache"}
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "space")
		if err != nil {
			rt.Fatal(err)
		}
		s, other := openForeign(t, dir), openForeign(t, dir)
		s.now = time.Now()
		book := trust.Open(filepath.Join(dir, "state", "trust.jsonl"), "ann", time.Now)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		sentence := func() string {
			return fmt.Sprintf("%s and %s, rule %d.", words[rng.IntN(len(words))], words[rng.IntN(len(words))], rng.IntN(50))
		}
		x := newIndex()
		ids := func() string { return fmt.Sprintf("i%d", rng.IntN(8)) }
		atom := func(n int) string { return fmt.Sprintf("shared/atom%d.md", n) }
		steps := rapid.SliceOfN(rapid.IntRange(0, 21), 1, 25).Draw(rt, "steps")
		for _, step := range steps {
			who := []*space{s, other}[rng.IntN(2)]
			switch step {
			case 0, 1, 2, 3:
				it := fact(ids(), sentence())
				it.Kind = []memory.Kind{memory.Semantic, memory.Episodic, memory.Procedural}[rng.IntN(3)]
				it.Metadata.CreatedAt = s.now.UTC().Truncate(time.Second).Add(time.Duration(rng.IntN(3)) * time.Hour)
				if rng.IntN(2) == 0 {
					it.Relations.Supersedes = []string{ids(), fmt.Sprintf("a%d", rng.IntN(3))}[rng.IntN(2)]
				}
				if err := who.Put(context.Background(), it); err != nil && !errors.Is(err, memory.ErrRefused) {
					rt.Fatal(err)
				}
			case 4:
				_ = who.Remove(context.Background(), ids(), "test", s.now)
			case 5:
				_, _ = who.Restore(context.Background(), ids())
			case 6:
				n := rng.IntN(3)
				s.write(atom(n), fmt.Sprintf("---\nid: a%d\nsupersedes: %s\n---\n- %s\n- %s\n", rng.IntN(3), ids(), sentence(), sentence()))
			case 7:
				_ = os.Remove(filepath.Join(dir, filepath.FromSlash(atom(rng.IntN(3)))))
			case 8:
				_ = os.Rename(filepath.Join(dir, filepath.FromSlash(atom(rng.IntN(3)))), filepath.Join(dir, filepath.FromSlash(atom(rng.IntN(3)))))
			case 9:
				file := "personal/" + []string{"semantic", "episodic"}[rng.IntN(2)] + ".jsonl"
				if raw, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
					lines := strings.SplitAfter(string(raw), "\n")
					at := rng.IntN(len(lines))
					s.write(file, strings.Join(append(lines[:at:at], lines[min(at+1, len(lines)):]...), ""))
				}
			case 10:
				s.write("personal/MEMORY.md", "# Core\n\n"+sentence()+"\n")
				s.write("docs/guide.md", "# Guide\n\n"+strings.Repeat(sentence()+" ", rng.IntN(60))+"\n")
			case 11:
				file := "personal/semantic.jsonl"
				if raw, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
					s.write(file, string(raw)+`{"v":1,"id":"torn`)
				}
			case 15:
				_, _ = who.Archive(context.Background(), s.now, memory.Leaving{ID: ids(), Why: "test"})
			case 16:
				_, _ = who.Archive(context.Background(), s.now, memory.Leaving{ID: fmt.Sprintf("a%d", rng.IntN(3))})
			case 17:
				waiting, _, err := who.Waiting(context.Background())
				if err != nil {
					rt.Fatal(err)
				}
				if len(waiting) > 0 {
					_ = book.Accept(context.Background(), waiting[rng.IntN(len(waiting))].Hash)
				}
			case 18:
				_ = book.Trust(context.Background())
			case 19:
				_ = book.Untrust(context.Background())
			case 20: // text that gives itself the ID of a private statement
				s.write(atom(3+rng.IntN(2)), fmt.Sprintf("---\nid: i%d\nsupersedes: %s\n---\n%s\n", rng.IntN(4), ids(), sentence()))
			case 21:
				s.write("shared/semantic.jsonl", fmt.Sprintf(`{"v":1,"id":%q,"content":%q,"metadata":{"confidence":1}}`+"\n"+`{"v":1,"op":"retire","id":%q}`+"\n", fmt.Sprintf("i%d", 4+rng.IntN(4)), sentence(), ids()))
			case 14:
				b, _ := s.changes(x.quickKnown(), memory.QuickLook)
				x.apply(b)
			default:
				s.sync(x, []memory.Depth{memory.QuickLook, memory.FullLook}[step-12])
			}
		}
		s.sync(x, memory.FullLook)
		fresh := newIndex()
		s.sync(fresh, memory.FullLook)
		if diff := cmp.Diff(fresh.passages, x.passages); diff != "" {
			rt.Fatalf("incremental differs from new (-new +incremental) after %v:\n%s", steps, diff)
		}
		if b, _ := s.changes(x.known(), memory.FullLook); len(b.Put)+len(b.Replace)+len(b.Gone) > 0 {
			rt.Fatalf("nothing changed, but the batch is %+v", b)
		}
	})
}

func put(t testing.TB, s *space, items ...memory.Item) {
	t.Helper()
	if err := s.Put(context.Background(), items...); err != nil {
		t.Fatalf("put: %v", err)
	}
}

func BenchmarkQuickChangesWhenNothingChanged(b *testing.B) {
	s := openSpace(b)
	items := make([]memory.Item, 10_000)
	for i := range items {
		items[i] = fact(fmt.Sprintf("item-%d", i), fmt.Sprintf("Statement number %d is about deploys.", i))
	}
	put(b, s, items...)
	x := newIndex()
	s.sync(x, memory.FullLook)
	known := x.known()
	for b.Loop() {
		s.changes(known, memory.QuickLook)
	}
}

func BenchmarkPutIntoTenThousand(b *testing.B) {
	s := openSpace(b)
	items := make([]memory.Item, 10_000)
	for i := range items {
		items[i] = fact(fmt.Sprintf("item-%d", i), fmt.Sprintf("Statement number %d is about deploys.", i))
	}
	put(b, s, items...)
	n := 0
	for b.Loop() {
		n++
		put(b, s, fact(fmt.Sprintf("more-%d", n), "One more."))
	}
}

// Shared text that gave itself the ID of a private statement is left out, and there once
// the private one was taken out of its file by hand.
func TestSharedTextIsBackWhenItsIDIsFree(t *testing.T) {
	for name, private := range map[string]struct{ file, text string }{
		"ledger": {"personal/semantic.jsonl", `{"v":1,"id":"twice","content":"The private one.","scope":"personal:ann"}` + "\n"},
		"atom":   {"personal/one.md", "---\nid: twice\n---\n# One\n\nThe private one.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openSpace(t)
			x := newIndex()
			s.write("shared/semantic.jsonl", `{"v":1,"id":"twice","content":"The shared one."}`+"\n")
			s.sync(x, memory.FullLook)
			s.write(private.file, private.text)
			s.sync(x, memory.FullLook)
			if got := x.passages["twice"].Item.Content + x.passages["twice#1"].Item.Content; strings.Contains(got, "shared") {
				t.Fatalf("the shared one counts: %+v", x.passages)
			}
			s.write(private.file, "")
			s.sync(x, memory.FullLook)
			if got := x.passages["twice"].Item.Content; got != "The shared one." {
				t.Errorf("of it there is %q: %+v", got, x.passages)
			}
		})
	}
}
