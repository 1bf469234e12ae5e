package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/store"
	"orihon/memory"
)

func TestItemsGoWhereTheirScopeAndKindBelong(t *testing.T) {
	s := openSpace(t)
	for kind, path := range map[memory.Kind]string{
		memory.Semantic: "semantic", memory.Episodic: "episodic", memory.Procedural: "procedural", memory.Note: "semantic",
	} {
		it := fact("p-"+string(kind), "Private "+string(kind))
		it.Kind = kind
		put(t, s, it)
		if !strings.Contains(s.read("personal/"+path+".jsonl"), it.ID) {
			t.Errorf("%s is not in %s.jsonl", it.ID, path)
		}
	}
	for i, c := range []struct{ title, content, want string }{
		{"Deploys & Ports!", "x", "deploys-ports"},
		{"", "部署前先跑資料庫遷移。", "部署前先跑資料庫遷移"},
		{"Deploys, ports", "x", "deploys-ports"},
		{"MEMORY", "x", "memory-item"}, {"2026-11-21", "x", "2026-11-21-item"}, {"nul", "x", "nul-item"}, {"_x", "x", "x"}, {"???", "x", "item"},
		{"../../etc/passwd", "x", "etc-passwd"}, {strings.Repeat("長", 90), "x", strings.Repeat("長", 31)},
	} {
		it := fact(fmt.Sprint("r-", i), c.content)
		it.Scope, it.Title = memory.Role("art"), c.title
		put(t, s, it)
		// The end of the ID keeps names apart, between branches too.
		name := fmt.Sprintf("%s-r%d.md", c.want, i)
		if text := s.read("role/art/" + name); !strings.Contains(text, "id: "+it.ID+"\n") {
			t.Errorf("%q did not go to %s", c.title, name)
		}
	}
	moved := fact("p-semantic", "Moved?")
	moved.Scope = memory.Shared
	if err := s.Put(t.Context(), moved); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("put in another scope = %v, want ErrRefused", err)
	}
	elsewhere := fact("g", "Global.")
	elsewhere.Scope = memory.Global
	if err := s.Put(t.Context(), elsewhere); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("put in a scope without a folder = %v, want ErrRefused", err)
	}
}

func TestForeignKeysOfALineSurviveANewVersionAndARestore(t *testing.T) {
	s := openSpace(t)
	s.write("personal/semantic.jsonl", `{"id":"a","content":"By hand.","metadata":{"confidence":0.5},"colour":"blue","n":{"deep":[1, 2]}}`+"\n")
	it, err := s.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	it.Content = "By program."
	put(t, s, it)
	if err := s.Remove(t.Context(), "a", "", s.now); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Restore(t.Context(), "a"); err != nil || got.Content != "By program." {
		t.Fatalf("restore = %+v, %v", got, err)
	}
	lines := strings.Split(strings.TrimSpace(s.read("personal/semantic.jsonl")), "\n")
	for _, i := range []int{1, 3} {
		if !strings.HasSuffix(lines[i], `,"colour":"blue","n":{"deep":[1, 2]}}`) {
			t.Errorf("line %d lost the foreign keys: %s", i+1, lines[i])
		}
	}
}

func TestABulletIsRewrittenRetiredAndRestoredInPlace(t *testing.T) {
	s := openSpace(t)
	const text = "---\nid: a # mine\nkind: semantic\nours: [kept]\n---\n\n# Ports\n- [臨] The port is 8080.\n  Always.\n- 主機是 db1。\n\nThe end.\n"
	s.write("shared/a.md", text)
	var port memory.Item
	for st, err := range s.Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(st.Item.Content, "The port") {
			port = st.Item
		}
	}
	if port.Tier != memory.Provisional || port.Content != "The port is 8080.\nAlways." {
		t.Fatalf("bullet = %+v", port)
	}
	if err := s.Remove(t.Context(), port.ID, "outdated", s.now); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), port.ID); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("get of a retired bullet = %v", err)
	}
	if _, err := s.Restore(t.Context(), port.ID); err != nil {
		t.Fatal(err)
	}
	if got := s.read("shared/a.md"); got != text {
		t.Errorf("retired and restored, the file differs:\n%s", cmp.Diff(text, got))
	}
	port.Tier = memory.Settled
	put(t, s, port)
	if got := s.read("shared/a.md"); got != strings.Replace(text, "[臨]", "[固]", 1) {
		t.Errorf("promoted, the file differs:\n%s", cmp.Diff(text, got))
	}
	port.Content = "The port is 9090."
	put(t, s, port)
	if got := s.read("shared/a.md"); got != strings.Replace(text, "[臨] The port is 8080.\n  Always.", "[固] The port is 9090.", 1) {
		t.Errorf("edited, the file differs:\n%s", cmp.Diff(text, got))
	}
	whole, err := s.Get(t.Context(), "a")
	if err != nil || !strings.HasPrefix(whole.Content, "# Ports\n") || !strings.HasSuffix(whole.Content, "The end.") {
		t.Errorf("the atom as a whole = %q, %v", whole.Content, err)
	}
	whole.Metadata.Tags = []string{"ports"}
	put(t, s, whole)
	if got := s.read("shared/a.md"); !strings.Contains(got, "id: a # mine\nkind: semantic\nours: [kept]\ntags: [ports]\n---\n") {
		t.Errorf("a new field lost what stood there:\n%s", got)
	}
}

func TestTwoStoresOnOneFolderSeeEachOther(t *testing.T) {
	dir := t.TempDir()
	stores := []*space{openAt(t, dir), openAt(t, dir)}
	var wg sync.WaitGroup
	for w, s := range stores {
		wg.Go(func() {
			for i := range 15 {
				it := fact(fmt.Sprintf("w%d-%d", w, i), "Said by one of two.")
				both := fact(fmt.Sprintf("both-%d", i), "Said by both of them, the same way.")
				both.Scope = memory.Shared
				if err := s.Put(t.Context(), it, both); err != nil {
					t.Error(err)
				}
				if _, err := stores[1-w].Get(t.Context(), it.ID); err != nil {
					t.Errorf("the other store: %v", err)
				}
			}
		})
	}
	wg.Wait()
	x := newIndex()
	if problems := stores[0].sync(x, memory.FullLook); len(problems) > 0 || len(x.passages) != 45 {
		t.Errorf("%d passages, problems %v; want 45 and none", len(x.passages), problems)
	}
	files, err := filepath.Glob(filepath.Join(dir, "shared", "*.md"))
	if err != nil || len(files) != 15 {
		t.Errorf("%d atoms for 15 items put by both, %v", len(files), err)
	}
}

// The child of TestAKilledProcessLosesNothingItAcknowledged: puts until killed
// and names on stdout what is acknowledged.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "archive-until-killed" {
		archiveUntilKilled(os.Args[2])
	}
	if len(os.Args) == 3 && os.Args[1] == "put-until-killed" {
		s, err := store.Open(&store.Options{State: filepath.Join(os.Args[2], "state"), Roots: []store.Root{
			{Name: "personal", Dir: filepath.Join(os.Args[2], "personal"), Scope: memory.Personal("ann")},
			{Name: "shared", Dir: filepath.Join(os.Args[2], "shared"), Scope: memory.Shared},
		}})
		for i := 0; err == nil; i++ {
			it := fact(fmt.Sprintf("k%d", i), strings.Repeat("Kept when killed. 仍在。", 200))
			if i%4 == 3 {
				it.Scope = memory.Shared
			}
			if err = s.Put(context.Background(), it); err == nil {
				fmt.Println(it.ID)
			}
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestAKilledProcessLosesNothingItAcknowledged(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip("SKIPPED: the test binary cannot start itself: ", err)
	}
	for round := range 5 {
		dir := t.TempDir()
		cmd := exec.Command(exe, "put-until-killed", dir)
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+17*round) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		s := openAt(t, dir)
		x := newIndex()
		s.sync(x, memory.FullLook)
		for _, id := range strings.Fields(out.String()) {
			if _, ok := x.passages[id]; !ok {
				t.Errorf("round %d: %s was acknowledged and is lost", round, id)
			}
		}
		put(t, s, fact("after", "Life goes on."))
	}
}

func TestTheAuditTrailIsFilteredAndSurvivesABrokenLine(t *testing.T) {
	s := openSpace(t)
	for r := range s.Audits(t.Context(), nil) {
		t.Errorf("a missing trail yields %+v", r)
	}
	if err := s.Audit(t.Context(), memory.AuditRecord{Op: "add", ID: "a", Why: "記住", Session: "s1", Score: 0.75}, memory.AuditRecord{Op: "skip", ID: "b", Other: "a"}); err != nil {
		t.Fatal(err)
	}
	golden(t, "audit.jsonl", s.read("state/audit.jsonl"))
	s.write("state/audit.jsonl", s.read("state/audit.jsonl")+"{broken\n")
	if err := s.Audit(t.Context(), memory.AuditRecord{Op: "retire", ID: "c", TS: s.now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter *memory.AuditFilter
		want   string
	}{
		{nil, "add skip ! retire"}, {&memory.AuditFilter{ID: "a"}, "add skip !"}, {&memory.AuditFilter{Op: "skip"}, "skip !"},
		{&memory.AuditFilter{Session: "s1"}, "add !"}, {&memory.AuditFilter{Since: s.now.Add(time.Minute)}, "! retire"},
	} {
		var got []string
		for r, err := range s.Audits(t.Context(), c.filter) {
			if err != nil {
				if !strings.Contains(err.Error(), "audit.jsonl:3:") {
					t.Errorf("error = %v, want the file and line 3", err)
				}
				r.Op = "!"
			}
			got = append(got, string(r.Op))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v, want %s", c.filter, got, c.want)
		}
	}
}

func TestMemoryIsTheTextOfEveryCoreFile(t *testing.T) {
	s := openSpace(t)
	if text, err := s.Memory(t.Context()); err != nil || text != "" {
		t.Errorf("memory of nothing = %q, %v", text, err)
	}
	s.write("personal/MEMORY.md", "\ufeff# 核心\r\n- 用繁體中文\r\n")
	s.write("shared/MEMORY.md", "---\ntitle: x\n---\n# Team\n")
	s.write("shared/sub/MEMORY.md", "not a core file\n")
	s.write("docs/MEMORY.md", "somebody else's\n")
	if text, err := s.Memory(t.Context()); err != nil || text != "# 核心\n- 用繁體中文\n\n# Team" {
		t.Errorf("memory = %q, %v", text, err)
	}
}

func TestOpenTouchesNothing(t *testing.T) {
	s := openSpace(t)
	for range s.Scan(t.Context()) {
	}
	s.changes(nil, memory.FullLook)
	if entries, err := os.ReadDir(s.dir); err != nil || len(entries) > 0 {
		t.Errorf("reading made %v, %v", entries, err)
	}
}

func TestAFlatRootLeavesItsFoldersToOthers(t *testing.T) {
	dir := t.TempDir()
	s := &space{t: t, dir: dir}
	var err error
	s.Store, err = store.Open(&store.Options{State: filepath.Join(dir, "state"), Roots: []store.Root{
		{Name: "project", Dir: filepath.Join(dir, "memory"), Scope: memory.Shared, Flat: true},
		{Name: "shared", Dir: filepath.Join(dir, "memory", "shared"), Scope: memory.Shared},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.write("memory/MEMORY.md", "Core.\n")
	s.write("memory/shared/x.md", "Once.\n")
	x := newIndex()
	s.sync(x, memory.FullLook)
	if diff := cmp.Diff([]string{"project/MEMORY.md#1", "shared/x.md#1"}, x.ids()); diff != "" {
		t.Errorf("passages differ (-want +got):\n%s", diff)
	}
}

func TestOpenRefusesRootsThatMakeNoSense(t *testing.T) {
	good := store.Root{Name: "a", Dir: "x", Scope: memory.Shared}
	for name, o := range map[string]*store.Options{
		"no state":     {Roots: []store.Root{good}},
		"a name twice": {State: "s", Roots: []store.Root{good, good}},
		"no folder":    {State: "s", Roots: []store.Root{{Name: "a", Scope: memory.Shared}}},
		"no scope":     {State: "s", Roots: []store.Root{{Name: "a", Dir: "x"}}},
	} {
		if _, err := store.Open(o); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: open = %v, want ErrInvalid", name, err)
		}
	}
}
