package orihon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon"
	"orihon/memory"
)

func TestWhatIsRememberedComesBackWhenItBearsOnThePrompt(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	for _, text := range []string{
		"We deploy with make ship, never with kubectl directly",
		"The billing tests need Redis on port 6380",
		"部署前必須先執行 npm run build",
		"資料庫遷移由 goose 管理",
		"缓存的过期时间是十五分钟",
	} {
		remember(t, m, text)
	}
	for _, tt := range []struct{ prompt, want string }{
		{"how do I deploy?", "make ship"},
		{"which port does Redis use in the billing tests?", "6380"},
		{"部署前要做什麼？", "npm run build"},
		{"部署前要做什么？", "npm run build"},
		{"数据库迁移用什么管理", "goose"},
		{"過期時間是多久？", "十五分钟"},
	} {
		if !finds(t, m, tt.prompt, tt.want) {
			t.Errorf("%q does not bring %q", tt.prompt, tt.want)
		}
	}
	for _, prompt := range []string{"write a haiku about autumn leaves", "今天天氣真好，去海邊走走", "ok", "繼續", ""} {
		if r := recall(t, m, prompt); r.Text != "" {
			t.Errorf("%q brings %s", prompt, r.Text)
		}
	}
}

func TestAStatementIsKnownAgainInAnyForm(t *testing.T) {
	m := newPlace(t).open(t)
	first := remember(t, m, "部署前必須先執行 npm run build")
	for _, again := range []string{"部署前必須先執行npm run build。", "部署前必须先执行 NPM run build"} {
		out, err := m.Remember(t.Context(), orihon.Statement{Text: again})
		if err != nil {
			t.Fatal(err)
		}
		if out.Action != "confirm" || out.Item.ID != first.ID {
			t.Errorf("%q: %s of %s, want the first one confirmed", again, out.Action, out.Item.ID)
		}
	}
	if got := list(t, m, memory.Filter{}); len(got) != 1 {
		t.Errorf("%d items, want 1", len(got))
	}
}

func TestTwoHandlesSeeEachOthersWrites(t *testing.T) {
	p := newPlace(t)
	a, b := p.open(t), p.open(t)
	remember(t, a, "The staging host is called marmot")
	if !finds(t, b, "what is the staging host called?", "marmot") {
		t.Error("b does not see what a wrote")
	}
	item := remember(t, b, "預備環境的主機在法蘭克福")
	if !finds(t, a, "預備環境的主機在哪裡？", "法蘭克福") {
		t.Error("a does not see what b wrote")
	}
	if _, err := a.Items().Forget(t.Context(), item.ID, ""); err != nil {
		t.Fatal(err)
	}
	if finds(t, b, "預備環境的主機在哪裡？", "法蘭克福") {
		t.Error("b still recalls what a forgot")
	}
}

// indexFiles returns what stands in a folder of an index, without the files
// that SQLite keeps for the readers of the moment.
func indexFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(e.Name(), "-shm") || info.Size() == 0 {
			continue
		}
		out[e.Name()] = fmt.Sprintf("%v %x", info.ModTime(), read(t, filepath.Join(dir, e.Name())))
	}
	return out
}

func TestAReadingHandleSeesWhatIsNewerThanTheIndexAndLeavesItAlone(t *testing.T) {
	p := newPlace(t)
	w := p.open(t)
	remember(t, w, "The staging host is called marmot")
	gone := remember(t, w, "The old gateway speaks SOAP")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(p.private(t), "index")
	before := indexFiles(t, dir)

	hook := p.open(t, readOnly)
	remember(t, hook, "The load balancer is haproxy")
	remember(t, hook, "負載平衡器的設定在 ops/lb.cfg")
	later := p.open(t, readOnly)
	for prompt, want := range map[string]string{
		"what is the staging host called?": "marmot",
		"which load balancer do we use?":   "haproxy",
		"負載平衡器的設定在哪裡？":                     "ops/lb.cfg",
	} {
		if !finds(t, later, prompt, want) {
			t.Errorf("%q does not bring %q", prompt, want)
		}
	}
	if !later.LateIndex() {
		t.Error("the reader does not say that a sync is due")
	}
	if diff := cmp.Diff(before, indexFiles(t, dir)); diff != "" {
		t.Error("reading changed the index")
	}

	// What another handle has taken out is not recalled either.
	if _, err := p.open(t).Items().Forget(t.Context(), gone.ID, "retired"); err != nil {
		t.Fatal(err)
	}
	if finds(t, later, "does the old gateway speak SOAP?", "SOAP") {
		t.Error("the reader recalls what was forgotten")
	}
}

func TestAReadingHandleBuildsASmallIndexThatIsMissing(t *testing.T) {
	p := newPlace(t)
	write(t, filepath.Join(p.dir, ".orihon/memory/shared/deploy.md"), "---\ntitle: Deploys\n---\n- We deploy with make ship\n- 部署之前先跑測試\n")
	m := p.open(t, readOnly)
	for prompt, want := range map[string]string{"how do we deploy?": "make ship", "部署之前要做什麼": "先跑測試"} {
		if !finds(t, m, prompt, want) {
			t.Errorf("%q does not bring %q", prompt, want)
		}
	}
	if _, err := os.Stat(filepath.Join(p.private(t), "index/index.db")); err != nil {
		t.Errorf("the index was not kept: %v", err)
	}
}

func TestAReadingHandleLeavesALargeIndexToTheSync(t *testing.T) {
	p := newPlace(t)
	w := p.open(t)
	remember(t, w, "The staging host is called marmot")
	w.Close()
	private := p.private(t)
	write(t, filepath.Join(private, "memory/big.md"), strings.Repeat("The quick brown fox jumps over the lazy dog.\n\n", 8000))
	if err := os.RemoveAll(filepath.Join(private, "index")); err != nil {
		t.Fatal(err)
	}
	m := p.open(t, readOnly)
	r := recall(t, m, "what is the staging host called?")
	if len(r.Degraded) == 0 || !m.LateIndex() {
		t.Errorf("degraded %v, late %v: want the index named and a sync asked for", r.Degraded, m.LateIndex())
	}
	if _, err := os.Stat(filepath.Join(private, "index/index.db")); err == nil {
		t.Error("a prompt waited for a large index")
	}
	if _, err := p.open(t).Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !finds(t, p.open(t, readOnly), "what is the staging host called?", "marmot") {
		t.Error("not found after the sync")
	}
}

func TestADamagedIndexLosesNothing(t *testing.T) {
	for name, change := range map[string][]func(*orihon.Options){"writing": nil, "reading": {readOnly}} {
		for damage, spoil := range map[string]func(path string) error{
			"garbage": func(path string) error {
				return os.WriteFile(path, []byte(strings.Repeat("not a database ", 900)), 0o600)
			},
			"empty":    func(path string) error { return os.Truncate(path, 0) },
			"cut":      func(path string) error { return os.Truncate(path, 5000) },
			"deleted":  os.Remove,
			"all gone": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		} {
			t.Run(name+"/"+damage, func(t *testing.T) {
				p := newPlace(t)
				w := p.open(t)
				remember(t, w, "The staging host is called marmot")
				remember(t, w, "預備環境的主機在法蘭克福")
				w.Close()
				path := filepath.Join(p.private(t), "index/index.db")
				for _, side := range []string{path + "-wal", path + "-shm"} {
					os.Remove(side)
				}
				if err := spoil(path); err != nil {
					t.Fatal(err)
				}
				m := p.open(t, change...)
				for prompt, want := range map[string]string{"what is the staging host called?": "marmot", "預備環境的主機在哪裡？": "法蘭克福"} {
					if !finds(t, m, prompt, want) {
						t.Errorf("%q does not bring %q", prompt, want)
					}
				}
			})
		}
	}
}

func TestAnIndexMadeAnewEqualsOneThatFollowed(t *testing.T) {
	subjects := []string{"deploy", "cache", "gateway", "部署", "快取", "閘道"}
	values := []string{"runs on port 8080", "uses make ship", "needs Redis 7", "由 goose 管理", "在法蘭克福", "過期時間是十五分鐘"}
	var prompts []string
	for _, s := range subjects {
		prompts = append(prompts, "what about the "+s+"?", s+" 怎麼運作")
	}
	dir := t.TempDir()
	var run int
	rapid.Check(t, func(rt *rapid.T) {
		run++
		p := &place{home: filepath.Join(dir, fmt.Sprint(run), "home"), dir: filepath.Join(dir, fmt.Sprint(run), "project")}
		if err := os.MkdirAll(p.dir, 0o700); err != nil {
			rt.Fatal(err)
		}
		p.seconds.Store(-1)
		m := p.open(rt, func(o *orihon.Options) { o.Now = p.minute })
		atom := filepath.Join(p.dir, ".orihon/memory/shared/notes.md")
		var ids []string
		for range rapid.IntRange(1, 8).Draw(rt, "edits") {
			p.seconds.Add(60)
			text := rapid.SampledFrom(subjects).Draw(rt, "subject") + " " + rapid.SampledFrom(values).Draw(rt, "value")
			switch rapid.IntRange(0, 5).Draw(rt, "edit") {
			case 0, 1:
				ids = append(ids, remember(rt, m, text).ID)
			case 2:
				if len(ids) > 0 {
					if _, err := m.Items().Forget(rt.Context(), rapid.SampledFrom(ids).Draw(rt, "id"), "test"); err != nil {
						rt.Fatal(err)
					}
				}
			case 3:
				if len(ids) > 0 {
					if _, err := m.Items().Restore(rt.Context(), rapid.SampledFrom(ids).Draw(rt, "id")); err != nil {
						rt.Fatal(err)
					}
				}
			case 4: // an editor adds a bullet, or begins the atom
				data, err := os.ReadFile(atom)
				if err != nil {
					data = []byte("# Notes\n\n")
				}
				write(rt, atom, string(data)+"- "+text+"\n")
			case 5: // an editor deletes the last line
				data, _ := os.ReadFile(atom)
				if lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n"); len(lines) > 3 {
					write(rt, atom, strings.Join(lines[:len(lines)-1], ""))
				}
			}
			if rapid.Bool().Draw(rt, "sync") {
				if _, err := m.Sync(rt.Context()); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if _, err := m.Sync(t.Context()); err != nil {
			rt.Fatal(err)
		}
		followed := recalled(rt, m, prompts)
		m.Close()
		if err := os.RemoveAll(m.Project().Index); err != nil {
			rt.Fatal(err)
		}
		anew := p.open(rt, func(o *orihon.Options) { o.Now = p.minute })
		if _, err := anew.Sync(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(followed, recalled(rt, anew, prompts)); diff != "" {
			rt.Fatalf("-followed +anew:\n%s", diff)
		}
		anew.Close()
	})
}

// minute is a clock that only moves when it is told to.
func (p *place) minute() time.Time { return start.Add(time.Duration(p.seconds.Load()) * time.Second) }

func recalled(t tb, m *orihon.Memory, prompts []string) []string {
	var out []string
	for _, prompt := range prompts {
		r := recall(t, m, prompt)
		line := []string{prompt, r.Text}
		for i := range r.Hits {
			line = append(line, fmt.Sprintf("%s %.4f", r.Hits[i].Passage.ID, r.Hits[i].Score))
		}
		out = append(out, strings.Join(line, "\n"))
	}
	return slices.Clip(out)
}
