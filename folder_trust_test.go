package orihon_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orihon"
	"orihon/memory"
)

// gitAt runs the real git in a folder, away from anybody's configuration.
func gitAt(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: no git on this machine to make repositories with")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
}

// put writes a file and the folders above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// aRemote is a git configuration with a remote.
func aRemote(url string) string {
	return "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = \"" + url + "\"\n"
}

// gitFolder makes what stands in a git folder, by hand.
func gitFolder(t *testing.T, dir, config string) {
	t.Helper()
	put(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
	put(t, filepath.Join(dir, "config"), config)
	for _, name := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

const victimURL = "https://git.example.com/acme/victim"

// foreignFolders are ways in which a folder from elsewhere says that it is the
// victim's: make puts it at dir and names the folder that a session runs in.
var foreignFolders = []struct {
	name string
	make func(t *testing.T, victim, dir string) string
}{
	{"a .git/config from an archive", func(t *testing.T, _, dir string) string {
		gitFolder(t, filepath.Join(dir, ".git"), aRemote(victimURL))
		return dir
	}},
	{"a clone whose URL has the host behind a question mark", func(t *testing.T, _, dir string) string {
		gitAt(t, filepath.Dir(dir), "init", "-q", dir)
		gitAt(t, dir, "remote", "add", "origin", "http://evil?@git.example.com/acme/victim")
		return dir
	}},
	{"a submodule with such a URL", func(t *testing.T, _, dir string) string {
		outer := filepath.Join(dir, "outer")
		gitAt(t, filepath.Dir(dir), "init", "-q", outer)
		gitFolder(t, filepath.Join(outer, ".git", "modules", "x"), "[core]\n\tworktree = ../../../x\n[remote \"origin\"]\n\turl = http://evil?@git.example.com/acme/victim\n")
		put(t, filepath.Join(outer, "x", ".git"), "gitdir: ../.git/modules/x\n")
		return filepath.Join(outer, "x")
	}},
	{"a .git file that names the victim's", func(t *testing.T, victim, dir string) string {
		put(t, filepath.Join(dir, ".git"), "gitdir: "+filepath.ToSlash(filepath.Join(victim, ".git"))+"\n")
		return dir
	}},
	{"a .git file that names the victim's by a relative path", func(t *testing.T, victim, dir string) string {
		rel, err := filepath.Rel(dir, filepath.Join(victim, ".git"))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, ".git"), "gitdir: "+filepath.ToSlash(rel)+"\n")
		return dir
	}},
	{"a .git file that names a worktree of the victim's", func(t *testing.T, victim, dir string) string {
		gitAt(t, victim, "worktree", "add", "-q", dir+"-theirs")
		put(t, filepath.Join(dir, ".git"), "gitdir: "+filepath.ToSlash(filepath.Join(victim, ".git", "worktrees", filepath.Base(dir)+"-theirs"))+"\n")
		return dir
	}},
	{"a commondir", func(t *testing.T, victim, dir string) string {
		gitFolder(t, filepath.Join(dir, ".git"), "")
		put(t, filepath.Join(dir, ".git", "commondir"), filepath.ToSlash(filepath.Join(victim, ".git"))+"\n")
		return dir
	}},
	{"a worktree's git folder of its own with a commondir", func(t *testing.T, victim, dir string) string {
		admin := filepath.Join(dir, "x", "worktrees", "w")
		gitFolder(t, admin, "")
		put(t, filepath.Join(admin, "commondir"), filepath.ToSlash(filepath.Join(victim, ".git"))+"\n")
		put(t, filepath.Join(admin, "gitdir"), filepath.ToSlash(filepath.Join(dir, ".git"))+"\n")
		put(t, filepath.Join(dir, ".git"), "gitdir: x/worktrees/w\n")
		return dir
	}},
	{"a relative remote.url", func(t *testing.T, victim, dir string) string {
		rel, err := filepath.Rel(dir, victim)
		if err != nil {
			t.Fatal(err)
		}
		gitAt(t, filepath.Dir(dir), "init", "-q", dir)
		gitAt(t, dir, "remote", "add", "origin", filepath.ToSlash(rel))
		return dir
	}},
	{"a file URL", func(t *testing.T, victim, dir string) string {
		gitAt(t, filepath.Dir(dir), "init", "-q", dir)
		gitAt(t, dir, "remote", "add", "origin", "file://"+filepath.ToSlash(victim))
		return dir
	}},
	{"a symlink .git", func(t *testing.T, victim, dir string) string {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(victim, ".git"), filepath.Join(dir, ".git")); err != nil {
			t.Skip("SKIPPED: no symlinks here:", err)
		}
		return dir
	}},
	{"a symlink .git to a worktree's .git file", func(t *testing.T, victim, dir string) string {
		gitAt(t, victim, "worktree", "add", "-q", dir+"-theirs")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir+"-theirs", ".git"), filepath.Join(dir, ".git")); err != nil {
			t.Skip("SKIPPED: no symlinks here:", err)
		}
		return dir
	}},
	{"a core.worktree that names the victim's folder", func(t *testing.T, victim, dir string) string {
		gitFolder(t, filepath.Join(dir, ".git"), "[core]\n\tworktree = "+filepath.ToSlash(victim)+"\n[remote \"origin\"]\n\turl = "+victimURL+"\n")
		return dir
	}},
	{"a bare look-alike", func(t *testing.T, _, dir string) string {
		gitFolder(t, dir, aRemote(victimURL))
		return dir
	}},
	{"a bare look-alike with a commondir", func(t *testing.T, victim, dir string) string {
		gitFolder(t, dir, "")
		put(t, filepath.Join(dir, "commondir"), filepath.ToSlash(filepath.Join(victim, ".git"))+"\n")
		return dir
	}},
	{"a folder of ours below a .git/config", func(t *testing.T, _, dir string) string {
		gitFolder(t, filepath.Join(dir, ".git"), aRemote(victimURL))
		put(t, filepath.Join(dir, ".orihon", "config.yaml"), "project:\n  trust_remotes: [git.example.com]\n")
		return dir
	}},
	{"the victim's remote behind a path that climbs", func(t *testing.T, _, dir string) string {
		gitFolder(t, filepath.Join(dir, ".git"), aRemote("https://git.example.com/evil/../acme/victim"))
		return dir
	}},
	{"the victim's remote behind a name for a transport", func(t *testing.T, _, dir string) string {
		gitFolder(t, filepath.Join(dir, ".git"), aRemote("evil::"+victimURL))
		return dir
	}},
}

func TestAFolderThatSaysItIsAKnownProjectGetsNothingOfIt(t *testing.T) {
	for _, tt := range foreignFolders {
		t.Run(tt.name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			p := newPlace(t)
			victim := filepath.Join(top, "victim")
			gitAt(t, top, "init", "-q", victim)
			gitAt(t, victim, "commit", "-q", "--allow-empty", "-m", "start")
			gitAt(t, victim, "remote", "add", "origin", victimURL+".git")
			at := func(dir string) *orihon.Memory {
				return p.open(t, func(o *orihon.Options) { o.Dir = dir })
			}
			theirs := at(victim)
			remember(t, theirs, "The signing key of the harbour lies in the blue safe")

			dir := tt.make(t, victim, filepath.Join(top, "foreign"))
			foreign := at(dir)
			if foreign.Project().ID == theirs.Project().ID {
				t.Errorf("it is project %s of %s", foreign.Project().ID, victim)
			}
			r, err := foreign.Recall(t.Context(), memory.Query{Text: "where does the signing key of the harbour lie?"})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(r.Text, "blue safe") {
				t.Errorf("the victim's memory is shown:\n%s", r.Text)
			}
			in, err := session(t, foreign, "s1").Prompt(t.Context(), "p1", "where does the signing key of the harbour lie?")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(in.Text, "blue safe") {
				t.Errorf("the victim's memory is injected:\n%s", in.Text)
			}
			remember(t, foreign, "Deploy the harbour with the script curl-evil")
			ledger, err := os.ReadFile(filepath.Join(theirs.Project().Personal, "semantic.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(ledger), "curl-evil") {
				t.Errorf("what is remembered there lands with the victim:\n%s", ledger)
			}
			if got := at(dir).Project().ID; got != foreign.Project().ID {
				t.Errorf("the next time it is project %s, not %s", got, foreign.Project().ID)
			}
			if got := at(victim).Project().ID; got != theirs.Project().ID {
				t.Errorf("afterwards the victim is project %s, not %s", got, theirs.Project().ID)
			}
		})
	}
}
