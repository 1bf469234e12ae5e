package orihon_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"orihon"
	"orihon/embed"
	"orihon/erase"
	"orihon/follow"
	"orihon/internal/sqlite"
	"orihon/items"
	"orihon/journal"
	"orihon/memory"
)

// What is planted: an item that was reworded, so that either wording is about.
const (
	plantToken  = "qumquatz"
	plantOld    = "oldquatz" // in the first wording alone
	plantFirst  = `The code <word> of "project" qumquatz-甲 was oldquatz`
	plantSecond = `The code <word> of "project" qumquatz-甲 is 4711.`
	plantHead   = `The code <word> of "project" qumquatz-甲`
)

// garden is a home and a project in which a text stands wherever one can.
type garden struct {
	*place
	m        *orihon.Memory
	it       memory.Item
	private  string // the project's private space
	server   string // address of the embedder's; empty without one
	worktree string // another folder of the project
	source   string // one of the project's own files
}

// needle is what must stand in a place before a purge and nowhere after it.
type needle func(t *testing.T, g *garden) []byte

func text(s string) needle { return func(*testing.T, *garden) []byte { return []byte(s) } }

// plantings name, for each place, the files that hold the needle before the
// purge. Without plant, what the garden's own history has left there.
var plantings = []struct {
	name   string
	files  string // pattern, below the home, or with "./" below the project
	plant  func(t *testing.T, g *garden)
	needle needle         // nil is the token
	scopes []memory.Scope // nil is any
	server bool           // only with a server that embeds
}{
	{name: "ledger", files: "projects/*/memory/semantic.jsonl", scopes: private},
	{name: "ledger of the user", files: "memory/semantic.jsonl", scopes: global},
	{name: "ledger, a torn piece", files: "projects/*/memory/semantic.jsonl.torn-1", scopes: private, plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "memory", "semantic.jsonl.torn-1"), `{"v":1,"id":"`+g.it.ID+`","content":`+marshal(t, plantSecond))
	}},
	{name: "ledger, a copy from before a migration", files: "projects/*/memory/semantic.jsonl.before-migrate-1", scopes: private, plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "memory", "semantic.jsonl.before-migrate-1"), `{"id":"`+g.it.ID+`","content":`+marshal(t, plantFirst)+"}\n")
	}},
	{name: "atom", files: "./.orihon/memory/shared/*.md", scopes: shared},
	{name: "past of an atom", files: "projects/*/atoms.jsonl", scopes: shared, needle: text(plantOld)},
	{name: "archive", files: "projects/*/memory/archive/*.jsonl.gz", scopes: private},
	{name: "archive of the user", files: "memory/archive/*.jsonl.gz", scopes: global},
	{name: "note", files: "memory/notes.md", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "memory", "notes.md"), "She said: "+plantFirst+"\n")
	}},
	{name: "candidates in Markdown", files: "projects/*/memory/_candidates.md", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "memory", "_candidates.md"), "- "+plantFirst+"\n")
	}},
	{name: "candidates", files: "projects/*/candidates.jsonl", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "candidates.jsonl"), marshal(t, map[string]any{"v": 1, "item": map[string]string{"content": plantFirst}})+"\n")
	}},
	{name: "what waits for management", files: "./.orihon/shared/_pending_review/x.md", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.dir, ".orihon", "shared", "_pending_review", "x.md"), "---\nid: x1\n---\n"+plantSecond+"\n")
	}},
	{name: "what management rejected", files: "./.orihon/shared/_rejected/x.md", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.dir, ".orihon", "shared", "_rejected", "x.md"), "---\nid: x2\nrejected_why: we know "+plantFirst+"\n---\nOther.\n")
	}},
	{name: "journal", files: "projects/*/sessions/s1/journal.jsonl"},
	{name: "journal, body of an event", files: "projects/*/sessions/s1/io/*"},
	{name: "journal, a torn piece", files: "projects/*/sessions/s1/journal.jsonl.torn-1", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "sessions", "s1", "journal.jsonl.torn-1"), `{"seq":9,"payload":{"text":`+marshal(t, plantSecond))
	}},
	{name: "daily log", files: "projects/*/memory/2026-08-01.md"},
	{name: "episode", files: "projects/*/memory/episodic.jsonl"},
	{name: "journal, another final mark", files: "projects/*/sessions/s1/journal.jsonl", needle: text("4711? really")},
	{name: "journal, in mid-sentence", files: "projects/*/sessions/s1/journal.jsonl", needle: text("4711, right")},
	{name: "daily log, another final mark", files: "projects/*/memory/2026-08-01.md", needle: text("4711? really")},
	{name: "daily log, in mid-sentence", files: "projects/*/memory/2026-08-01.md", needle: text("4711, right")},
	{name: "index, another final mark", files: "projects/*/index/index.db*", needle: text("4711? really")},
	{name: "brief of a session", files: "projects/*/sessions/s1/brief.md", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "sessions", "s1", "brief.md"), "# Brief\n"+plantFirst+"\n")
	}},
	{name: "hot cache of a session", files: "projects/*/sessions/s1/hot.json", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "sessions", "s1", "hot.json"), marshal(t, []string{plantFirst}))
	}},
	{name: "state of a session: what it asked about", files: "projects/*/sessions/s1/state.json", plant: func(t *testing.T, g *garden) {
		g.restate(t, func(state map[string]any) { state["blind_topics"] = []string{plantToken + " code"} })
	}},
	{name: "state of a session: what stands in its window", files: "projects/*/sessions/s0/state.json", needle: theID},
	{name: "state of a session: its questions to git", files: "projects/*/sessions/s1/state.json", plant: func(t *testing.T, g *garden) {
		g.restate(t, func(state map[string]any) { state["vcs"] = []string{"git log --grep '" + plantSecond + "'"} })
	}},
	{name: "usage log", files: "projects/*/usage.jsonl", needle: theID},
	{name: "reasons in the audit trail", files: "projects/*/audit.jsonl", scopes: private},
	{name: "observations", files: "projects/*/observations.jsonl", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "observations.jsonl"), marshal(t, map[string]string{"said": plantSecond})+"\n")
	}},
	{name: "log of the hooks", files: "hook.log", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "hook.log"), "failed on "+plantSecond+"\n")
	}},
	{name: "export", files: "projects/*/exports/all.jsonl", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "exports", "all.jsonl"), marshal(t, map[string]string{"id": g.it.ID, "content": plantSecond})+"\n")
	}},
	{name: "export, compressed", files: "exports/all.jsonl.gz", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "exports", "all.jsonl.gz"), gzipped(t, marshal(t, map[string]string{"content": plantFirst})+"\n"))
	}},
	{name: "export in Markdown", files: "exports/all.md", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "exports", "all.md"), "- "+plantFirst+"\n")
	}},
	{name: "backup", files: "backups/home.tar.gz", plant: func(t *testing.T, g *garden) {
		var b bytes.Buffer
		if _, err := g.m.Backup(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(g.home, "backups", "home.tar.gz"), b.String())
	}},
	{name: "fold of a session, cut", files: "projects/*/sessions/s1/journal.jsonl", needle: text("qumquatz-甲…"), plant: func(t *testing.T, g *garden) {
		j, err := journal.Open(filepath.Join(g.private, "sessions", "s1"), nil)
		if err != nil {
			t.Fatal(err)
		}
		payload := `{"epoch":1,"reason":"manual","blocks":[{"number":1,"iterations":[1,1],"summary":{"title":` + marshal(t, plantHead+"…") + `}}]}`
		if _, err := j.Append(t.Context(), journal.Event{Type: journal.Fold, ID: "f1", Payload: json.RawMessage(payload)}); err != nil {
			t.Fatal(err)
		}
	}},
	{name: "prepared folds, cut", files: "projects/*/sessions/s1/folds.json", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "sessions", "s1", "folds.json"), marshal(t, map[string]any{"plans": []string{"x", plantHead + "…"}}))
	}},
	{name: "summary of a session, JSON in JSON", files: "projects/*/sessions/s1/summaries/a.json", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.private, "sessions", "s1", "summaries", "a.json"), marshal(t, map[string]string{"content": "ran " + marshal(t, map[string]string{"command": "echo " + plantSecond})}))
	}},
	{name: "page of a run", files: "exports/run.html", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "exports", "run.html"), "<td>"+html.EscapeString(plantSecond)+"</td>\n<script>"+marshal(t, plantFirst)+"</script>\n")
	}},
	{name: "export, wrapped and quoted", files: "exports/wrapped.md", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "exports", "wrapped.md"), "> The code \\<word\\> of\n> \"project\" qumquatz-甲\n> is 4711\n")
	}},
	{name: "name of a file", files: "exports/*qumquatz*", needle: text("elsewhere"), plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "exports", "the-code-word-of-project-"+plantToken+".md"), "elsewhere: "+plantHead)
	}},
	{name: "name of a note", files: "memory/*qumquatz*", needle: text("nothing"), plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "memory", "the_code_word_of_project_"+plantToken+".md"), "nothing\n")
	}},
	{name: "another file in a folder of memory", files: "memory/todo.txt", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "memory", "todo.txt"), "ask about: "+plantHead+"\n")
	}},
	{name: "reason for another item", files: "projects/*/audit.jsonl", needle: text("like: The code"), plant: func(t *testing.T, g *garden) {
		path := filepath.Join(g.private, "audit.jsonl")
		write(t, path, read(t, path)+marshal(t, map[string]any{"v": 1, "ts": start, "op": "skip", "id": "other", "why": "like: " + plantHead + "…"})+"\n")
	}},
	{name: "home that a restore kept aside", files: "../home.before-20260101-000000/*/*/sessions/*/journal.jsonl", plant: func(t *testing.T, g *garden) {
		if err := os.CopyFS(g.home+".before-20260101-000000", os.DirFS(g.home)); err != nil {
			t.Fatal(err)
		}
	}},
	{name: "folder of the project that a restore kept aside", files: "./.orihon.before-20260101-000000/memory/shared/a.md", plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.dir, ".orihon.before-20260101-000000", "memory", "shared", "a.md"), "---\nid: "+g.it.ID+"\n---\n"+plantFirst+"\n")
	}},
	{name: "another project's journal", files: "projects/*/sessions/elsewhere/journal.jsonl"},
	{name: "index", files: "*/*/index/index.db*", scopes: private},
	{name: "index of the user", files: "index/index.db*", scopes: global},
	{name: "index, what was dropped from it", files: "*/*/index/index.db*", scopes: private, needle: text(plantOld)},
	{name: "index of the project's files", files: "projects/*/index/rag-*.db*", needle: text("of \"project\" qumquatz-甲 is")},
	{name: "index of the project's files, its log", files: "projects/*/index/rag-*.db-wal", needle: text("nowhere-else " + plantFirst)},
	{name: "index of another folder's files", files: "projects/*/index/rag-*.db*", needle: text("worktree-only")},
	{name: "cached vector's key", files: "cache/embed/*.cache", server: true, needle: cacheKey},
	{name: "cached vector", files: "cache/embed/*.cache", server: true, needle: func(*testing.T, *garden) []byte {
		var out []byte
		for _, x := range serverVector(plantSecond) {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
		return out
	}},
	{name: "what a server complained of", files: "cache/embed/embedder-*.json", server: true, plant: func(t *testing.T, g *garden) {
		write(t, filepath.Join(g.home, "cache", "embed", "embedder-0123456789ab.json"), marshal(t, map[string]any{"id": "x/y", "failures": 1, "why": "too long: " + plantSecond}))
	}},
}

var (
	private = []memory.Scope{""}
	global  = []memory.Scope{memory.Global}
	shared  = []memory.Scope{memory.Shared}
)

func theID(_ *testing.T, g *garden) []byte { return []byte(g.it.ID) }

// cacheKey is how a cache finds the vector of the second wording.
func cacheKey(*testing.T, *garden) []byte {
	key := sha256.Sum256([]byte("ollama/qwen3-embedding\x00document\x00" + plantSecond))
	return key[:]
}

// serverVector is what the scripted server makes of a text: of length one, and
// hardly that of any other.
func serverVector(text string) []float32 {
	sum := sha256.Sum256([]byte(text))
	var square float64
	var v [8]float32
	for i := range v {
		v[i] = float32(sum[i]) + 1
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(square))
	}
	return v[:]
}

func vectorServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Errorf("request: %v", err)
		}
		var out [][]float32
		for _, text := range asked.Input {
			out = append(out, serverVector(text))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": out})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// restate edits the state of session s1 as it lies on the disk.
func (g *garden) restate(t *testing.T, edit func(map[string]any)) {
	t.Helper()
	path := filepath.Join(g.private, "sessions", "s1", "state.json")
	state := make(map[string]any)
	if err := json.Unmarshal([]byte(read(t, path)), &state); err != nil {
		t.Fatal(err)
	}
	edit(state)
	write(t, path, marshal(t, state))
}

func (g *garden) settings(o *orihon.Options) {
	if g.server != "" {
		set("embedder.provider", "ollama")(o)
		set("embedder.url", g.server)(o)
	}
}

// grown is a garden in which an item of a scope has been through everything.
func grown(t *testing.T, scope memory.Scope, server bool) *garden {
	t.Helper()
	g := &garden{place: newPlace(t)}
	if server {
		g.server = vectorServer(t)
	}
	write(t, filepath.Join(g.dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(g.dir, ".orihon", "config.yaml"), "language: en\n")
	g.m = g.open(t, g.settings)
	m := g.m
	for i := range 30 { // enough for a model to be trained
		remember(t, m, fmt.Sprintf("Service %d listens on port %d behind gateway %d", i, 3000+i, i%7))
	}
	g.it = state(t, m, orihon.Statement{Text: plantFirst, Scope: scope})
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Items().Edit(t.Context(), g.it.ID, func(it *memory.Item) error { it.Content = plantSecond; return nil }); err != nil {
		t.Fatal(err)
	}
	const asked = "the code word of project 4711"
	if in := g.begin(t, "s0", "startup"); !strings.Contains(in.Text, plantSecond) {
		t.Errorf("no session begins with it: %q", in.Text)
	}
	g.prompt(t, "s0", "p0", asked, g.settings)
	if in := g.prompt(t, "s-unbegun", "p0", asked, g.settings); !strings.Contains(in.Text, plantSecond) {
		t.Errorf("it was not injected: %q", in.Text)
	}
	if _, err := m.Items().Archive(t.Context(), "because "+plantFirst, g.it.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Items().Restore(t.Context(), g.it.ID); err != nil {
		t.Fatal(err)
	}
	undo(t, m, items.Undo{Last: true})
	undo(t, m, items.Undo{ID: g.it.ID, Redo: true})
	// A session that speaks of it, in a prompt, a body of its own, and what
	// follows from both; and one in another project.
	g.begin(t, "s1", "startup")
	g.prompt(t, "s1", "p1", "Tell me: "+plantSecond, g.settings)
	unmarked := strings.TrimSuffix(plantSecond, ".")
	g.prompt(t, "s1", "p2", unmarked+"? really", g.settings)
	g.prompt(t, "s1", "p3", "so "+unmarked+", right", g.settings)
	g.do(t, "s1", func(ctx context.Context, s *follow.Session) error {
		input, err := json.Marshal(map[string]string{"command": "echo " + plantFirst})
		if err != nil {
			return err
		}
		return s.Action(ctx, follow.Action{ID: "a1", Tool: "Bash", Input: input, Output: strings.Repeat("line\n", 10_000) + plantSecond})
	})
	g.end(t, "s1")
	g.work(t)
	other := &place{home: g.home, dir: t.TempDir()}
	remember(t, other.open(t), "The other project deploys with make ship")
	other.prompt(t, "elsewhere", "p1", "Is it true? "+plantSecond)
	other.end(t, "elsewhere")
	other.work(t)

	g.private = m.Project().Private
	g.source = filepath.Join(g.dir, "docs", "words.md")
	index(t, m)
	g.keepLog(t)
	write(t, g.source, "# Words\n\nnowhere-else "+plantFirst+"\n")
	index(t, m)
	write(t, g.source, "# Words\n\nOne line.\n"+plantSecond+"\n")
	index(t, m)
	g.worktree = t.TempDir()
	write(t, filepath.Join(g.worktree, "tree.md"), "worktree-only "+plantSecond+"\n")
	tree := (&place{home: g.home, dir: g.worktree}).open(t, g.settings)
	index(t, tree)
	s, err := tree.Documents().Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", rootNote} { // as if both were folders of one project
		if err := os.Rename(s.Index+end, filepath.Join(g.private, "index", filepath.Base(s.Index)+end)); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

const rootNote = ".root"

// keepLog reads the index of the project's files for as long as the test takes,
// as a recall does for a moment: its log stays there meanwhile.
func (g *garden) keepLog(t *testing.T) {
	t.Helper()
	s, err := g.m.Documents().Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x, err := sqlite.Open(t.Context(), s.Index, &sqlite.Options{Embedder: embed.NewHash(0), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if _, err := x.Stamp(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// matching are the files of a pattern that hold a needle.
func (g *garden) matching(t *testing.T, pattern string, needle []byte) (found []string) {
	t.Helper()
	root := g.home
	if below, ok := strings.CutPrefix(pattern, "./"); ok {
		root, pattern = g.dir, below
	}
	if below, ok := strings.CutPrefix(pattern, "../"); ok {
		root, pattern = filepath.Dir(g.home), below
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if ok, err := filepath.Match(pattern, filepath.ToSlash(file)); err != nil || !ok {
			return err
		}
		n, err := timesIn(path, string(needle))
		if n > 0 {
			found = append(found, filepath.ToSlash(file))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// One planting to a row: a place that nobody erases fails the row that is named
// after it.
func TestEveryPlaceIsErased(t *testing.T) {
	for _, world := range []struct {
		name   string
		scope  memory.Scope
		server bool
	}{{"personal", "", false}, {"global", memory.Global, false}, {"shared", memory.Shared, false}, {"embedded by a server", "", true}} {
		t.Run(world.name, func(t *testing.T) {
			t.Parallel()
			g := grown(t, world.scope, world.server)
			mustSync(t, g.m)
			concerns := func(i int) bool {
				x := &plantings[i]
				return (x.scopes == nil || slices.Contains(x.scopes, world.scope)) && (!x.server || world.server)
			}
			for i := range plantings {
				if x := &plantings[i]; x.plant != nil && concerns(i) {
					x.plant(t, g)
				}
			}
			needles := make([][]byte, len(plantings))
			for i, x := range plantings {
				if !concerns(i) {
					continue
				}
				needles[i] = []byte(plantToken)
				if x.needle != nil {
					needles[i] = x.needle(t, g)
				}
				if len(g.matching(t, x.files, needles[i])) == 0 {
					t.Errorf("%s: nothing was planted in %s", x.name, x.files)
				}
			}
			left, err := g.m.Erase().Purge(t.Context(), g.it.ID)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range plantings {
				t.Run(x.name, func(t *testing.T) {
					if !concerns(i) {
						t.Skip("SKIPPED: another scope or embedder")
					}
					if found := g.matching(t, x.files, needles[i]); len(found) > 0 {
						t.Errorf("it still stands in %v", found)
					}
				})
			}
			g.checkPurged(t, left)
		})
	}
}

// checkPurged looks for the text in every byte there is, and at what is left.
func (g *garden) checkPurged(t *testing.T, survivors []erase.Survivor) {
	t.Helper()
	for _, token := range []string{plantToken, plantOld} {
		found := everyByte(t, token, filepath.Dir(g.home), filepath.Join(g.dir, ".orihon"), filepath.Join(g.dir, ".orihon.before-20260101-000000"))
		if len(found) > 0 {
			t.Errorf("%s still stands in %v", token, found)
		}
		for _, dir := range []string{filepath.Dir(g.home), filepath.Join(g.dir, ".orihon")} {
			for _, name := range names(t, dir) {
				if strings.Contains(name, token) {
					t.Errorf("%s names it", name)
				}
			}
		}
	}
	if key := cacheKey(t, g); len(everyByte(t, string(key), g.home)) > 0 {
		t.Error("its hash is still cached")
	}
	for file := range everyByte(t, g.it.ID, g.home, g.dir) {
		switch {
		case strings.HasSuffix(file, "audit.jsonl"), strings.HasSuffix(file, "journal.jsonl"): // that it was injected
		case strings.HasSuffix(file, ".gz"): // the same, and marks
		case strings.Contains(read(t, existing(g.place, file)), "[purged:"):
		default:
			t.Errorf("%s still names it", file)
		}
	}
	// The user's own files are named, and stay as they are.
	want := []string{filepath.Join(g.worktree, "tree.md") + ":1", "docs/words.md:4"}
	slices.Sort(want)
	var left []string
	for _, s := range survivors {
		left = append(left, fmt.Sprintf("%s:%d", s.Path, s.Line))
	}
	if !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
	if !strings.Contains(read(t, g.source), plantSecond) {
		t.Error("the user's own file was changed")
	}
	if problems := examined(t, g.m); len(problems) > 0 {
		t.Errorf("what was left is broken: %v", problems)
	}
	if backup := filepath.Join(g.home, "backups", "home.tar.gz"); exists(backup) {
		if _, err := orihon.VerifyBackup(t.Context(), backup); err != nil {
			t.Errorf("the backup is broken: %v", err)
		}
	}
	if !finds(t, g.open(t, g.settings), "which port does service 12 listen on?", "3012") {
		t.Error("other memory was lost")
	}
	if rest := read(t, filepath.Join(g.private, "exports", "all.jsonl")); rest != "" {
		t.Errorf("an export would bring back an item without a text: %q", rest)
	}
	if entries, _ := os.ReadDir(filepath.Join(g.private, "purging")); len(entries) > 0 {
		t.Error("a note says that the purge is under way")
	}
	// What still says it in the user's own files comes back when that is read, and only then.
	index(t, g.m)
	r, err := g.m.Recall(t.Context(), memory.Query{Text: plantSecond, Documents: true, MaxTokens: 4000})
	if err != nil || !strings.Contains(r.Text, "docs/words.md:1") {
		t.Errorf("a file that says it is not found: %q, %v", r.Text, err)
	}
}

// names are those of all files and folders below one.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		out = append(out, d.Name())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stopping is a context that ends when it has been looked at so many times.
type stopping struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
	stop func() // instead of ending it
}

func (s *stopping) Err() error {
	if s.left.Add(-1) == 0 {
		if s.stop != nil {
			s.stop()
		}
		s.end()
	}
	return s.Context.Err()
}

func stopAfter(ctx context.Context, looks int, stop func()) *stopping {
	inner, end := context.WithCancel(ctx)
	s := &stopping{Context: inner, end: end, stop: stop}
	s.left.Store(int64(looks))
	return s
}

// A purge that was interrupted, wherever that was, is finished by another one.
func TestAnInterruptedPurgeCanBeRepeated(t *testing.T) {
	for _, scope := range []memory.Scope{"", memory.Shared} {
		t.Run(string(scope), func(t *testing.T) {
			t.Parallel()
			g := grown(t, scope, false)
			g.m.Close()
			kept := t.TempDir()
			g.save(t, kept)
			whole := stopAfter(t.Context(), math.MaxInt, nil)
			if _, err := g.open(t).Erase().Purge(whole, g.it.ID); err != nil {
				t.Fatal(err)
			}
			steps := math.MaxInt - int(whole.left.Load())
			t.Logf("a purge looks at its context %d times", steps)
			// Queries under way look at it as well, a few times more or less: the
			// last looks are left out, which a purge may not come to.
			for n := 1; n < steps*9/10 && !t.Failed(); n += max(1, steps/12) {
				g.load(t, kept)
				m := g.open(t)
				stopped := stopAfter(t.Context(), n, nil)
				_, err := m.Erase().Purge(stopped, g.it.ID)
				stopped.end()
				if !errors.Is(err, context.Canceled) {
					t.Errorf("stopped at %d of %d: %v", n, steps, err)
				}
				m.Close()
				g.again(t, n)
			}
		})
	}
}

// Whatever a purge fails at, it says so, and the next one finishes it.
func TestAPurgeThatFailsCanBeRepeated(t *testing.T) {
	g := grown(t, "", false)
	g.m.Close()
	kept := t.TempDir()
	g.save(t, kept)
	for _, tt := range []struct{ name, file string }{ // where a folder stands that is no file
		{"a journal", "PRIVATE/sessions/s1/.purges"},
		{"another project's journal", "OTHER/sessions/elsewhere/.purges"},
		{"the past of atoms", "PRIVATE/atoms.jsonl"},
		{"the usage log", "PRIVATE/usage.jsonl"},
		{"the audit trail", "PRIVATE/audit.jsonl"},
		{"the cache of vectors", "cache/embed/vectors-0123456789ab.cache"},
		{"a file of a home kept aside", "../home.before-20260101-000000/projects/0123456789ab/usage.jsonl"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g.load(t, kept)
			other, err := filepath.Glob(filepath.Join(g.home, "projects", "*", "sessions", "elsewhere"))
			if err != nil || len(other) != 1 {
				t.Fatal(other, err)
			}
			private, err := filepath.Rel(g.home, g.private)
			if err != nil {
				t.Fatal(err)
			}
			elsewhere, err := filepath.Rel(g.home, filepath.Dir(filepath.Dir(other[0])))
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(g.home, filepath.FromSlash(strings.NewReplacer("PRIVATE", private, "OTHER", elsewhere).Replace(tt.file)))
			aside := filepath.Join(t.TempDir(), "aside")
			there := exists(file)
			if there {
				if err := os.Rename(file, aside); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(file, "x"), "in the way")
			m := g.open(t)
			if _, err := m.Erase().Purge(t.Context(), g.it.ID); err == nil {
				t.Error("it says it is done")
			}
			m.Close()
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
			if there {
				if err := os.Rename(aside, file); err != nil {
					t.Fatal(err)
				}
			}
			g.again(t, 0)
		})
	}
}

// purgeEnv makes the test binary a process that kills itself while it purges: its
// value is "home|project|ID|looks at the context".
const purgeEnv = "ORIHON_TEST_PURGE"

func TestAKilledPurgeCanBeRepeated(t *testing.T) {
	if args := os.Getenv(purgeEnv); args != "" {
		a := strings.Split(args, "|")
		n, err := strconv.Atoi(a[3])
		if err != nil {
			t.Fatal(err)
		}
		m := (&place{home: a[0], dir: a[1]}).open(t)
		_, err = m.Erase().Purge(stopAfter(t.Context(), n, func() {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			t.Log(err)
			select {}
		}), a[2])
		t.Fatalf("it lived: %v", err)
	}
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	g := grown(t, "", false)
	g.m.Close()
	kept := t.TempDir()
	g.save(t, kept)
	for _, n := range []int{3, 40, 90, 140, 170, 200} {
		g.load(t, kept)
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%s|%s|%d", purgeEnv, g.home, g.dir, g.it.ID, n))
		out, err := cmd.CombinedOutput()
		if err == nil || bytes.Contains(out, []byte("FAIL")) {
			t.Fatalf("at %d it was not killed: %v\n%s", n, err, out)
		}
		g.again(t, n)
	}
}

// again repeats a purge by the beginning of the ID and looks for the text.
func (g *garden) again(t *testing.T, n int) {
	t.Helper()
	m := g.open(t)
	defer m.Close()
	if _, err := m.Erase().Purge(t.Context(), g.it.ID[:23]); err != nil {
		t.Fatalf("stopped at %d, and again: %v", n, err)
	}
	for _, token := range []string{plantToken, plantOld} {
		if found := everyByte(t, token, g.home, filepath.Join(g.dir, ".orihon")); len(found) > 0 {
			t.Errorf("stopped at %d and repeated, %s still stands in %v", n, token, found)
		}
	}
}

// save copies the home and the project to a folder, and load back from there.
func (g *garden) save(t *testing.T, to string) {
	t.Helper()
	for name, dir := range map[string]string{"home": g.home, "project": g.dir} {
		if err := os.CopyFS(filepath.Join(to, name), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
}

func (g *garden) load(t *testing.T, from string) {
	t.Helper()
	for name, dir := range map[string]string{"home": g.home, "project": g.dir} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(from, name))); err != nil {
			t.Fatal(err)
		}
	}
}
