package project_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/project"
	"orihon/memory"
)

const shopURL = "https://git.example.com/acme/shop"

// withRemote makes a folder with a git folder by hand.
func withRemote(t *testing.T, dir, url string) string {
	t.Helper()
	write(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(dir, ".git", "config"), "[remote \"origin\"]\n\turl = "+url+"\n")
	return dir
}

func TestAFolderIsLinkedOnceAndForItsRealPath(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	shop := register(t, home, withRemote(t, filepath.Join(top, "shop"), shopURL))
	copied := withRemote(t, filepath.Join(top, "copy"), shopURL+".git")

	first := register(t, home, copied)
	if first.ID == shop.ID || first.Claim == nil || first.Claim.ID != shop.ID || !first.Registered {
		t.Fatalf("a copy is %s that says to be %v (registered %v)", first.ID, first.Claim, first.Registered)
	}
	if again := resolve(t, home, copied); again.ID != first.ID || !again.Registered {
		t.Errorf("the next time it is %s (registered %v), want %s", again.ID, again.Registered, first.ID)
	}
	other := resolve(t, home, withRemote(t, filepath.Join(top, "other"), shopURL))
	if other.ID == first.ID || other.ID == shop.ID {
		t.Errorf("two copies share the project %s", other.ID)
	}

	if p := link(t, home, copied); p.ID != shop.ID || p.Claim != nil || !p.Registered {
		t.Errorf("after one yes it is %s that says to be %v, want %s", p.ID, p.Claim, shop.ID)
	}
	if p := resolve(t, home, filepath.Join(top, "other")); p.ID != other.ID || p.Claim == nil {
		t.Errorf("the yes for one copy made the other one %s", p.ID)
	}
	alias := filepath.Join(top, "alias")
	if err := os.Symlink(copied, alias); err == nil {
		if p := resolve(t, home, alias); p.ID != shop.ID {
			t.Errorf("by a symlink it is %s, want %s: the real path counts", p.ID, shop.ID)
		}
	}
	if err := os.Rename(copied, filepath.Join(top, "moved")); err != nil {
		t.Fatal(err)
	}
	if p := resolve(t, home, filepath.Join(top, "moved")); p.ID == shop.ID || p.Claim == nil {
		t.Errorf("moved, it is %s that says to be %v, want one question", p.ID, p.Claim)
	}

	// The link is taken back.
	p := link(t, home, filepath.Join(top, "moved"))
	if err := project.Unlink(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if q := resolve(t, home, filepath.Join(top, "moved")); q.ID == shop.ID || q.Claim == nil || p.ID != q.ID {
		t.Errorf("unlinked, it is %s that says to be %v", q.ID, q.Claim)
	}
	if err := project.Unlink(t.Context(), p); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("unlinking it again gave %v", err)
	}
	if q := resolve(t, home, filepath.Join(top, "shop")); q.ID != shop.ID || q.Claim != nil {
		t.Errorf("afterwards the first folder is %s that says to be %v", q.ID, q.Claim)
	}
}

func TestALinkedFolderDoesNotJoinWhatItsRemoteSaysLater(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	a := register(t, home, withRemote(t, filepath.Join(top, "a"), "https://git.example.com/acme/a"))
	b := register(t, home, withRemote(t, filepath.Join(top, "b"), "https://git.example.com/acme/b"))
	withRemote(t, filepath.Join(top, "a"), "https://git.example.com/acme/b")
	p := register(t, home, filepath.Join(top, "a"))
	if p.ID == b.ID || p.ID == a.ID || p.Claim == nil || p.Claim.ID != b.ID {
		t.Errorf("project a with the remote of b is %s that says to be %v", p.ID, p.Claim)
	}
	// Put back, nothing has happened.
	withRemote(t, filepath.Join(top, "a"), "https://git.example.com/acme/a")
	if p := resolve(t, home, filepath.Join(top, "a")); p.ID != a.ID || p.Claim != nil {
		t.Errorf("with its own remote it is %s, want %s", p.ID, a.ID)
	}
	// A folder that is kept apart does not hand on what it remembers, either.
	withRemote(t, filepath.Join(top, "a"), "https://git.example.com/acme/new")
	if q := resolve(t, home, filepath.Join(top, "a")); q.ID == p.ID || q.ID == a.ID || q.Claim != nil {
		t.Errorf("with a new remote it is %s that says to be %v", q.ID, q.Claim)
	}
}

func TestWhatARepositoryNamesBackNeedsNoQuestion(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	main := newRepo(t, filepath.Join(top, "main"))
	git(t, main, "remote", "add", "origin", shopURL)
	git(t, main, "worktree", "add", "-q", "-b", "one", filepath.Join(top, "one"))
	git(t, main, "worktree", "add", "-q", "-b", "two", filepath.Join(top, "two"))

	// The first one that is seen may be any of them.
	first := register(t, home, filepath.Join(top, "one"))
	for _, dir := range []string{"one", "two", "main"} {
		if p := register(t, home, filepath.Join(top, dir)); p.ID != first.ID || p.Claim != nil {
			t.Errorf("%s is %s that says to be %v, want %s", dir, p.ID, p.Claim, first.ID)
		}
	}
	// Git writes relative paths, too.
	admin := filepath.Join(main, ".git", "worktrees", "two")
	write(t, filepath.Join(admin, "gitdir"), "../../../../two/.git\n")
	write(t, filepath.Join(top, "two", ".git"), "gitdir: ../main/.git/worktrees/two\n")
	if p := resolve(t, home, filepath.Join(top, "two")); p.ID != first.ID {
		t.Errorf("by relative paths the worktree is %s, want %s", p.ID, first.ID)
	}
	// A worktree that git was not told has moved is not known by its repository.
	if err := os.Rename(filepath.Join(top, "one"), filepath.Join(top, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if p := resolve(t, home, filepath.Join(top, "elsewhere")); p.ID == first.ID {
		t.Error("a worktree that is not where its repository says is taken for it")
	}

	// The main worktree of another clone is not linked, and so are its own.
	clone := filepath.Join(top, "clone")
	git(t, top, "clone", "-q", main, clone)
	git(t, clone, "remote", "set-url", "origin", shopURL)
	git(t, clone, "worktree", "add", "-q", "-b", "three", filepath.Join(top, "three"))
	apart := register(t, home, filepath.Join(top, "three"))
	if apart.ID == first.ID || apart.Claim == nil {
		t.Fatalf("the worktree of a clone is %s that says to be %v", apart.ID, apart.Claim)
	}
	if p := resolve(t, home, clone); p.ID != apart.ID {
		t.Errorf("its clone is %s, want %s as its worktree", p.ID, apart.ID)
	}
	link(t, home, filepath.Join(top, "three"))
	for _, dir := range []string{clone, filepath.Join(top, "three")} {
		if p := resolve(t, home, dir); p.ID != first.ID || p.Claim != nil {
			t.Errorf("after one yes %s is %s, want %s", dir, p.ID, first.ID)
		}
	}
}

func TestABareRepositoryWithWorktreesBesideItIsOneProject(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	source := newRepo(t, filepath.Join(top, "source"))
	dir := mkdir(t, filepath.Join(top, "shop"))
	git(t, dir, "clone", "-q", "--bare", source, ".bare")
	write(t, filepath.Join(dir, ".git"), "gitdir: ./.bare\n")
	git(t, dir, "remote", "set-url", "origin", shopURL)
	git(t, dir, "worktree", "add", "-q", "-b", "one", "one")
	git(t, dir, "worktree", "add", "-q", "-b", "two", "two")
	want := register(t, home, filepath.Join(dir, "one"))
	for _, path := range []string{"two", ".bare", ""} {
		p := register(t, home, filepath.Join(dir, path))
		if p.ID != want.ID || p.Claim != nil {
			t.Errorf("%q is %s that says to be %v, want %s", path, p.ID, p.Claim, want.ID)
		}
	}
}

func TestAGitFolderKeptElsewhereCountsWhenItNamesTheFolderBack(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	dir := mkdir(t, filepath.Join(top, "p"))
	git(t, top, "init", "-q", "--separate-git-dir", filepath.Join(top, "store"), dir)
	git(t, dir, "config", "core.worktree", dir)
	git(t, dir, "remote", "add", "origin", shopURL)
	if p := resolve(t, home, dir); p.Remote != "git.example.com/acme/shop" {
		t.Errorf("its remote is %q", p.Remote)
	}
	thief := filepath.Join(top, "thief")
	write(t, filepath.Join(thief, ".git"), "gitdir: "+filepath.ToSlash(filepath.Join(top, "store"))+"\n")
	if p := resolve(t, home, thief); p.Remote != "" || p.CommonDir != "" {
		t.Errorf("another folder has the remote %q and the git folder %q", p.Remote, p.CommonDir)
	}
}

func TestPathsOfAnOlderHomeAreLinked(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	main := newRepo(t, filepath.Join(top, "main"))
	git(t, main, "remote", "add", "origin", shopURL)
	wt, clone, stranger := filepath.Join(top, "wt"), filepath.Join(top, "clone"), filepath.Join(top, "stranger")
	git(t, main, "worktree", "add", "-q", "-b", "side", wt)
	for _, dir := range []string{clone, stranger} {
		git(t, top, "clone", "-q", main, dir)
		git(t, dir, "remote", "set-url", "origin", shopURL)
	}
	// As an earlier version wrote it, which had only seen the worktree and the
	// clone.
	const id = "0123456789ab"
	keys := []string{"remote:git.example.com/acme/shop", "dir:" + filepath.ToSlash(main), "dir:" + filepath.ToSlash(clone)}
	registry := map[string]map[string]string{"keys": {}}
	for _, key := range keys {
		registry["keys"][key] = id
	}
	text, err := json.Marshal(map[string]any{"id": id, "name": "shop", "keys": keys, "paths": []string{wt, clone}, "created_at": "2026-01-01T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "projects", id, "project.json"), string(text))
	old, err := json.Marshal(registry)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "projects.json"), string(old))

	check := func(when string) {
		t.Helper()
		for _, dir := range []string{main, wt, clone} {
			if p := register(t, home, dir); p.ID != id || p.Claim != nil {
				t.Errorf("%s %s is %s that says to be %v, want %s", when, dir, p.ID, p.Claim, id)
			}
		}
		if p := resolve(t, home, stranger); p.ID == id || p.Claim == nil {
			t.Errorf("%s a clone that was never seen is %s", when, p.ID)
		}
	}
	check("at first")
	check("the second time")
	if err := os.Remove(filepath.Join(home, "projects.json")); err != nil {
		t.Fatal(err)
	}
	check("with the registry made again")
	write(t, filepath.Join(home, "projects.json"), "{torn")
	check("with a torn registry")
}

func TestTrustedRemotesLinkByThemselves(t *testing.T) {
	for _, tt := range []struct {
		trust []string
		url   string
		links bool
	}{
		{nil, shopURL, false},
		{[]string{"git.example.com"}, shopURL, true},
		{[]string{"git.example.com/acme"}, shopURL, true},
		{[]string{"Git.Example.Com/acme/shop/"}, shopURL, true},
		{[]string{"example.com"}, shopURL, false},
		{[]string{"git.example.co"}, shopURL, false},
		{[]string{"git.example.com/acm"}, shopURL, false},
		{[]string{"git.example.com/Acme"}, shopURL, false},
		{[]string{"github.com/Acme"}, "git@github.com:ACME/shop.git", true},
		{[]string{"git.example.com"}, "http://evil?@git.example.com/acme/shop", false},
		{[]string{""}, shopURL, false},
	} {
		t.Run(fmt.Sprint(tt.trust, tt.url), func(t *testing.T) {
			top := realDir(t)
			home := filepath.Join(top, "home")
			known := register(t, home, withRemote(t, filepath.Join(top, "a"), strings.Replace(tt.url, "evil?@", "", 1)))
			dir := withRemote(t, filepath.Join(top, "b"), tt.url)
			p, err := project.Resolve(home, dir, &project.Options{TrustRemotes: tt.trust})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.ID == known.ID; got != tt.links {
				t.Fatalf("it is %s that says to be %v, linked %v, want %v", p.ID, p.Claim, got, tt.links)
			}
			if !tt.links {
				return
			}
			if err := project.Register(t.Context(), p, time.Now()); err != nil {
				t.Fatal(err)
			}
			if p := resolve(t, home, dir); p.ID != known.ID || p.Claim != nil {
				t.Errorf("without the trust it is %s then, want it linked with %s", p.ID, known.ID)
			}
		})
	}
}

func TestTextThatGivesAnIDOpensNothing(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	dir := withRemote(t, filepath.Join(top, "copy"), shopURL)
	sum := sha256.Sum256([]byte("remote:git.example.com/acme/shop"))
	id := hex.EncodeToString(sum[:6])
	// What is kept of a project whose record and registry are lost.
	write(t, filepath.Join(home, "projects", id, "memory", "semantic.jsonl"), "{}\n")
	p := register(t, home, dir)
	if p.ID == id || p.Claim == nil || p.Claim.ID != id {
		t.Fatalf("the folder is %s that says to be %v, want a question about %s", p.ID, p.Claim, id)
	}
	if p := link(t, home, dir); p.ID != id || p.Claim != nil {
		t.Errorf("after one yes it is %s, want %s", p.ID, id)
	}
}

func TestANoIsRemembered(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	register(t, home, withRemote(t, filepath.Join(top, "shop"), shopURL))
	p := resolve(t, home, withRemote(t, filepath.Join(top, "copy"), shopURL))
	if p.Claim == nil || p.Claim.Settled {
		t.Fatalf("at first it says to be %+v", p.Claim)
	}
	if err := project.KeepApart(t.Context(), p, time.Now()); err != nil {
		t.Fatal(err)
	}
	if p = resolve(t, home, p.Root); p.Claim == nil || !p.Claim.Settled {
		t.Errorf("after a no it says to be %+v", p.Claim)
	}
	if p := link(t, home, p.Root); p.Claim != nil {
		t.Errorf("after a later yes it says to be %v", p.Claim)
	}
}

func TestARemoteOfAnotherProjectIsNotMoved(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	a := register(t, home, withRemote(t, filepath.Join(top, "a"), "https://git.example.com/acme/a"))
	b := register(t, home, withRemote(t, filepath.Join(top, "b"), "https://git.example.com/acme/b"))
	copied := register(t, home, withRemote(t, filepath.Join(top, "copy of a"), "https://git.example.com/acme/a"))
	if err := project.Link(t.Context(), copied, b.ID, time.Now()); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("linking a copy of a with b gave %v", err)
	}
	if p := resolve(t, home, filepath.Join(top, "a")); p.ID != a.ID || p.Claim != nil {
		t.Errorf("afterwards a is %s that says to be %v", p.ID, p.Claim)
	}
}

func TestLinkingAtOnceLosesNoLink(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	shop := register(t, home, withRemote(t, filepath.Join(top, "shop"), shopURL))
	var wg sync.WaitGroup
	var dirs []string
	for i := range 8 {
		dir := withRemote(t, filepath.Join(top, fmt.Sprint("copy", i)), shopURL)
		dirs = append(dirs, dir)
		wg.Go(func() {
			p, err := project.Resolve(home, dir, nil)
			if err == nil {
				err = project.Register(t.Context(), p, time.Unix(int64(i), 0))
			}
			if err == nil {
				err = project.Link(t.Context(), p, shop.ID, time.Unix(int64(i), 0))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, dir := range dirs {
		if p := resolve(t, home, dir); p.ID != shop.ID {
			t.Errorf("%s is %s that says to be %v, want %s", dir, p.ID, p.Claim, shop.ID)
		}
	}
	rec, ok := project.Known(home, shop.ID)
	if !ok {
		t.Fatal("the project has no record")
	}
	if slices.Sort(rec.Paths); !cmp.Equal(rec.Paths, append(dirs, filepath.Join(top, "shop"))) {
		t.Errorf("linked are %q", rec.Paths)
	}
}

func TestASpellingOfAPathIsTheSamePathWhereTheSystemSaysSo(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	dir := withRemote(t, filepath.Join(top, "Shop"), shopURL)
	shop := register(t, home, dir)
	other := filepath.Join(top, "sHOP")
	if _, err := os.Stat(other); err != nil {
		if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
			t.Skip("SKIPPED: this disk tells upper from lower case")
		}
		// Then it is another folder, and a question.
		withRemote(t, other, shopURL)
		if p := resolve(t, home, other); p.ID == shop.ID || p.Claim == nil {
			t.Errorf("a folder of another spelling is %s", p.ID)
		}
		return
	}
	if p := resolve(t, home, other); p.ID != shop.ID {
		t.Errorf("spelled otherwise it is %s, want %s", p.ID, shop.ID)
	}
}

func TestRecordSaysFromWhatItIsKeptApart(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	register(t, home, withRemote(t, filepath.Join(top, "shop"), shopURL))
	p := register(t, home, withRemote(t, filepath.Join(top, "copy"), shopURL))
	rec, _ := project.Known(home, p.ID)
	path, says, ok := rec.Apart()
	if !ok || path != filepath.ToSlash(filepath.Join(top, "copy")) || says != "remote:git.example.com/acme/shop" {
		t.Errorf("it is kept apart: %v, %q from %q", ok, path, says)
	}
}
