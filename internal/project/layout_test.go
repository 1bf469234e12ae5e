package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/project"
	"orihon/memory"
)

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func TestLayoutOfTheTwoSpaces(t *testing.T) {
	top := realDir(t)
	home, root := filepath.Join(top, "home"), mkdir(t, filepath.Join(top, "p"))
	p := resolve(t, home, root)
	user := project.User(home)
	role, err := p.RoleMemory("programmer")
	if err != nil {
		t.Fatal(err)
	}
	mine := "home/projects/" + p.ID
	for _, tt := range []struct{ got, want string }{
		{user.Memory(), "home/memory"},
		{user.Config(), "home/config.yaml"},
		{user.Index(), "home/index"},
		{user.Audit(), "home/audit.jsonl"},
		{p.PersonalMemory(), mine + "/memory"},
		{p.Private().Archive(), mine + "/memory/archive"},
		{p.Private().Usage(), mine + "/usage.jsonl"},
		{p.Index(), mine + "/index"},
		{p.Session("a/b"), mine + "/sessions/a%2fb"},
		{p.Config(), "p/.orihon/config.yaml"},
		{p.Core(), "p/.orihon/memory/MEMORY.md"},
		{p.SharedMemory(), "p/.orihon/memory/shared"},
		{role, "p/.orihon/memory/role/programmer"},
		{p.RolesFile(), "p/.orihon/shared/_roles.md"},
		{p.PendingReview(), "p/.orihon/shared/_pending_review"},
	} {
		if want := filepath.Join(top, filepath.FromSlash(tt.want)); tt.got != want {
			t.Errorf("got %s, want %s", tt.got, want)
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden"} {
		if path, err := p.RoleMemory(name); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("role %q has the folder %s, %v", name, path, err)
		}
	}
}

func TestFolderAroundTheHomeKeepsTheSpacesApart(t *testing.T) {
	top := realDir(t)
	home := mkdir(t, filepath.Join(top, ".orihon"))
	p := resolve(t, home, top)
	if p.Root != top {
		t.Fatalf("root is %s", p.Root)
	}
	for _, path := range []string{p.SharedMemory(), p.Config(), p.PersonalMemory()} {
		if !strings.HasPrefix(path, filepath.Join(home, "projects", p.ID)+string(filepath.Separator)) {
			t.Errorf("%s lies in the user's own space", path)
		}
	}
}

func TestLocalModeKeepsEverythingUnderTheProject(t *testing.T) {
	top := realDir(t)
	home, root := filepath.Join(top, "home"), newRepo(t, filepath.Join(top, "p"))
	p := resolve(t, home, root)
	if err := p.MakeLocal(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := register(t, home, root)
	want := filepath.Join(root, ".orihon", "local")
	if !q.Local || string(q.Private()) != want || p.Private() != q.Private() {
		t.Errorf("private space is %s, want %s", q.Private(), want)
	}
	if existing(filepath.Join(home, "projects")) || existing(filepath.Join(home, "projects.json")) {
		t.Error("a local project wrote into the home more than that it was made here")
	}
	if o, err := project.Resolve(home, mkdir(t, filepath.Join(top, "plain")), &project.Options{Local: true}); err != nil || !o.Local {
		t.Errorf("asked for, local mode is %v, %v", o.Local, err)
	}
}

func TestLocalFolderFromACommitIsNotTrusted(t *testing.T) {
	top := realDir(t)
	source := newRepo(t, filepath.Join(top, "source"))
	write(t, filepath.Join(source, ".orihon", "local", "memory", "semantic.jsonl"), "{}\n")
	git(t, source, "add", "-f", ".")
	git(t, source, "commit", "-q", "-m", "planted")
	clone := filepath.Join(top, "clone")
	git(t, top, "clone", "-q", source, clone)
	p := resolve(t, filepath.Join(top, "home"), clone)
	if p.Local || p.LocalRefused == "" || strings.HasPrefix(p.PersonalMemory(), clone) {
		t.Errorf("somebody else's private memory is read from %s", p.PersonalMemory())
	}
}

func TestSymlinksThatLeadOutAreRefused(t *testing.T) {
	for _, link := range []string{".orihon", ".orihon/memory", ".orihon/memory/shared", ".orihon/shared"} {
		for _, target := range []string{"outside", "missing", "root/inside"} {
			t.Run(link+" to "+target, func(t *testing.T) {
				top := realDir(t)
				mkdir(t, filepath.Join(top, "outside"))
				root := filepath.Join(top, "root")
				write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
				mkdir(t, filepath.Join(root, "inside"))
				at := filepath.Join(root, filepath.FromSlash(link))
				mkdir(t, filepath.Dir(at))
				if err := os.Symlink(filepath.Join(top, filepath.FromSlash(target)), at); err != nil {
					t.Skip("SKIPPED: no symlinks here:", err)
				}
				_, err := project.Resolve(filepath.Join(top, "home"), root, nil)
				if inside := target == "root/inside"; errors.Is(err, memory.ErrRefused) == inside {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

func TestSafeNameOfForeignText(t *testing.T) {
	for _, tt := range []struct{ id, want string }{
		{"238cc98c-c13b-43de-872c-f8db71315833", "238cc98c-c13b-43de-872c-f8db71315833"},
		{"", "%"},
		{".", "%2e"},
		{"..", "%2e%2e"},
		{"../../etc/passwd", "%2e.%2f..%2fetc%2fpasswd"},
		{"a.", "a%2e"},
		{"nul", "%6eul"},
		{"Com1.txt", "%43om1.txt"},
		{"100%", "100%25"},
		{"會", "%e6%9c%83"},
		{"a\x00b", "a%00b"},
	} {
		if got := project.SafeName(tt.id); got != tt.want {
			t.Errorf("SafeName(%q) = %q, want %q", tt.id, got, tt.want)
		}
	}
	long := strings.Repeat("記憶", 100)
	if a, b := project.SafeName(long+"x"), project.SafeName(long+"y"); a == b || len(a) > 100 {
		t.Errorf("two long texts became %q and %q", a, b)
	}
}

func FuzzSafeName(f *testing.F) {
	for _, s := range []string{"", ".", "..", "a/b", "CON", "%2e", "記憶", strings.Repeat("a", 101)} {
		f.Add(s, s+"x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := project.SafeName(a), project.SafeName(b)
		if !filepath.IsLocal(x) || x == "." || strings.ContainsAny(x, `/\:`) || len(x) > 100 || strings.HasPrefix(x, ".") {
			t.Errorf("SafeName(%q) = %q", a, x)
		}
		if (a == b) != (x == y) {
			t.Errorf("%q and %q became %q and %q", a, b, x, y)
		}
	})
}
