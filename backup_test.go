package orihon_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

func backedUp(t *testing.T, m *orihon.Memory) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := m.Backup(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return written(t, "b.tar.gz", out.String())
}

// filled is a place with all that a home may hold.
func filled(t *testing.T) (*place, *orihon.Memory) {
	t.Helper()
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "部署走 make ship")
	state(t, m, orihon.Statement{Text: "Answers are short", Scope: memory.Global})
	state(t, m, orihon.Statement{Text: "The session store drops sessions under load", Scope: memory.Shared})
	s, err := m.Session(t.Context(), "s-1", follow.Client{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Action(t.Context(), follow.Action{ID: "t1", Tool: "Read", Output: strings.Repeat("long ", 20000)}); err != nil {
		t.Fatal(err)
	}
	return p, m
}

func TestABackupBringsEverythingBack(t *testing.T) {
	p, m := filled(t)
	want := list(t, m, memory.Filter{})
	before := texts(t, p.home)
	file := backedUp(t, m)
	if a, b := mustRead(t, file), mustRead(t, backedUp(t, m)); !bytes.Equal(a, b) {
		t.Error("two backups of the same home differ")
	}
	b, err := orihon.VerifyBackup(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range b.Files {
		if strings.Contains(f.Name, "/index/") || strings.HasSuffix(f.Name, ".lock") || strings.Contains(f.Name, ".locks/") {
			t.Errorf("%s is in it", f.Name)
		}
	}

	// Everything is lost, the shared text too.
	if err := errors.Join(m.Close(), os.RemoveAll(p.home), os.RemoveAll(filepath.Join(p.dir, ".orihon"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(p.dir, ".orihon"), 0o700); err != nil {
		t.Fatal(err)
	}
	m = p.open(t)
	if _, err := m.RestoreBackup(t.Context(), file, orihon.RestoreOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, texts(t, p.home)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	m = p.open(t)
	if diff := cmp.Diff(want, list(t, m, memory.Filter{})); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	if r := recall(t, m, "怎麼部署？"); !strings.Contains(r.Text, "make ship") {
		t.Errorf("not recalled: %q", r.Text)
	}

	// Once more changes nothing; elsewhere it is a home of its own.
	if r, err := m.RestoreBackup(t.Context(), file, orihon.RestoreOptions{}); err != nil || len(r.Aside) > 0 {
		t.Errorf("again: %+v, %v", r, err)
	}
	into := filepath.Join(t.TempDir(), "deep", "elsewhere")
	if _, err := m.RestoreBackup(t.Context(), file, orihon.RestoreOptions{Into: into}); err != nil {
		t.Fatal(err)
	}
	other := p.open(t, func(o *orihon.Options) { o.Home = into })
	if got := contents(list(t, other, memory.Filter{})); len(got) != 3 {
		t.Errorf("elsewhere: %q", got)
	}
	if found, _ := filepath.Glob(filepath.Join(into, "restored", "*", ".orihon", "memory", "shared", "*.md")); len(found) != 1 {
		t.Errorf("shared text: %q", found)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRestoringOverwritesNothingButByForce(t *testing.T) {
	p, m := filled(t)
	file := backedUp(t, m)
	remember(t, m, "Said after the backup")
	before := texts(t, p.home)
	_, err := m.RestoreBackup(t.Context(), file, orihon.RestoreOptions{})
	if !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), "--force") {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, texts(t, p.home)); diff != "" {
		t.Errorf("refused, and yet (-before +after):\n%s", diff)
	}
	m = p.open(t)
	r, err := m.RestoreBackup(t.Context(), file, orihon.RestoreOptions{Force: true})
	if err != nil || len(r.Aside) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := strings.Join(contents(list(t, p.open(t), memory.Filter{})), "|"); strings.Contains(got, "after the backup") || !strings.Contains(got, "make ship") {
		t.Errorf("%q", got)
	}
	if diff := cmp.Diff(before, texts(t, r.Aside[len(r.Aside)-1])); diff != "" && cmp.Diff(before, texts(t, r.Aside[0])) != "" {
		t.Errorf("%v is not the old home (-before +aside):\n%s", r.Aside, diff)
	}
}

func TestABackupWhileEightProcessesWriteIsConsistent(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: starts eight processes")
	}
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "The first thing")
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], p.dir, fmt.Sprintf("writer%c", 'a'+i))
			cmd.Env = append(os.Environ(), writerEnv+"="+p.home)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	var sizes []int
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		into := filepath.Join(t.TempDir(), "home")
		if _, err := m.RestoreBackup(t.Context(), backedUp(t, m), orihon.RestoreOptions{Into: into}); err != nil {
			t.Fatal(err)
		}
		copied := p.open(t, func(o *orihon.Options) { o.Home = into })
		found, err := copied.Health().Examine(t.Context())
		if err != nil || len(found.Text) > 0 {
			t.Fatalf("examined: %+v, %v", found, err)
		}
		sizes = append(sizes, len(list(t, copied, memory.Filter{})))
	}
	if last := sizes[len(sizes)-1]; last != writers*itemsPerWriter+1 {
		t.Errorf("items in the backups: %v, want %d in the last", sizes, writers*itemsPerWriter+1)
	}
	for i := 1; i < len(sizes); i++ {
		if sizes[i] < sizes[i-1] {
			t.Errorf("a later backup has less: %v", sizes)
		}
	}
}
