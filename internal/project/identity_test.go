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

	want := resolve(t, home, main)
	for _, tt := range []struct{ dir, branch string }{
		{"repo/src/deep", "main"},
		{"wt", "side"},
		{"repo/.claude/worktrees/inner", "inner"},
		{"clone", "main"},
		{"clone of clone", "main"},
		{"bare.git", "main"},
	} {
		p := resolve(t, home, filepath.Join(top, tt.dir))
		if p.ID != want.ID {
			t.Errorf("%s is project %s %q, want %s %q", tt.dir, p.ID, p.Keys, want.ID, want.Keys)
		}
		if p.Branch != tt.branch {
			t.Errorf("%s is on branch %q, want %q", tt.dir, p.Branch, tt.branch)
		}
	}

	git(t, main, "remote", "add", "origin", "git@github.com:Acme/Shop.git")
	for _, dir := range []string{"repo", "wt", "clone", "clone of clone", "bare.git"} {
		if p := resolve(t, home, filepath.Join(top, dir)); p.Remote != "github.com/acme/shop" || p.Name != "shop" {
			t.Errorf("%s has remote %q and name %q, want the remote of its source", dir, p.Remote, p.Name)
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
	outer, inner := resolve(t, home, app), resolve(t, home, filepath.Join(app, "vendor", "lib"))
	if inner.ID == outer.ID {
		t.Error("the submodule has the identity of the repository around it")
	}
	if want := resolve(t, home, lib).ID; inner.ID != want {
		t.Errorf("the submodule is %s, want %s: it is a clone of its source", inner.ID, want)
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
	a := resolve(t, home, filepath.Join(mono, "pkg", "a"))
	if b := resolve(t, home, filepath.Join(mono, "pkg", "b")); a.ID == b.ID {
		t.Error("two packages with folders of their own are one project")
	}
	if whole := resolve(t, home, mono); a.ID == whole.ID {
		t.Error("a package with a folder of its own is the whole repository")
	}
	if c := resolve(t, home, filepath.Join(top, "clone", "pkg", "a")); c.ID != a.ID {
		t.Errorf("the package in the clone is %q, want %q", c.Keys, a.Keys)
	}
}

func TestRepositoriesCloningEachOtherEnd(t *testing.T) {
	top := realDir(t)
	a, b := newRepo(t, filepath.Join(top, "a")), newRepo(t, filepath.Join(top, "b"))
	git(t, a, "remote", "add", "origin", b)
	git(t, b, "remote", "add", "origin", "../a")
	git(t, b, "remote", "add", "other", ".")
	home := filepath.Join(top, "home")
	if x, y := register(t, home, a), register(t, home, b); x.ID != y.ID {
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
	for _, dir := range []string{"clone", "wt"} {
		if p := resolve(t, home, filepath.Join(top, dir)); p.ID != want {
			t.Errorf("without its source %s is %s %q, want %s", dir, p.ID, p.Keys, want)
		}
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
