package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/project"
	"orihon/memory"
)

func TestProjectThatGetsARemoteLaterKeepsItsID(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	dir := mkdir(t, filepath.Join(top, "shop"))
	plain := register(t, home, dir)
	newRepo(t, dir)
	if p := resolve(t, home, dir); p.ID != plain.ID || !p.Registered {
		t.Errorf("after git init the project is %s (registered %v), want %s", p.ID, p.Registered, plain.ID)
	}
	git(t, dir, "remote", "add", "upstream", "https://user:secret@example.com/acme/shop.git")
	if p := register(t, home, dir); p.ID != plain.ID {
		t.Errorf("with a remote the project is %s, want %s", p.ID, plain.ID)
	}
	moved := filepath.Join(top, "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	p := resolve(t, home, moved)
	if p.Claim == nil || p.Claim.ID != plain.ID || p.Name != "moved" {
		t.Errorf("moved, the project is %s called %s and says to be %v, want a question about %s", p.ID, p.Name, p.Claim, plain.ID)
	}
	if p = link(t, home, moved); p.ID != plain.ID || !p.Registered || p.Name != "shop" {
		t.Errorf("after one yes the project is %s called %s (registered %v), want %s", p.ID, p.Name, p.Registered, plain.ID)
	}
	data, err := os.ReadFile(filepath.Join(home, "projects.json"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); cmp.Diff(text, "") == "" || containsAny(text, "secret", "user:") {
		t.Errorf("the registry holds credentials or nothing:\n%s", text)
	}
}

func TestNothingOfThePrivateMemoryIsInTheProject(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	main := newRepo(t, filepath.Join(top, "repo"))
	wt := filepath.Join(top, "wt")
	git(t, main, "worktree", "add", "-q", "-b", "side", wt)
	p := register(t, home, wt)
	note := filepath.Join(p.PersonalMemory(), "note.md")
	write(t, note, "記住：先跑測試\n")
	git(t, main, "clean", "-qfdx")
	git(t, main, "worktree", "remove", "--force", wt)
	q := resolve(t, home, main)
	if got := filepath.Join(q.PersonalMemory(), "note.md"); got != note {
		t.Errorf("the note is looked for at %s, want %s", got, note)
	}
	if _, err := os.Stat(note); err != nil {
		t.Error("the note went away with the worktree:", err)
	}
}

func TestAProjectThatGetsTheRemoteOfAnotherAsks(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	one := newRepo(t, filepath.Join(top, "one"))
	plain := register(t, home, one)
	two := newRepo(t, filepath.Join(top, "two"))
	git(t, two, "remote", "add", "origin", "https://example.com/acme/shop")
	shop := register(t, home, two)
	git(t, one, "remote", "add", "origin", "https://example.com/acme/shop")
	p := register(t, home, one)
	if p.ID != plain.ID || p.Claim == nil || p.Claim.ID != shop.ID || p.Claim.Name != "shop" {
		t.Errorf("got project %s that says to be %v, want %s that says to be %s", p.ID, p.Claim, plain.ID, shop.ID)
	}
	if p := link(t, home, one); p.ID != shop.ID || p.Conflict != nil || p.Claim != nil {
		t.Errorf("after one yes it is %s with conflict %v and claim %v, want %s", p.ID, p.Conflict, p.Claim, shop.ID)
	}
}

func TestAnotherRepositoryInAUsedFolderIsAnotherProject(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	dir := newRepo(t, filepath.Join(top, "workspace"))
	git(t, dir, "remote", "add", "origin", "https://example.com/acme/secret")
	first := register(t, home, dir)
	git(t, dir, "remote", "set-url", "origin", "https://example.com/acme/public")
	second := register(t, home, dir)
	if second.ID == first.ID || second.Conflict == nil || second.Conflict.ID != first.ID {
		t.Fatalf("got %s with conflict %v, want a project of its own in conflict with %s", second.ID, second.Conflict, first.ID)
	}
	// A person may say that it is the same one after all.
	if err := project.Link(t.Context(), second, first.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	if p := resolve(t, home, dir); p.ID != first.ID || p.Conflict != nil || !p.Registered {
		t.Errorf("after Link the project is %s with conflict %v, want %s", p.ID, p.Conflict, first.ID)
	}
	for _, id := range []string{"../../etc", "", "0123456789ab"} {
		if err := project.Link(t.Context(), second, id, time.Now()); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("Link with project %q gave %v", id, err)
		}
	}
}

func TestKnownKeysWriteNothing(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	dir := mkdir(t, filepath.Join(top, "p"))
	if resolve(t, home, dir); existing(home) {
		t.Fatal("Resolve wrote into the home")
	}
	p := register(t, home, dir)
	if err := os.Chmod(home, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(home, 0o700)
	before := listing(t, home)
	if q := register(t, home, dir); q.ID != p.ID || !q.Registered {
		t.Errorf("got %s, registered %v", q.ID, q.Registered)
	}
	if diff := cmp.Diff(before, listing(t, home)); diff != "" {
		t.Error(diff)
	}
}

func TestBrokenRegistryIsMadeAgainFromTheRecords(t *testing.T) {
	for name, text := range map[string]string{"torn": `{"keys":{"dir:`, "empty": "", "no keys": "{}", "array": "[1]"} {
		t.Run(name, func(t *testing.T) {
			top := realDir(t)
			home := filepath.Join(top, "home")
			dir := mkdir(t, filepath.Join(top, "p"))
			first := register(t, home, dir)
			newRepo(t, dir)
			git(t, dir, "remote", "add", "origin", "https://example.com/a/b")
			register(t, home, dir)
			write(t, filepath.Join(home, "projects.json"), text)
			if p := resolve(t, home, dir); p.ID != first.ID || !p.Registered {
				t.Errorf("got %s, registered %v; want %s from its record", p.ID, p.Registered, first.ID)
			}
			register(t, home, mkdir(t, filepath.Join(top, "q")))
			if kept, err := os.ReadFile(filepath.Join(home, "projects.json.broken")); err != nil || string(kept) != text {
				t.Errorf("the broken registry was not kept: %q, %v", kept, err)
			}
			if p := resolve(t, home, dir); p.ID != first.ID || !p.Registered {
				t.Errorf("after the repair: %s, registered %v; want %s", p.ID, p.Registered, first.ID)
			}
		})
	}
}

func TestRegistryNamesNoPathOfItsOwn(t *testing.T) {
	top := realDir(t)
	home, dir := filepath.Join(top, "home"), mkdir(t, filepath.Join(top, "p"))
	write(t, filepath.Join(home, "projects.json"), `{"keys":{"dir:`+filepath.ToSlash(dir)+`":"../../../etc"}}`)
	if p := resolve(t, home, dir); len(p.ID) != 12 {
		t.Errorf("the registry made the project's folder %s", p.Private())
	}
}

func TestRegisteringAtOnceLosesNoProject(t *testing.T) {
	top := realDir(t)
	home := filepath.Join(top, "home")
	var wg sync.WaitGroup
	for i := range 8 {
		dir := mkdir(t, filepath.Join(top, string(rune('a'+i))))
		wg.Go(func() {
			p, err := project.Resolve(home, dir, nil)
			if err == nil {
				err = project.Register(t.Context(), p, time.Unix(int64(i), 0))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := project.List(home)
	if err != nil || len(list) != 8 {
		t.Fatalf("%d projects registered, %v; want 8", len(list), err)
	}
	for _, rec := range list {
		if p := resolve(t, home, rec.Paths[0]); p.ID != rec.ID || !p.Registered {
			t.Errorf("%q is project %s, registered %v; want %s", rec.Paths, p.ID, p.Registered, rec.ID)
		}
	}
}

func TestUnwritableHomeIsSaid(t *testing.T) {
	top := realDir(t)
	write(t, filepath.Join(top, "home"), "a file")
	p, err := project.Resolve(filepath.Join(top, "home"), top, nil)
	if err == nil {
		err = project.Register(t.Context(), p, time.Now())
	}
	if err == nil {
		t.Error("registering under a file gave no error")
	}
}

func existing(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func listing(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			out[path] = info.ModTime()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A folder may be called like a secret: the registry and the record hold a hash
// in its place, find the project by it, and take over what older versions wrote.
func TestAFolderThatIsCalledLikeASecretIsNotWritten(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6", 6)
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), secret)
	if err := os.MkdirAll(filepath.Join(dir, ".orihon"), 0o700); err != nil {
		t.Fatal(err)
	}
	look := func() *project.Project {
		t.Helper()
		p, err := project.Resolve(home, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	// As an older version left it: the path as it is, under an ID made from it.
	const id = "568f5d7c5c4e"
	write(t, filepath.Join(home, "projects.json"), `{"keys":{"dir:`+filepath.ToSlash(dir)+`":"`+id+`"}}`)
	write(t, filepath.Join(home, "projects", id, "project.json"), `{"id":"`+id+`","name":"`+secret+`","keys":["dir:`+filepath.ToSlash(dir)+`"],"paths":["`+filepath.ToSlash(dir)+`"]}`)
	if p := look(); p.ID != id || p.Registered {
		t.Errorf("by its old key it is %s (registered %v), want %s, to be registered anew", p.ID, p.Registered, id)
	}
	if err := project.Register(t.Context(), look(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if p := look(); p.ID != id || !p.Registered {
		t.Errorf("registered, it is %s (registered %v), want %s", p.ID, p.Registered, id)
	}
	for _, name := range []string{"projects.json", "projects/" + id + "/project.json"} {
		data, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds it: %s", name, data)
		}
	}
}
