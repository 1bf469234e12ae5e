package memorytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/memory"
)

// Scopes the store under test must take items for.
var (
	private = memory.Personal("ann")
	shared  = memory.Shared
)

// TestStore checks that a store keeps the contract of [memory.Store], and of what
// it offers beyond it. Each call
// of open returns a store with nothing in it that takes items of the scopes
// "personal:ann" and "shared".
//
// Blank lines around a content and the kind of line end are not part of the
// contract: text formats may normalise them. A content in shared scope that is
// a Markdown list may come back from Scan as several items.
func TestStore(t *testing.T, open func(t *testing.T) memory.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s memory.Store)
	}{
		{"what is put comes back whole", putGet},
		{"the last version wins", lastWins},
		{"of two versions in one call the later wins", lastWinsInOneCall},
		{"an unknown item is not found", notFound},
		{"an invalid item is refused before anything is written", invalid},
		{"an item without a kind is semantic", noKind},
		{"a removed item is only found by a scan", remove},
		{"a removed item lives again when it is put again", putAfterRemove},
		{"a scan has a fixed order and can be stopped", scanOrder},
		{"Chinese text is kept as written", chinese},
		{"awkward text is kept as written", awkward},
		{"large content is kept", large},
		{"times keep instant and nanoseconds", times},
		{"several goroutines lose nothing", concurrent},
		{"a cancelled context ends a put and a scan", cancelled},
		{"putting nothing is fine", nothing},
		{"decisions are kept in order and chosen by a filter", trail},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func trail(t *testing.T, s memory.Store) {
	r, ok := s.(memory.AuditTrail)
	if !ok {
		t.Skip("this store keeps no audit trail")
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	all := []memory.AuditRecord{
		{TS: at, Op: memory.AuditAdd, ID: "a", By: "user", Why: "記住", Score: 0.9, Session: "s"},
		{TS: at.Add(time.Hour), Op: memory.AuditConflict, ID: "b", Other: "a"},
		{TS: at.Add(2 * time.Hour), Op: memory.AuditUndo, ID: "b", Reason: "wrong", From: 2, To: 1},
	}
	if err := r.Audit(t.Context(), all[0]); err != nil {
		t.Fatal(err)
	}
	if err := r.Audit(t.Context(), all[1:]...); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		filter *memory.AuditFilter
		want   []memory.AuditRecord
	}{
		{nil, all}, {&memory.AuditFilter{ID: "a"}, all[:2]}, {&memory.AuditFilter{Op: memory.AuditUndo}, all[2:]},
		{&memory.AuditFilter{Session: "s"}, all[:1]}, {&memory.AuditFilter{Since: at.Add(time.Hour)}, all[1:]},
	} {
		var got []memory.AuditRecord
		for rec, err := range r.Audits(t.Context(), tt.filter) {
			if err != nil {
				t.Fatal(err)
			}
			rec.V = 0 // the store's own
			got = append(got, rec)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.filter, diff)
		}
	}
}

func item(id string, scope memory.Scope, content string) memory.Item {
	return memory.Item{
		ID: id, Kind: memory.Semantic, Content: content, Scope: scope,
		Metadata: memory.Metadata{Confidence: 0.9, Source: memory.FromUser},
	}
}

func put(t *testing.T, s memory.Store, items ...memory.Item) {
	t.Helper()
	if err := s.Put(t.Context(), items...); err != nil {
		t.Fatalf("put: %v", err)
	}
}

func get(t *testing.T, s memory.Store, id string) memory.Item {
	t.Helper()
	it, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	return it
}

func scan(t *testing.T, s memory.Store) []memory.Stored {
	t.Helper()
	var out []memory.Stored
	for st, err := range s.Scan(t.Context()) {
		if err != nil {
			t.Fatalf("scan: %v", err)
		}
		out = append(out, st)
	}
	return out
}

// holds checks that an item is found as it was put.
func holds(t *testing.T, s memory.Store, want memory.Item) {
	t.Helper()
	if diff := cmp.Diff(want, get(t, s, want.ID)); diff != "" {
		t.Errorf("item %q differs (-put +got):\n%s", want.ID, diff)
	}
}

// scanned is what a scan says of one item.
func scanned(t *testing.T, s memory.Store, id string) memory.Stored {
	t.Helper()
	var found []memory.Stored
	for _, st := range scan(t, s) {
		if st.Item.ID == id {
			found = append(found, st)
		}
	}
	if len(found) != 1 {
		t.Fatalf("scan yields %d items with id %s, want 1", len(found), id)
	}
	return found[0]
}

func full(id string, scope memory.Scope) memory.Item {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return memory.Item{
		ID: id, Kind: memory.Procedural, Topic: memory.Pitfall, Title: "Deploys: what to watch #1",
		Content: "Run the migration before the deploy.\n\nOtherwise the old schema answers.",
		Scope:   scope, Tier: memory.Settled,
		Metadata: memory.Metadata{
			CreatedAt: at, UpdatedAt: at.Add(time.Hour), Source: memory.FromAgent, Confidence: 0.65, Confirmations: 3,
			Tags: []string{"deploy", "資料庫", "a: b"}, Session: "s-1", Evidence: []string{"s-1/12", "s-1/14"},
			AccessCount: 4, LastAccessed: at.Add(2 * time.Hour),
		},
		Relations: memory.Relations{Supersedes: "older", RelatedTo: []string{"x", "y"}},
		Triggers:  []string{"migrate", "遷移"}, Aliases: []string{"schema change"}, Audience: "decision",
		ValidFrom: at, ValidTo: at.AddDate(1, 0, 0),
	}
}

func putGet(t *testing.T, s memory.Store) {
	for _, scope := range []memory.Scope{private, shared} {
		want := full("full "+string(scope), scope)
		put(t, s, want)
		holds(t, s, want)
		st := scanned(t, s, want.ID)
		if diff := cmp.Diff(want, st.Item); diff != "" {
			t.Errorf("%s: scan differs (-put +got):\n%s", scope, diff)
		}
		if st.Path == "" || st.Retired || st.Reason != "" {
			t.Errorf("%s: stored as %+v, want a path and not retired", scope, st)
		}
	}
}

func lastWins(t *testing.T, s memory.Store) {
	for _, scope := range []memory.Scope{private, shared} {
		id := "changing " + string(scope)
		put(t, s, item(id, scope, "Tests run with make."))
		put(t, s, item("other "+string(scope), scope, "Something else."))
		want := item(id, scope, "Tests run with go test.")
		want.Metadata.Confidence, want.Tier = 0.4, memory.Observed
		put(t, s, want)
		holds(t, s, want)
		if diff := cmp.Diff(want, scanned(t, s, id).Item); diff != "" {
			t.Errorf("scan differs (-last put +got):\n%s", diff)
		}
	}
}

func lastWinsInOneCall(t *testing.T, s memory.Store) {
	for _, scope := range []memory.Scope{private, shared} {
		id := "twice " + string(scope)
		put(t, s, item(id, scope, "First."), item(id, scope, "Second."))
		if got := scanned(t, s, id).Item.Content; got != "Second." {
			t.Errorf("%s: content = %q, want Second.", scope, got)
		}
	}
}

func notFound(t *testing.T, s memory.Store) {
	put(t, s, item("there", private, "There is one item."))
	for _, id := range []string{"missing", "", "the", "there#1", "../there"} {
		if _, err := s.Get(t.Context(), id); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("get %q = %v, want ErrNotFound", id, err)
		}
		if err := s.Remove(t.Context(), id, "", time.Time{}); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("remove %q = %v, want ErrNotFound", id, err)
		}
	}
}

func invalid(t *testing.T, s memory.Store) {
	good := item("good", private, "A good one.")
	for name, change := range map[string]func(*memory.Item){
		"no id":       func(it *memory.Item) { it.ID = "" },
		"no content":  func(it *memory.Item) { it.Content = " \n" },
		"confidence":  func(it *memory.Item) { it.Metadata.Confidence = 1.5 },
		"kind":        func(it *memory.Item) { it.Kind = "rumour" },
		"scope":       func(it *memory.Item) { it.Scope = "personal:../x" },
		"broken UTF8": func(it *memory.Item) { it.Content = "a\xffb" },
	} {
		bad := item("bad", private, "A bad one.")
		change(&bad)
		if err := s.Put(t.Context(), good, bad); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: put = %v, want ErrInvalid", name, err)
		}
	}
	if got := scan(t, s); len(got) != 0 {
		t.Errorf("scan yields %+v after refused puts, want nothing", got)
	}
}

func noKind(t *testing.T, s memory.Store) {
	it := item("kindless", private, "No kind was given.")
	it.Kind = ""
	put(t, s, it)
	if got := get(t, s, it.ID).Kind; got != memory.Semantic {
		t.Errorf("kind = %q, want semantic", got)
	}
}

func remove(t *testing.T, s memory.Store) {
	for _, scope := range []memory.Scope{private, shared} {
		gone, kept := item("gone "+string(scope), scope, "The port is 8080."), item("kept "+string(scope), scope, "The host is db1.")
		put(t, s, gone, kept)
		for range 2 { // removing again changes nothing
			if err := s.Remove(t.Context(), gone.ID, "過時: outdated", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)); err != nil {
				t.Fatalf("remove: %v", err)
			}
		}
		if _, err := s.Get(t.Context(), gone.ID); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("get of a removed item = %v, want ErrNotFound", err)
		}
		st := scanned(t, s, gone.ID)
		if !st.Retired || st.Reason != "過時: outdated" {
			t.Errorf("scan says retired %v, reason %q", st.Retired, st.Reason)
		}
		if diff := cmp.Diff(gone, st.Item); diff != "" {
			t.Errorf("a removed item changed (-put +got):\n%s", diff)
		}
		holds(t, s, kept)
	}
}

func putAfterRemove(t *testing.T, s memory.Store) {
	for _, scope := range []memory.Scope{private, shared} {
		it := item("back "+string(scope), scope, "Now you see me.")
		put(t, s, it)
		if err := s.Remove(t.Context(), it.ID, "gone", time.Time{}); err != nil {
			t.Fatal(err)
		}
		put(t, s, it)
		holds(t, s, it)
		if st := scanned(t, s, it.ID); st.Retired || st.Reason != "" {
			t.Errorf("scan still says retired: %+v", st)
		}
	}
}

func scanOrder(t *testing.T, s memory.Store) {
	var want []string
	for i := range 20 {
		id := fmt.Sprintf("item-%02d", i)
		want = append(want, id)
		put(t, s, item(id, private, fmt.Sprintf("Statement number %d.", i)))
	}
	put(t, s, item("item-03", private, "A later version keeps the place."))
	order := func() (ids []string) {
		for _, st := range scan(t, s) {
			ids = append(ids, st.Item.ID)
		}
		return ids
	}
	if diff := cmp.Diff(want, order()); diff != "" {
		t.Errorf("order differs (-put +scanned):\n%s", diff)
	}
	n := 0
	for range s.Scan(t.Context()) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("a stopped scan yielded %d items, want 3", n)
	}
}

func chinese(t *testing.T, s memory.Store) {
	for _, scope := range []memory.Scope{private, shared} {
		trad, simp := item("trad "+string(scope), scope, "部署前先跑資料庫遷移，否則舊的結構會出錯。"), item("simp "+string(scope), scope, "部署前先跑数据库迁移，否则旧的结构会出错。")
		trad.Title, simp.Title = "部署流程", "部署流程"
		put(t, s, trad, simp)
		for _, want := range []memory.Item{trad, simp} {
			holds(t, s, want)
		}
	}
}

func awkward(t *testing.T, s memory.Store) {
	for i, content := range []string{
		"---\nlooks: like front matter\n---", "# heading", "\\ backslash \"quotes\" 'single' <b>&amp;</b>",
		"tabs\tand  double blanks, a \u2028 separator, 𝕌 and e\u0301 apart", "null", "~", "{\"op\":\"retire\",\"id\":\"x\"}", "<!-- comment -->\ntext",
		"line one\nline two\n\n\nafter two blank lines", "```\ncode\n- no list\n```", "ends with a backslash \\",
	} {
		for _, scope := range []memory.Scope{private, shared} {
			it := item(fmt.Sprintf("awkward-%d-%s", i, scope), scope, content)
			it.Title = []string{"", "no", "2026-01-01", "a: b # c", "[x]", "'", "\"", "- dash", "!tag", "0x10", "* star"}[i%11]
			put(t, s, it)
			holds(t, s, it)
		}
	}
	for _, id := range []string{`quote"d`, `back\slash`, "<tag>&", "a/b/../c", "ид", "識別碼", "#hash", "a#b", "with space", "\u2028"} {
		it := item(id, private, "The id is awkward.")
		put(t, s, it)
		holds(t, s, it)
	}
}

func large(t *testing.T, s memory.Store) {
	for _, scope := range []memory.Scope{private, shared} {
		it := item("large "+string(scope), scope, strings.Repeat("大量的文字 and more words. ", 40_000)+"end")
		put(t, s, it)
		if got := get(t, s, it.ID); got.Content != it.Content {
			t.Errorf("%s: %d bytes came back of %d, or others", scope, len(got.Content), len(it.Content))
		}
	}
}

func times(t *testing.T, s memory.Store) {
	at := time.Date(2026, 10, 25, 2, 30, 0, 123456789, time.FixedZone("", 8*3600))
	for _, scope := range []memory.Scope{private, shared} {
		it := item("time "+string(scope), scope, "Time matters.")
		it.Metadata.CreatedAt, it.ValidFrom = at, at.AddDate(-20, 0, 0)
		put(t, s, it)
		got := get(t, s, it.ID)
		if !got.Metadata.CreatedAt.Equal(at) || !got.ValidFrom.Equal(it.ValidFrom) {
			t.Errorf("%s: times = %v, %v", scope, got.Metadata.CreatedAt, got.ValidFrom)
		}
		if !got.ValidTo.IsZero() || !got.Metadata.UpdatedAt.IsZero() || !got.Metadata.LastAccessed.IsZero() {
			t.Errorf("%s: a zero time did not stay zero: %+v", scope, got)
		}
	}
}

func concurrent(t *testing.T, s memory.Store) {
	const workers, each = 8, 6
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				scope := []memory.Scope{private, shared}[i%2]
				it := item(fmt.Sprintf("w%d-%d", w, i), scope, fmt.Sprintf("Worker %d says %d.", w, i))
				if err := s.Put(t.Context(), it); err != nil {
					t.Errorf("put: %v", err)
				}
				if _, err := s.Get(t.Context(), it.ID); err != nil {
					t.Errorf("get after put: %v", err)
				}
				if i == 0 {
					if err := s.Remove(t.Context(), it.ID, "test", time.Time{}); err != nil {
						t.Errorf("remove: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	var got []string
	retired := 0
	for _, st := range scan(t, s) {
		got = append(got, st.Item.ID)
		if st.Retired {
			retired++
		}
	}
	slices.Sort(got)
	if n := len(slices.Compact(got)); len(got) != workers*each || n != len(got) {
		t.Errorf("scan yields %d items, %d of them different; want %d", len(got), n, workers*each)
	}
	if retired != workers {
		t.Errorf("%d items are retired, want %d", retired, workers)
	}
}

func cancelled(t *testing.T, s memory.Store) {
	put(t, s, item("one", private, "One."))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ctx, item("two", private, "Two.")); !errors.Is(err, context.Canceled) {
		t.Errorf("put = %v, want context.Canceled", err)
	}
	var last error
	for _, last = range s.Scan(ctx) {
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("scan ends with %v, want context.Canceled", last)
	}
	if _, err := s.Get(t.Context(), "two"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("a cancelled put was written: get = %v", err)
	}
}

func nothing(t *testing.T, s memory.Store) {
	put(t, s)
	if got := scan(t, s); len(got) != 0 {
		t.Errorf("scan yields %+v, want nothing", got)
	}
}
