package orihon_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"orihon"
)

// An index is derived: whatever became of it, a hook goes on and says what it
// went without, and the next process that may write makes it anew.
func TestAnIndexSpoiledFromOutsideIsMadeAnewByTheNextStart(t *testing.T) {
	const asked = "what is the staging host called?"
	truncate := func(share int64) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, info.Size()*share/100); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, path string)
	}{
		{"deleted", func(t *testing.T, path string) { remove(t, path) }},
		{"empty", truncate(0)},
		{"cut in half", truncate(50)},
		{"cut by a little", truncate(97)},
		{"text in its place", func(t *testing.T, path string) { write(t, path, strings.Repeat("not a database\n", 4000)) }},
	} {
		for _, large := range []bool{false, true} {
			if large && tt.name != "cut in half" && !thorough() {
				continue
			}
			t.Run(fmt.Sprintf("%s/large %t", tt.name, large), func(t *testing.T) {
				p := marmots(t)
				if large { // too much to be indexed while a prompt waits
					write(t, filepath.Join(p.private(t), "memory/log.md"), "# Log\n"+strings.Repeat("\nThe ferry left at noon, and nobody waved from the pier.\n", 6000))
					m := p.open(t)
					mustSync(t, m)
					m.Close()
				}
				for _, side := range []string{"-wal", "-shm"} {
					remove(t, filepath.Join(p.private(t), "index/index.db"+side))
				}
				tt.spoil(t, filepath.Join(p.private(t), "index/index.db"))

				hook := p.open(t, readOnly)
				r := recall(t, hook, asked)
				if !strings.Contains(r.Text, "marmot") {
					if !slices.ContainsFunc(r.Degraded, func(d string) bool { return strings.HasPrefix(d, "project") }) {
						t.Errorf("a hook finds nothing and names %v, want the project named", r.Degraded)
					}
					if !hook.LateIndex() {
						t.Error("a hook does not ask for a sync")
					}
				}
				if found := strings.Contains(r.Text, "marmot"); found == large && tt.name != "cut by a little" {
					t.Errorf("found %t with a store that is large: %t", found, large)
				}
				if r := recall(t, hook, "what is my editor called?"); !strings.Contains(r.Text, "helix") {
					t.Errorf("the user's space is lost with it: %q, degraded %v", r.Text, r.Degraded)
				}
				hook.Close()

				m := p.open(t)
				if _, err := m.Sync(t.Context()); err != nil {
					t.Errorf("sync: %v", err)
				}
				m.Close()
				if r := recall(t, p.open(t, readOnly), asked); !strings.Contains(r.Text, "marmot") || len(r.Degraded) > 0 {
					t.Errorf("after the next start: %q, degraded %v", r.Text, r.Degraded)
				}
			})
		}
	}
}

func TestTheUsersIndexSpoiledLeavesTheProject(t *testing.T) {
	p := marmots(t)
	path := filepath.Join(p.home, "index/index.db")
	for _, side := range []string{"-wal", "-shm"} {
		remove(t, path+side)
	}
	write(t, path, strings.Repeat("not a database\n", 4000))
	hook := p.open(t, readOnly)
	if r := recall(t, hook, "what is the staging host called?"); !strings.Contains(r.Text, "marmot") {
		t.Errorf("the project is lost with it: %q, degraded %v", r.Text, r.Degraded)
	} else if len(r.Degraded) == 0 && !finds(t, hook, "what is my editor called?", "helix") {
		t.Error("the user's index is neither mended nor named")
	}
	hook.Close()
	mustSync(t, p.open(t))
	if r := recall(t, p.open(t, readOnly), "what is my editor called?"); !strings.Contains(r.Text, "helix") || len(r.Degraded) > 0 {
		t.Errorf("after the next start: %q, degraded %v", r.Text, r.Degraded)
	}
}

// Files that may be read and not written, in folders of the same kind: nothing
// is lost for a reader, and what another process left in the log of the database
// is read too.
func TestAnIndexThatMayOnlyBeReadIsRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("SKIPPED: root may write everything")
	}
	p := marmots(t)
	for _, dir := range []string{filepath.Join(p.home, "index"), filepath.Join(p.private(t), "index")} {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			if err := os.Chmod(f, 0o400); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	}
	for how, change := range map[string][]func(*orihon.Options){"reading": {readOnly}, "writing": nil} {
		m := p.open(t, change...)
		if r := recall(t, m, "what is the staging host called?"); !strings.Contains(r.Text, "marmot") && !slices.Contains(r.Degraded, "project index") {
			t.Errorf("%s: %q, degraded %v; want it found, or the index named", how, r.Text, r.Degraded)
		} else {
			t.Logf("%s: found %t, degraded %v", how, strings.Contains(r.Text, "marmot"), r.Degraded)
		}
		m.Close()
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestWithNothingLeftRecallIsEmpty(t *testing.T) {
	p := marmots(t)
	remove(t, filepath.Join(p.dir, ".orihon/memory"))
	for _, dir := range []string{p.home, p.private(t)} {
		remove(t, filepath.Join(dir, "index"))
		write(t, filepath.Join(dir, "index/index.db.lock/x"), "in the way")
	}
	r := recall(t, p.open(t, readOnly), "what is the staging host called?")
	if r.Text != "" || len(r.Hits) > 0 || len(r.Degraded) != 2 {
		t.Errorf("got %q, %d hits, degraded %v; want nothing and both indexes named", r.Text, len(r.Hits), r.Degraded)
	}
}

// A server's vectors are worth nothing without the server; words are.
func TestAServerThatFailsLeavesWordsAndTriggers(t *testing.T) {
	var mode atomic.Value
	mode.Store("well")
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		dimension := 16
		switch mode.Load() {
		case "slow":
			select {
			case <-r.Context().Done():
			case <-ended:
			}
			return
		case "failing":
			http.Error(w, "out of memory", http.StatusInternalServerError)
			return
		case "not JSON":
			w.Write([]byte("<html>"))
			return
		case "of another dimension":
			dimension = 8
		}
		var out [][]float32
		for _, text := range in.Input {
			v := make([]float32, dimension)
			for _, c := range []byte(text) {
				v[int(c)%dimension]++
			}
			out = append(out, v)
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"embeddings": out}); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	defer close(ended)
	configured := func(url string) []func(*orihon.Options) {
		return []func(*orihon.Options){set("embedder.provider", "ollama"), set("embedder.url", url), set("embedder.model", "m")}
	}
	for i, state := range []string{"well", "slow", "failing", "not JSON", "of another dimension", "down"} {
		for how, more := range map[string][]func(*orihon.Options){"writing": nil, "reading": {readOnly}} {
			t.Run(state+"/"+how, func(t *testing.T) {
				p := newPlace(t)
				mode.Store("well")
				m := p.open(t, configured(server.URL)...)
				remember(t, m, "The staging host is called marmot")
				remember(t, m, "快取的過期時間是十五分鐘")
				mustSync(t, m)
				if e := embedder(t, m); !strings.HasPrefix(e.ID, "ollama/m") {
					t.Fatalf("the vectors are of %s", e.ID)
				}
				m.Close()

				mode.Store(state)
				url := server.URL
				if state == "down" {
					url = "http://127.0.0.1:1"
				}
				m = p.open(t, append(configured(url), more...)...)
				// Each question is asked once, or a cached vector would answer.
				r := recall(t, m, []string{"what is the staging host called?", "which host is staging on?"}[i%2])
				if !strings.Contains(r.Text, "marmot") {
					t.Errorf("not found by its words: %q, degraded %v", r.Text, r.Degraded)
				}
				var want []string
				if state != "well" {
					want = []string{"embedder"}
				}
				if !slices.Equal(r.Degraded, want) {
					t.Errorf("degraded %v, want %v", r.Degraded, want)
				}
				m.Close()

				mode.Store("well")
				m = p.open(t, append(configured(server.URL), more...)...)
				if r := recall(t, m, "how long do cached entries live? 快取"); len(r.Degraded) > 0 || !strings.Contains(r.Text, "十五分鐘") {
					t.Errorf("when it is well again: %q, degraded %v", r.Text, r.Degraded)
				}
			})
		}
	}
}
