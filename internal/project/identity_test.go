package project_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/project"
)

func TestEveryWorktreeAndCloneIsTheSameProject(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home", ".orihon")
	main := newRepo(t, filepath.Join(top, "repo"))
	git(t, main, "worktree", "add", "-q", "-b", "side", filepath.Join(top, "wt"))
	git(t, main, "worktree", "add", "-q", "-b", "inner", filepath.Join(main, ".claude", "worktrees", "inner"))
	git(t, top, "clone", "-q", main, filepath.Join(top, "clone"))
	git(t, top, "clone", "-q", "--bare", main, filepath.Join(top, "bare.git"))
	git(t, top, "clone", "-q", "file://"+filepath.ToSlash(filepath.Join(top, "clone")), filepath.Join(top, "clone of clone"))
	mkdir(t, filepath.Join(main, "src", "deep"))

	want := register(t, home, main)
	for _, tt := range []struct {
		dir, branch string
		asks        bool // a clone's files say what they are, a worktree's repository knows it
	}{
		{"repo/src/deep", "main", false},
		{"wt", "side", false},
		{"repo/.claude/worktrees/inner", "inner", false},
		{"clone", "main", true},
		{"bare.git", "main", true},
	} {
		dir := filepath.Join(top, tt.dir)
		p := resolve(t, home, dir)
		if asks := p.Claim != nil; asks != tt.asks || asks == (p.ID == want.ID) {
			t.Errorf("%s is project %s %q that says to be %v, want %s or a question: %v", tt.dir, p.ID, p.Keys, p.Claim, want.ID, tt.asks)
		}
		if p.Branch != tt.branch {
			t.Errorf("%s is on branch %q, want %q", tt.dir, p.Branch, tt.branch)
		}
		if !tt.asks {
			continue
		}
		if p := link(t, home, dir); p.ID != want.ID || p.Claim != nil {
			t.Errorf("after one yes %s is project %s %q, want %s", tt.dir, p.ID, p.Keys, want.ID)
		}
	}
	// A clone of a clone names that one, which is known by now.
	if p := link(t, home, filepath.Join(top, "clone of clone")); p.ID != want.ID {
		t.Errorf("after one yes the clone of the clone is %s, want %s", p.ID, want.ID)
	}

	git(t, main, "remote", "add", "origin", "git@github.com:Acme/Shop.git")
	for _, dir := range []string{"repo", "wt"} {
		if p := register(t, home, filepath.Join(top, dir)); p.ID != want.ID || p.Remote != "github.com/acme/shop" || p.Name != "shop" {
			t.Errorf("%s is %s with remote %q and name %q, want %s with its new remote", dir, p.ID, p.Remote, p.Name, want.ID)
		}
	}
	for _, dir := range []string{"clone", "clone of clone", "bare.git"} {
		if p := resolve(t, home, filepath.Join(top, dir)); p.ID != want.ID || p.Claim != nil {
			t.Errorf("then %s is %s that says to be %v, want %s", dir, p.ID, p.Claim, want.ID)
		}
	}
}

func TestProjectWithoutGitIsItsPath(t *testing.T) {
	top := realDir(t)
	dir := mkdir(t, filepath.Join(top, "筆記"))
	p := resolve(t, filepath.Join(top, "home"), dir)
	if diff := cmp.Diff([]string{"dir:" + filepath.ToSlash(dir)}, p.Keys); diff != "" {
		t.Error(diff)
	}
	link := filepath.Join(top, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("SKIPPED: no symlinks here:", err)
	}
	if q := resolve(t, filepath.Join(top, "home"), link); q.ID != p.ID || q.Root != p.Root {
		t.Errorf("by its symlink the project is %s at %s, want %s at %s", q.ID, q.Root, p.ID, p.Root)
	}
}

func TestSubmoduleIsAProjectOfItsOwn(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	lib := newRepo(t, filepath.Join(top, "lib"))
	app := newRepo(t, filepath.Join(top, "app"))
	git(t, app, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "vendor/lib")
	known := register(t, home, lib)
	outer, inner := resolve(t, home, app), resolve(t, home, filepath.Join(app, "vendor", "lib"))
	if inner.ID == outer.ID {
		t.Error("the submodule has the identity of the repository around it")
	}
	if inner.Claim == nil || inner.Claim.ID != known.ID {
		t.Errorf("the submodule says to be %v, want %s: it is a clone of its source", inner.Claim, known.ID)
	}
	if p := link(t, home, filepath.Join(app, "vendor", "lib")); p.ID != known.ID {
		t.Errorf("after one yes the submodule is %s, want %s", p.ID, known.ID)
	}
	if inner.Branch == "" {
		t.Error("the branch of the submodule was not read")
	}
}

func TestFolderOfItsOwnBelowTheTopLevelIsAProjectInEveryClone(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	mono := newRepo(t, filepath.Join(top, "mono"))
	for _, pkg := range []string{"a", "b"} {
		write(t, filepath.Join(mono, "pkg", pkg, ".orihon", "config.yaml"), "language: zh-Hant\n")
	}
	git(t, mono, "add", ".")
	git(t, mono, "commit", "-q", "-m", "packages")
	git(t, top, "clone", "-q", mono, filepath.Join(top, "clone"))
	a := register(t, home, filepath.Join(mono, "pkg", "a"))
	if b := resolve(t, home, filepath.Join(mono, "pkg", "b")); a.ID == b.ID {
		t.Error("two packages with folders of their own are one project")
	}
	if whole := resolve(t, home, mono); a.ID == whole.ID {
		t.Error("a package with a folder of its own is the whole repository")
	}
	if c := link(t, home, filepath.Join(top, "clone", "pkg", "a")); c.ID != a.ID {
		t.Errorf("the package in the clone is %q, want %q", c.Keys, a.Keys)
	}
	git(t, mono, "worktree", "add", "-q", filepath.Join(top, "wt"))
	if w := resolve(t, home, filepath.Join(top, "wt", "pkg", "a")); w.ID != a.ID || w.Claim != nil {
		t.Errorf("the package in the worktree is %q, want %q", w.Keys, a.Keys)
	}
}

func TestRepositoriesCloningEachOtherEnd(t *testing.T) {
	top := realDir(t)
	a, b := newRepo(t, filepath.Join(top, "a")), newRepo(t, filepath.Join(top, "b"))
	git(t, a, "remote", "add", "origin", b)
	git(t, b, "remote", "add", "origin", "../a")
	git(t, b, "remote", "add", "other", ".")
	home := filepath.Join(top, "home")
	if x, y := register(t, home, a), link(t, home, b); x.ID != y.ID {
		t.Errorf("two repositories that clone each other are %s and %s", x.ID, y.ID)
	}
}

func TestVanishedSourceKeepsTheIdentity(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	source := newRepo(t, filepath.Join(top, "source"))
	git(t, top, "clone", "-q", source, filepath.Join(top, "clone"))
	git(t, source, "worktree", "add", "-q", "-b", "wt", filepath.Join(top, "wt"))
	want := register(t, home, source).ID
	if err := os.RemoveAll(source); err != nil {
		t.Fatal(err)
	}
	if p := link(t, home, filepath.Join(top, "clone")); p.ID != want {
		t.Errorf("without its source the clone is %s %q, want %s", p.ID, p.Keys, want)
	}
	// Nobody is left to say that the worktree is one.
	if p := resolve(t, home, filepath.Join(top, "wt")); p.ID == want {
		t.Errorf("without its repository the worktree is still %s", p.ID)
	}
}

func TestBrokenGitFilesFallBackToThePath(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"empty .git file":       {".git": ""},
		".git file of nonsense": {".git": "\x00\xff\n"},
		"head alone":            {".git/HEAD": "ref: refs/heads/main\n"},
		"config of nonsense":    {".git/HEAD": "ref: \xff", ".git/config": "[remote \"origin\nurl = \x00"},
		"remote of nothing":     {".git/HEAD": "", ".git/config": "[remote \"origin\"]\n url = ://\n"},
		"pointing at itself":    {".git": "gitdir: .git\n"},
	} {
		t.Run(name, func(t *testing.T) {
			top := realDir(t)
			root := filepath.Join(top, "p")
			for f, text := range files {
				write(t, filepath.Join(root, filepath.FromSlash(f)), text)
			}
			p := resolve(t, filepath.Join(top, "home"), root)
			if p.Root != root || p.Remote != "" || len(p.Keys) == 0 {
				t.Errorf("got root %s, remote %q, keys %q", p.Root, p.Remote, p.Keys)
			}
		})
	}
}

func TestFindPrefersOurFolderThenGit(t *testing.T) {
	top := realDir(t)
	user := filepath.Join(top, "user")
	home := mkdir(t, filepath.Join(user, ".orihon"))
	write(t, filepath.Join(user, ".git", "HEAD"), "ref: refs/heads/dotfiles\n")
	write(t, filepath.Join(user, "work", "repo", ".git", "HEAD"), "ref: refs/heads/main\n")
	mkdir(t, filepath.Join(user, "work", "repo", "pkg"))
	mkdir(t, filepath.Join(user, "work", "repo", "sub", ".orihon", "memory"))
	mkdir(t, filepath.Join(user, "downloads"))
	for _, tt := range []struct {
		dir, root string
		marker    project.Marker
	}{
		{"work/repo/pkg", "work/repo", project.ByGit},
		{"work/repo/sub/.orihon/memory", "work/repo/sub", project.ByFolder},
		{"downloads", "downloads", project.ByPath},
		{"", "", project.ByGit},
	} {
		root, marker := project.Find(filepath.Join(user, tt.dir), home)
		if want := filepath.Join(user, filepath.FromSlash(tt.root)); root != want || marker != tt.marker {
			t.Errorf("Find(%s) = %s, %q; want %s, %q", tt.dir, root, marker, want, tt.marker)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	top := b.TempDir()
	root := filepath.Join(top, "a", "b", "repo")
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o700); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"HEAD":   "ref: refs/heads/main\n",
		"config": "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:acme/shop.git\n",
	} {
		if err := os.WriteFile(filepath.Join(root, ".git", name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	home := filepath.Join(top, "home")
	p, err := project.Resolve(home, root, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := project.Register(b.Context(), p, time.Unix(0, 0)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := project.Resolve(home, root, nil); err != nil {
			b.Fatal(err)
		}
	}
}
