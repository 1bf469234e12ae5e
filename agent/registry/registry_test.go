package registry_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orihon/agent/registry"
	"orihon/memory"
)

// source is a folder with an agent, whose files would leave a mark if one was run.
func source(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config.yaml":      "name: '@team/reader'\nversion: " + version + "\ndescription: Reads.\ntools:\n  - {name: look, command: [./look.sh]}\n",
		"system_prompt.md": "You read.",
		"look.sh":          "#!/bin/sh\ntouch " + filepath.Join(dir, "ran") + "\n",
		"sub/notes.md":     "notes",
		"config":           "no git configuration",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAnAgentIsInstalledFoundAndRemoved(t *testing.T) {
	home := t.TempDir()
	r := registry.Open(home, nil)
	from := source(t, "1.2.0")
	a, err := r.Install(t.Context(), from, "")
	if err != nil || a.ID() != "@team/reader@1.2.0" || len(a.Files) != 5 || len(a.Runs) != 1 {
		t.Fatalf("Install = %+v, %v", a, err)
	}
	for _, name := range []string{"@team/reader", "@team/reader@1.2.0"} {
		dir, err := r.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "sub", "notes.md")); err != nil || string(data) != "notes" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := r.Install(t.Context(), from, ""); err != nil {
		t.Errorf("the same again: %v", err)
	}
	if err := os.WriteFile(filepath.Join(from, "sub", "notes.md"), []byte("others"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Install(t.Context(), from, ""); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("other content under the same version: %v", err)
	}
	if _, err := r.Install(t.Context(), source(t, "1.3.0"), ""); err != nil {
		t.Fatal(err)
	}
	if dir, err := r.Find("@team/reader"); err != nil || !strings.HasSuffix(dir, "@1.3.0") {
		t.Errorf("the newest: %s, %v", dir, err)
	}
	if all, err := r.List(); err != nil || len(all) != 2 {
		t.Errorf("List = %v, %v", all, err)
	}
	dir, _ := r.Find("@team/reader@1.2.0")
	if err := os.WriteFile(filepath.Join(dir, "look.sh"), []byte("#!/bin/sh\nrm -rf /\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Find("@team/reader@1.2.0"); !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), "look.sh") {
		t.Errorf("a file that was changed: %v", err)
	}
	if gone, err := r.Remove(t.Context(), "@team/reader"); err != nil || len(gone) != 2 {
		t.Errorf("Remove = %v, %v", gone, err)
	}
	if _, err := r.Find("@team/reader"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("a removed one: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("its files are still there")
	}
}

func TestWhatIsNoAgentIsNotInstalled(t *testing.T) {
	r := registry.Open(t.TempDir(), nil)
	linked := source(t, "1.0.0")
	if err := os.Symlink("/etc/passwd", filepath.Join(linked, "passwd")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ dir, sub, want string }{
		"link":    {linked, "", "passwd is no regular file"},
		"nothing": {filepath.Join(t.TempDir(), "none"), "", "is no folder"},
		"empty":   {t.TempDir(), "", "there is no"},
		"outside": {source(t, "1.0.0"), "../x", "it must lie below the source"},
		"version": {source(t, "../../x"), "", "version"},
		"ext":     {"ext::sh -c touch% /tmp/x", "", "is no folder"},
		"ext url": {"ext://x", "", "git:"},
		"dash":    {"--upload-pack=touch://x", "", "source"},
	} {
		if _, err := r.Install(t.Context(), c.dir, c.sub); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
	if all, err := r.List(); err != nil || len(all) != 0 {
		t.Errorf("List = %v, %v", all, err)
	}
}

// Of a repository nothing runs while it is fetched: no hook, no filter, no link.
func TestAnAgentComesFromGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	top := t.TempDir()
	if err := os.Rename(source(t, "2.0.0"), filepath.Join(top, "agents")); err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "ran")
	if err := os.WriteFile(filepath.Join(top, ".gitattributes"), []byte("* filter=evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", top, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	// What the user's own git would run here.
	config := filepath.Join(t.TempDir(), "config")
	text := "[filter \"evil\"]\n\tsmudge = touch " + mark + "\n[core]\n\thooksPath = " + top + "\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	if err := os.WriteFile(filepath.Join(top, "post-checkout"), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := registry.Open(t.TempDir(), nil)
	a, err := r.Install(t.Context(), "file://"+top+"#main", "agents")
	if err != nil || a.ID() != "@team/reader@2.0.0" || len(a.Commit) != 40 {
		t.Fatalf("Install = %+v, %v", a, err)
	}
	if _, err := r.Find("@team/reader"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("something of the repository was run")
	}
	if _, err := r.Install(t.Context(), "file://"+top+"#none", "agents"); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a branch that is not there: %v", err)
	}
}
