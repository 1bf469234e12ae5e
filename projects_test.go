package orihon_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"orihon"
)

// A folder that is linked with another project while a handle is open on it: the
// handle goes over with its next write, and what runs meanwhile is not disturbed.
func TestHandleFollowsItsFolderToAnotherProject(t *testing.T) {
	t.Parallel()
	here := newPlace(t)
	gitFolder(t, filepath.Join(here.dir, ".git"), aRemote(victimURL))
	remember(t, here.open(t), "Invoices are numbered by year")

	clone := &place{home: here.home, dir: t.TempDir()}
	gitFolder(t, filepath.Join(clone.dir, ".git"), aRemote(victimURL))
	running, linking := clone.open(t), clone.open(t)
	if r := recall(t, running, "how are invoices numbered?"); len(r.Hits) > 0 {
		t.Fatalf("a clone that nobody linked recalls %q", r.Text)
	}

	var reading sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if r := recall(t, running, "how are invoices numbered?"); len(r.Degraded) > 0 {
					t.Errorf("a recall was disturbed: %q", r.Degraded)
				}
			}
		})
	}
	if _, err := linking.Link(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	remember(t, running, "Receipts are kept for ten years")
	close(stop)
	reading.Wait()

	for _, dir := range []string{here.dir, clone.dir} {
		m := (&place{home: here.home, dir: dir}).open(t)
		for ask, want := range map[string]string{"how are invoices numbered?": "by year", "how long are receipts kept?": "ten years"} {
			if r := recall(t, m, ask); !strings.Contains(r.Text, want) {
				t.Errorf("%s in %s: %q, want %q", ask, dir, r.Text, want)
			}
		}
	}
	if r := recall(t, running, "how are invoices numbered?"); !strings.Contains(r.Text, "by year") {
		t.Errorf("the handle did not come along: %q", r.Text)
	}
}

func TestOneProcessServesManyProjectsAtOnce(t *testing.T) {
	t.Parallel()
	home := newPlace(t).home
	var all sync.WaitGroup
	services := []string{"ledger", "gateway", "mailer", "search", "archive"}
	for i := range 6 {
		p := &place{home: home, dir: t.TempDir()}
		m := p.open(t)
		all.Go(func() {
			for n, name := range services {
				if _, err := m.Remember(t.Context(), orihon.Statement{Text: fmt.Sprintf("The %s service of project %d listens on port %d", name, i, 8000+100*i+n)}); err != nil {
					t.Error(err)
				}
			}
			if _, err := m.Sync(t.Context()); err != nil {
				t.Error(err)
			}
			r := recall(t, m, fmt.Sprintf("which port does the search service of project %d use?", i))
			if want := fmt.Sprint(8003 + 100*i); !strings.Contains(r.Text, want) {
				t.Errorf("project %d: %q, want %s", i, r.Text, want)
			}
			if other := fmt.Sprint(8003 + 100*((i+1)%6)); strings.Contains(r.Text, other) {
				t.Errorf("project %d recalls what another one knows: %q", i, r.Text)
			}
		})
	}
	all.Wait()
}

// What a session said while it ran in another project's folder is not this one's.
func TestOnlyAnotherProjectsFolderIsElsewhere(t *testing.T) {
	t.Parallel()
	here := newPlace(t)
	gitFolder(t, filepath.Join(here.dir, ".git"), aRemote(victimURL))
	remember(t, here.open(t), "Invoices are numbered by year")
	put(t, filepath.Join(here.dir, "src", "a.go"), "package src")
	clone, other := t.TempDir(), t.TempDir()
	gitFolder(t, filepath.Join(clone, ".git"), aRemote(victimURL))
	gitFolder(t, filepath.Join(other, ".git"), aRemote("https://git.example.com/acme/other"))
	put(t, filepath.Join(other, "notes.txt"), "x")

	for _, tt := range []struct {
		name, folder, trust string
		want                bool
	}{
		{"the project's own", here.dir, "", false},
		{"a folder in it", filepath.Join(here.dir, "src"), "", false},
		{"one in it that is gone", filepath.Join(here.dir, "gone"), "", false},
		{"another project's", other, "", true},
		{"another project's, whoever is trusted", other, "git.example.com/acme", true},
		{"one that is gone", filepath.Join(other, "gone"), "", false},
		{"a file", filepath.Join(other, "notes.txt"), "", false},
		{"a clone that nobody linked", clone, "", true},
		{"a clone of a remote that is trusted", clone, "git.example.com/acme", false},
	} {
		s := session(t, here.open(t, set("project.trust_remotes", tt.trust)), "s1")
		if got := s.Elsewhere(tt.folder); got != tt.want {
			t.Errorf("%s: elsewhere %v, want %v", tt.name, got, tt.want)
		}
	}
}
