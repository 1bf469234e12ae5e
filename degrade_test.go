package orihon_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon"
	"orihon/memory"
)

// marmots is a place with one thing in the project, one in the user's space
// and a core file.
func marmots(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	write(t, filepath.Join(p.dir, ".orihon/memory/MEMORY.md"), "# Core\n\nThe core file speaks of lighthouses.\n")
	m := p.trusting(t)
	remember(t, m, "The staging host is called marmot")
	state(t, m, orihon.Statement{Text: "My editor is called helix", Scope: memory.Global})
	m.Close()
	return p
}

func TestRecallGoesOnWithoutWhatIsBroken(t *testing.T) {
	replace := func(t *testing.T, path string) {
		t.Helper()
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		write(t, path, "in the way")
	}
	folder := func(t *testing.T, path string) {
		t.Helper()
		for _, side := range []string{"", "-wal", "-shm"} {
			if err := os.RemoveAll(path + side); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name    string
		spoil   func(t *testing.T, private string)
		missing string // what Degraded must name; empty for nothing
		found   bool   // whether the project's own is still recalled
	}{
		{"the project's index is a folder", func(t *testing.T, dir string) { folder(t, filepath.Join(dir, "index/index.db")) }, "", true},
		{"the project's index folder is a file", func(t *testing.T, dir string) { replace(t, filepath.Join(dir, "index")) }, "", true},
		{"the lock of the project's index is a folder", func(t *testing.T, dir string) {
			folder(t, filepath.Join(dir, "index/index.db"))
			folder(t, filepath.Join(dir, "index/index.db.lock"))
		}, "project index", false},
		{"the project's memory is a file", func(t *testing.T, dir string) { replace(t, filepath.Join(dir, "memory")) }, "project text", false},
		{"a ledger is a folder", func(t *testing.T, dir string) { folder(t, filepath.Join(dir, "memory/semantic.jsonl")) }, "project text", false},
		{"the usage log is a folder", func(t *testing.T, dir string) { folder(t, filepath.Join(dir, "usage.jsonl")) }, "", true},
		{"the sessions are a file", func(t *testing.T, dir string) { replace(t, filepath.Join(dir, "sessions")) }, "", true},
	} {
		for how, change := range map[string][]func(*orihon.Options){"writing": nil, "reading": {readOnly}} {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				p := marmots(t)
				tt.spoil(t, p.private(t))
				m := p.open(t, change...)
				r := recall(t, m, "what is the staging host called?")
				if tt.missing != "" && !slices.Contains(r.Degraded, tt.missing) {
					t.Errorf("degraded %v, want %q named", r.Degraded, tt.missing)
				}
				if tt.found && !strings.Contains(r.Text, "marmot") {
					t.Errorf("not found: %q, degraded %v", r.Text, r.Degraded)
				}
				// The other space is as good as ever.
				if r := recall(t, m, "what is my editor called?"); !strings.Contains(r.Text, "helix") {
					t.Errorf("the user's space is lost too: %q, degraded %v", r.Text, r.Degraded)
				}
			})
		}
	}
}

func TestTheCoreFileIsTheLastResort(t *testing.T) {
	p := marmots(t)
	for _, dir := range []string{p.home, p.private(t)} {
		if err := os.RemoveAll(filepath.Join(dir, "index")); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "index/index.db.lock/x"), "in the way")
	}
	r := recall(t, p.open(t, readOnly), "what is the staging host called?")
	if !strings.Contains(r.Text, "lighthouses") || len(r.Degraded) != 2 {
		t.Errorf("got %q, degraded %v; want the core file and both indexes named", r.Text, r.Degraded)
	}
}

func TestAnIndexSpoiledInsideIsMendedByTheNextSync(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	for _, text := range []string{"The staging host is called marmot", "The gateway speaks gRPC", "快取的過期時間是十五分鐘"} {
		remember(t, m, text)
	}
	m.Close()
	path := filepath.Join(p.private(t), "index/index.db")
	whole := read(t, path)
	const page = 4096
	for at := page; at < len(whole); at += page {
		data := []byte(whole)
		for i := range page {
			data[at+i] = byte(i * 7)
		}
		write(t, path, string(data))

		hook := p.open(t, readOnly)
		r := recall(t, hook, "what is the staging host called?")
		if !strings.Contains(r.Text, "marmot") && (len(r.Degraded) == 0 || !hook.LateIndex()) {
			t.Errorf("page %d: %q, degraded %v, late %v: want the index named and a sync asked for", at/page, r.Text, r.Degraded, hook.LateIndex())
		}
		hook.Close()
		w := p.open(t)
		if _, err := w.Sync(t.Context()); err != nil {
			t.Errorf("page %d: %v", at/page, err)
		}
		if !finds(t, w, "what is the staging host called?", "marmot") {
			t.Errorf("page %d: nothing is found after the sync", at/page)
		}
		w.Close()
	}
}

func TestWhatCannotBeWrittenIsAnErrorAndNotALoss(t *testing.T) {
	p := marmots(t)
	private := p.private(t)
	if err := os.RemoveAll(filepath.Join(private, "memory")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(private, "memory"), "in the way")
	if _, err := p.open(t).Remember(t.Context(), orihon.Statement{Text: "The queue is called beaver"}); err == nil {
		t.Error("a statement that is nowhere was acknowledged")
	}
}

func TestAHomeThatCannotBeWrittenCanBeRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everything")
	}
	p := marmots(t)
	err := filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			t.Cleanup(func() { os.Chmod(path, 0o700) })
			err = os.Chmod(path, 0o500)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r := recall(t, p.open(t, readOnly), "what is the staging host called?")
	if !strings.Contains(r.Text, "marmot") && len(r.Degraded) == 0 {
		t.Errorf("nothing recalled and nothing named: %+v", r)
	}
}
