package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"orihon/internal/store"
	"orihon/internal/terms"
	"orihon/memory"
)

func archive(t testing.TB, s *space, ids ...string) {
	t.Helper()
	leaving := make([]memory.Leaving, len(ids))
	for i, id := range ids {
		leaving[i] = memory.Leaving{ID: id, Why: "never used", Vector: memory.ArchiveVector{Model: "m", Values: []float32{0.6, 0, -0.8}}}
	}
	if _, err := s.Archive(context.Background(), s.now, leaving...); err != nil {
		t.Fatalf("archive: %v", err)
	}
}

func archived(t testing.TB, s *space) map[string]memory.Archived {
	t.Helper()
	out := make(map[string]memory.Archived)
	for a, err := range s.Archived(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		out[a.Item.ID] = a
	}
	return out
}

func keys[T any](m map[string]T) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func TestAnArchivedItemLeavesTheIndexAndComesBack(t *testing.T) {
	s := openSpace(t)
	s.write("personal/semantic.jsonl", `{"id":"a","content":"端口是 8080。","metadata":{"confidence":0.5},"colour":"blue"}`+"\n")
	put(t, s, fact("b", "Stays."), fact("c", "Forgotten."))
	if err := s.Remove(t.Context(), "c", "wrong", s.now); err != nil {
		t.Fatal(err)
	}
	want, err := s.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	x := newIndex()
	s.sync(x, memory.FullLook)
	archive(t, s, "a", "c")
	for _, depth := range []memory.Depth{memory.QuickLook, memory.FullLook} {
		s.sync(x, depth)
		if diff := cmp.Diff([]string{"b", "c"}, x.ids()); diff != "" {
			t.Errorf("passages at depth %d differ (-want +got):\n%s", depth, diff)
		}
	}
	if _, err := s.Get(t.Context(), "a"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("get of an archived item = %v", err)
	}
	got := archived(t, s)
	if diff := cmp.Diff([]string{"a"}, keys(got)); diff != "" {
		t.Fatalf("archived differ (-want +got):\n%s", diff)
	}
	a := got["a"]
	if a.Path != "personal/archive/2026_11.jsonl.gz" || a.From != "personal/semantic.jsonl" || a.Why != "never used" || !a.At.Equal(s.now) {
		t.Errorf("archived = %+v", a)
	}
	if a.Vector.Model != "m" || math.Abs(float64(a.Vector.Values[2])+0.8) > 0.01 {
		t.Errorf("vector = %+v", a.Vector)
	}
	for st, err := range s.Scan(t.Context()) {
		if err != nil || st.Archived != (st.Item.ID == "a") || st.Retired != (st.Item.ID != "b") {
			t.Errorf("scan: %+v, %v", st, err)
		}
	}
	// Whoever does not know the archive sees a forgotten item.
	if text := s.read("personal/semantic.jsonl"); !strings.HasSuffix(text, `{"v":1,"op":"retire","id":"a","at":"2026-11-21T08:00:00Z","why":"never used","archive":"2026_11.jsonl.gz"}`+"\n") {
		t.Errorf("ledger:\n%s", text)
	}
	back, err := s.Restore(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("restored differs (-want +got):\n%s", diff)
	}
	if text := s.read("personal/semantic.jsonl"); !strings.HasSuffix(text, `"colour":"blue"}`+"\n") {
		t.Errorf("restored without its foreign keys:\n%s", text)
	}
	s.sync(x, memory.QuickLook)
	if !slices.Contains(x.ids(), "a") || len(archived(t, s)) > 0 {
		t.Errorf("restored: passages %v, archived %v", x.ids(), keys(archived(t, s)))
	}
	versions, err := s.Versions(t.Context(), "a")
	var ops []string
	for _, v := range versions {
		ops = append(ops, string(v.Op))
	}
	if err != nil || strings.Join(ops, " ") != "version archive restore" {
		t.Errorf("versions = %v, %v", ops, err)
	}
}

func TestWhatCannotBeArchivedIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	s := openSpace(t)
	put(t, s, fact("a", "Stays."))
	s.write("shared/x.md", "---\nid: x\n---\n- A bullet.\n")
	b, _ := s.changes(nil, memory.FullLook)
	bullet := b.Put[len(b.Put)-1].ID
	for id, want := range map[string]error{bullet: memory.ErrRefused, "nobody": memory.ErrNotFound} {
		if _, err := s.Archive(t.Context(), s.now, memory.Leaving{ID: "a"}, memory.Leaving{ID: id}); !errors.Is(err, want) {
			t.Errorf("archive of %s = %v, want %v", id, err, want)
		}
	}
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Errorf("the other one: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "personal", "archive")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("an archive was made")
	}
	if _, err := s.Unarchive(t.Context(), "a"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("unarchive of a living item = %v", err)
	}
}

func TestTheFileOfAnAtomMovesAndComesBack(t *testing.T) {
	s := openSpace(t)
	const text = "---\r\nid: x\r\n---\r\n\r\n- 舊的埠號是 8080。\r\n- Old host.\r\n"
	s.write("shared/sub/x.md", text)
	s.write("shared/archive/by-hand.md", "---\nid: y\n---\n- Mine.\n")
	x := newIndex()
	s.sync(x, memory.FullLook)
	before := x.ids()
	archive(t, s, "x")
	if got := s.read("shared/archive/2026_11/sub/x.md"); got != text {
		t.Errorf("archived file = %q", got)
	}
	s.sync(x, memory.FullLook)
	if len(x.passages) != 0 {
		t.Errorf("passages = %v", x.ids())
	}
	if got := keys(archived(t, s)); !slices.Equal(got, before) {
		t.Errorf("archived = %v, want %v", got, before)
	}
	// Another file took its name and an archived bullet brings the whole file.
	s.write("shared/sub/x.md", "---\nid: z\n---\n- New.\n")
	if _, err := s.Restore(t.Context(), before[0]); err != nil {
		t.Fatal(err)
	}
	if got := s.read("shared/sub/x-2.md"); got != text {
		t.Errorf("restored file = %q", got)
	}
	s.sync(x, memory.FullLook)
	for _, id := range before {
		if _, ok := x.passages[id]; !ok {
			t.Errorf("%s did not come back", id)
		}
	}
}

func TestAnArchiveIsNotWrittenThroughASymlink(t *testing.T) {
	s := openSpace(t)
	s.write("shared/x.md", "---\nid: x\n---\n- A bullet.\n")
	put(t, s, fact("a", "Private."))
	elsewhere := t.TempDir()
	for _, root := range []string{"shared", "personal"} {
		if err := os.Symlink(elsewhere, filepath.Join(s.dir, root, "archive")); err != nil {
			t.Skip("SKIPPED: no symlinks here: ", err)
		}
	}
	for _, id := range []string{"x", "a"} {
		if _, err := s.Archive(t.Context(), s.now, memory.Leaving{ID: id}); !errors.Is(err, memory.ErrRefused) {
			t.Errorf("archive of %s = %v, want ErrRefused", id, err)
		}
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
		t.Errorf("written elsewhere: %v, %v", entries, err)
	}
}

// Whatever an item says, it says the same after it was archived and restored.
func TestArchiveAndRestoreAreInverse(t *testing.T) {
	text := rapid.StringMatching(`[a-zA-Z0-9 "\\<>#\-\n_端口部署。é]{1,40}x`)
	list := rapid.SliceOfN(rapid.StringMatching(`[a-z部署]{1,8}`), 0, 3)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		s := openAt(t, dir)
		moment := func(name string) time.Time {
			return time.Unix(rapid.Int64Range(0, 2_000_000_000).Draw(rt, name), 0).UTC()
		}
		it := memory.Item{
			ID: rapid.StringMatching(`[a-z0-9/"\\é-]{1,12}`).Draw(rt, "id"), Title: text.Draw(rt, "title"), Content: text.Draw(rt, "content"),
			Kind:  rapid.SampledFrom([]memory.Kind{memory.Semantic, memory.Episodic, memory.Procedural, memory.Note}).Draw(rt, "kind"),
			Scope: rapid.SampledFrom([]memory.Scope{memory.Personal("ann"), memory.Shared}).Draw(rt, "scope"),
			Metadata: memory.Metadata{
				CreatedAt: moment("created"), UpdatedAt: moment("updated"), Source: memory.FromAgent, Tags: list.Draw(rt, "tags"), Evidence: list.Draw(rt, "evidence"),
				Confidence: rapid.Float64Range(0, 1).Draw(rt, "confidence"), Confirmations: rapid.IntRange(0, 30).Draw(rt, "confirmations"),
			},
			Triggers: list.Draw(rt, "triggers"), Relations: memory.Relations{Supersedes: "other"}, ValidTo: moment("valid"),
		}
		if err := s.Put(context.Background(), it); err != nil {
			rt.Fatal(err)
		}
		want, err := s.Get(context.Background(), it.ID)
		if err != nil {
			rt.Fatal(err)
		}
		for range 2 {
			archive(t, s, it.ID)
			if a, ok := archived(t, s)[it.ID]; ok {
				if diff := cmp.Diff(want, a.Item, cmpopts.EquateEmpty()); diff != "" {
					rt.Fatalf("archived differs (-want +got):\n%s", diff)
				}
			} else if it.Scope.Private() { // an atom of bullets is archived by its bullets
				rt.Fatalf("not archived: %v", keys(archived(t, s)))
			}
			if _, err := s.Unarchive(context.Background(), it.ID); err != nil {
				rt.Fatal(err)
			}
			got, err := s.Get(context.Background(), it.ID)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("restored differs (-want +got):\n%s", diff)
			}
		}
	})
}

// Each write in turn fails: the item lives or is archived, never both, never
// neither, and the second try ends as the first should have.
func TestAnArchiveThatFailsLosesNothing(t *testing.T) {
	failures := 0
	for n := range 5 {
		s := openSpace(t)
		put(t, s, fact("a", "Alpha."), fact("b", "Beta."))
		s.write("shared/x.md", "---\nid: x\n---\nAn atom.\n")
		s.FailAfter(n, errors.New("disk"))
		leaving := []memory.Leaving{{ID: "a"}, {ID: "b"}, {ID: "x"}}
		_, err := s.Archive(t.Context(), s.now, leaving...)
		if err != nil {
			failures++
		}
		s.FailAfter(0, nil)
		gone := archived(t, s)
		for _, l := range leaving {
			_, gerr := s.Get(t.Context(), l.ID)
			if _, in := gone[l.ID]; in == (gerr == nil) {
				t.Errorf("after %d writes: %s archived %v, get %v", n, l.ID, in, gerr)
			}
		}
		for _, l := range leaving {
			if _, in := gone[l.ID]; !in {
				archive(t, s, l.ID)
			}
		}
		if got := keys(archived(t, s)); strings.Join(got, " ") != "a b x" {
			t.Errorf("second try after %d writes: %v", n, got)
		}
	}
	if failures != 4 {
		t.Errorf("%d failures: want one for each of part, ledger, past and move", failures)
	}
}

func TestWhatTheLedgerLostTheArchiveStillHas(t *testing.T) {
	s := openSpace(t)
	ep := fact("e", "Only in the archive.")
	ep.Kind = memory.Episodic
	put(t, s, ep)
	archive(t, s, "e")
	if err := os.Remove(filepath.Join(s.dir, "personal", "episodic.jsonl")); err != nil {
		t.Fatal(err)
	}
	if got := archived(t, s)["e"]; got.Item.Content != ep.Content {
		t.Errorf("archived = %+v", got)
	}
	if _, err := s.Restore(t.Context(), "e"); err != nil {
		t.Fatal(err)
	}
	if text := s.read("personal/episodic.jsonl"); !strings.Contains(text, ep.Content) || strings.Contains(text, "archived") {
		t.Errorf("ledger = %q", text)
	}
	if len(archived(t, s)) > 0 {
		t.Error("it is still archived")
	}
}

func TestABrokenPartCostsNothingThatTheLedgerHas(t *testing.T) {
	s := openSpace(t)
	put(t, s, fact("a", "Alpha."), fact("b", "Beta."))
	archive(t, s, "a")
	part := s.read("personal/archive/2026_11.jsonl.gz")
	for cut := range len(part) {
		s.write("personal/archive/2026_11.jsonl.gz", part[:cut])
		var problems, got int
		for _, err := range s.Archived(t.Context()) {
			if err != nil {
				problems++
			} else {
				got++
			}
		}
		if problems != 1 || got != 1 {
			t.Fatalf("cut at %d of %d: %d problems, %d items", cut, len(part), problems, got)
		}
	}
	// What is added to a broken part may be lost with it, and stands in the ledger.
	archive(t, s, "b")
	for _, id := range []string{"a", "b"} {
		if _, err := s.Unarchive(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
}

func TestTheArchiveIsSearchedByWordsAndMeaning(t *testing.T) {
	s := openSpace(t)
	port, deploy, both := fact("port", "The gateway listens on port 8080."), fact("deploy", "部署之前先跑資料庫遷移。"), fact("both", "The port of the gateway was moved after the last deploy.")
	put(t, s, port, deploy, both, fact("live", "The gateway port lives."))
	archive(t, s, "port", "deploy", "both")
	filter := memory.Filter{Scopes: []memory.Scope{memory.Personal("ann")}}
	search := func(text string, v []float32) (ids []string) {
		hits, problems, err := s.SearchArchive(t.Context(), memory.ArchiveQuery{Terms: terms.Query(text), Vector: memory.ArchiveVector{Model: "m", Values: v}, Filter: filter})
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		for _, h := range hits {
			if h.Score < 0 || h.Score > 1 {
				t.Errorf("%q: score of %s = %g", text, h.Item.ID, h.Score)
			}
			ids = append(ids, h.Item.ID)
		}
		return ids
	}
	for text, want := range map[string]string{
		"which port does the gateway use, 8080?": "port both", "部署": "deploy", "資料庫 migration": "deploy", "unheard of": "", "": "",
	} {
		if got := strings.Join(search(text, nil), " "); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	if got := search("nothing alike", []float32{0.6, 0, -0.8}); len(got) != 3 {
		t.Errorf("by meaning alone: %v", got)
	}
	filter.Scopes = []memory.Scope{memory.Shared}
	if got := search("port", nil); len(got) > 0 {
		t.Errorf("found in a scope that may not be seen: %v", got)
	}
}

func TestPurgeReachesTheArchive(t *testing.T) {
	s := openSpace(t)
	put(t, s, fact("a", "The word is rosebud."), fact("b", "Stays archived."))
	archive(t, s, "a", "b")
	s.write("personal/archive/2026_01.jsonl.gz", s.read("personal/archive/2026_11.jsonl.gz")[:100])
	if _, err := s.Purge(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := keys(archived(t, s)); strings.Join(got, " ") != "b" {
		t.Errorf("archived = %v", got)
	}
	for file, text := range everyByte(t, s.dir) {
		if strings.Contains(text, "rosebud") {
			t.Errorf("%s still says %q", file, text)
		}
	}
	if _, err := s.Purge(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "personal", "archive", "2026_11.jsonl.gz")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("an empty part is left")
	}
}

// everyByte reads every file below a folder, compressed ones unpacked as well.
func everyByte(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(file)
		out[file] = string(raw)
		if z, zerr := gzip.NewReader(bytes.NewReader(raw)); zerr == nil {
			plain, _ := io.ReadAll(z)
			out[file] += string(plain)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTwoStoresArchiveAtOnce(t *testing.T) {
	dir := t.TempDir()
	stores := []*space{openAt(t, dir), openAt(t, dir)}
	var want []string
	for i := range 10 {
		want = append(want, fmt.Sprintf("i%d", i))
		put(t, stores[0], fact(want[i], fmt.Sprintf("Said %d.", i)))
	}
	var wg sync.WaitGroup
	for w, s := range stores {
		wg.Go(func() {
			for i := range want {
				id := want[i]
				if w == 1 {
					id = want[len(want)-1-i]
				}
				if _, err := s.Archive(context.Background(), s.now, memory.Leaving{ID: id}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := keys(archived(t, stores[0])); !slices.Equal(got, want) {
		t.Errorf("archived = %v", got)
	}
}

// archiveUntilKilled archives and restores its items in turn, and names on
// stdout what is acknowledged.
func archiveUntilKilled(dir string) {
	s, err := store.Open(&store.Options{State: filepath.Join(dir, "state"), Roots: []store.Root{
		{Name: "personal", Dir: filepath.Join(dir, "personal"), Scope: memory.Personal("ann")},
		{Name: "shared", Dir: filepath.Join(dir, "shared"), Scope: memory.Shared},
	}})
	for i := 0; err == nil; i++ {
		id := fmt.Sprintf("k%d", i%20)
		if i%40 < 20 {
			_, err = s.Archive(context.Background(), time.Time{}, memory.Leaving{ID: id, Why: "test"})
		} else {
			_, err = s.Unarchive(context.Background(), id)
		}
		if err == nil {
			fmt.Println(i)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestAnItemSurvivesTheDeathOfWhoArchivesIt(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip("SKIPPED: the test binary cannot start itself: ", err)
	}
	steps := 0
	for round := range 4 {
		s := openAt(t, t.TempDir())
		for i := range 20 {
			it := fact(fmt.Sprintf("k%d", i), strings.Repeat("Kept when killed. 仍在。", 100))
			if i%4 == 3 {
				it.Scope = memory.Shared
			}
			put(t, s, it)
		}
		cmd := exec.Command(exe, "archive-until-killed", s.dir)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(150+37*round) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if errs.Len() > 0 {
			t.Fatalf("the child: %s", errs.String())
		}
		steps += strings.Count(out.String(), "\n")
		x := newIndex()
		s.sync(x, memory.FullLook)
		gone := archived(t, s)
		for i := range 20 {
			id := fmt.Sprintf("k%d", i)
			_, in := gone[id]
			if _, lives := x.passages[id]; lives == in {
				t.Errorf("round %d: %s lives %v, archived %v", round, id, lives, in)
			}
		}
	}
	if steps == 0 {
		t.Error("nothing was archived before the kills: nothing was shown")
	}
}
