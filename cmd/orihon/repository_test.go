package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// hostile is a machine with a home and a project that somebody else wrote, in
// which every program that is named leaves a mark.
type hostile struct {
	t                         *testing.T
	dir, home, project, marks string
	canary                    string // a program that leaves a mark
	trace                     string // where what is started is noted; empty without strace
	strace                    []string
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the programs that must not run are shell scripts")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: no git on this machine to make repositories with")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{
		t: t, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"),
		marks: filepath.Join(dir, "marks"), canary: filepath.Join(dir, "canary"),
	}
	for _, d := range []string{h.home, h.project, h.marks} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.file(h.canary, "#!/bin/sh\necho \"$0 $*\" >> "+filepath.Join(h.marks, "ran")+"\nexit 1\n")
	if err := os.Chmod(h.canary, 0o700); err != nil {
		t.Fatal(err)
	}
	// With a filter in the kernel only the calls that are asked for stop the program, and
	// it is not several times as slow; not every machine lets one set it.
	for _, options := range [][]string{{"--seccomp-bpf"}, nil} {
		strace := append([]string{"strace", "-f", "-q", "-e", "trace=execve"}, options...)
		trace := filepath.Join(dir, "trace")
		probe := exec.Command(strace[0], append(strace[1:], "-o", trace, "true")...)
		if probe.Run() != nil {
			continue
		}
		if data, err := os.ReadFile(trace); err == nil && executed.Match(data) {
			h.trace, h.strace = trace, strace
			break
		}
	}
	t.Cleanup(func() {
		if err := ended(filepath.Join(h.home, "running")); err != nil {
			t.Log(err)
		}
	})
	return h
}

func (h *hostile) file(path, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hostile) git(dir string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+h.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Eve", "GIT_AUTHOR_EMAIL=e@example.com", "GIT_COMMITTER_NAME=Eve", "GIT_COMMITTER_EMAIL=e@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// history makes a repository with commits, of which one object is missing. Git makes it
// once, in fifty processes; every test has a copy.
func (h *hostile) history(dir string) {
	h.t.Helper()
	made := filepath.Join(builtDir, "history")
	historyMade.Do(func() { h.makeHistory(made) })
	if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
		h.t.Fatal(err)
	}
	id := h.git(dir, "rev-parse", "HEAD~23")
	if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
		h.t.Fatal(err)
	}
}

var historyMade sync.Once

func (h *hostile) makeHistory(dir string) {
	h.t.Helper()
	h.git(h.dir, "init", "-q", "-b", "main", dir)
	for i := range 25 {
		h.file(filepath.Join(dir, fmt.Sprintf("f%d.ts", i)), "export function loadUser(userId) {\n  const cacheKey = 'a' + userId\n  if (cacheKey) {\n    const firstName = 'b'\n    return open('c', 'd')\n  }\n  let lastName = 'y'\n}\n")
		h.git(dir, "add", ".")
		h.git(dir, "commit", "-qm", fmt.Sprintf("feat: number %d", i))
	}
}

// orihon runs the program in a folder, and fails the test when a mark was left.
func (h *hostile) orihon(dir, in string, args ...string) string {
	h.t.Helper()
	program := append([]string{"orihon"}, args...)
	if h.trace != "" {
		program = slices.Concat(h.strace, []string{"-o", h.trace}, program)
	}
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
	cmd.Env = append(os.Environ(), "HOME="+h.home, "USERPROFILE="+h.home, "ORIHON_USER=mia", "RUNNING="+filepath.Join(h.home, "running"), "ORIHON_HOOKS_DETACH=false", "ORIHON_LOG_LEVEL=debug", "ORIHON_RAG_ENABLED=true")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		h.t.Fatal(err)
	}
	if err := ended(filepath.Join(h.home, "running")); err != nil {
		h.t.Error(err)
	}
	if ran, err := os.ReadFile(filepath.Join(h.marks, "ran")); err == nil {
		h.t.Fatalf("orihon %q ran what the repository names:\n%s", args, ran)
	}
	h.started(args)
	return out.String()
}

var executed = regexp.MustCompile(`execve\("([^"]+)".*\) = 0`)

// started fails the test when a process was started that docs/SECURITY.md does
// not list.
func (h *hostile) started(args []string) {
	h.t.Helper()
	if h.trace == "" {
		return
	}
	data, err := os.ReadFile(h.trace)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, m := range executed.FindAllStringSubmatch(string(data), -1) {
		if name := filepath.Base(m[1]); name != "orihon" && name != "git" {
			h.t.Errorf("orihon %q started %s", args, m[1])
		}
	}
}

// session plays a session in a folder by hooks, and the commands that come after one.
func (h *hostile) session(dir string, commands [][]string) {
	h.t.Helper()
	for i, name := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"} {
		event, err := json.Marshal(map[string]any{
			"hook_event_name": name, "session_id": "s1", "prompt_id": "p1", "cwd": dir, "source": "startup", "prompt": "rename the button please",
			"tool_name": "Read", "tool_use_id": fmt.Sprint("t", i), "tool_input": map[string]any{"file_path": filepath.Join(dir, "f0.ts")}, "last_assistant_message": "done",
		})
		if err != nil {
			h.t.Fatal(err)
		}
		h.orihon(dir, string(event), "hook")
	}
	for _, args := range commands {
		h.orihon(dir, "", args...)
	}
}

var (
	// lookingCommands look at the repository and at its files.
	lookingCommands = [][]string{{"work"}, {"sync"}, {"doctor"}, {"index"}, {"init"}, {"memory-index"}}
	otherCommands   = [][]string{
		{"status"}, {"stats"}, {"recall", "who loads the user?", "--docs"}, {"remember", "We deploy with make ship"},
		{"list"}, {"review"}, {"init", "--team"}, {"roles", "init"}, {"context", "inspect"}, {"install", "claude-code", "--dry-run"}, {"project", "list"},
	}
	allCommands = slices.Concat(lookingCommands, otherCommands)
)

// What git's configuration can name that is run, each on its own.
func TestNoRepositoryRunsACommand(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: a short run, and this starts hundreds of processes")
	}
	fetching := "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
	for i, tt := range []struct{ name, config, attributes string }{
		{"fetch over ssh", fetching + "\turl = ssh://host.invalid/x\n[core]\n\tsshCommand = CANARY\n", ""},
		{"fetch by a helper", fetching + "\turl = ext::CANARY %S\n[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n", ""},
		{"fetch from a folder", fetching + "\turl = /tmp\n\tuploadpack = CANARY\n[uploadpack]\n\tpackObjectsHook = CANARY\n", ""},
		{"fetch with credentials", fetching + "\turl = https://127.0.0.1:1/x\n[credential]\n\thelper = !CANARY\n[core]\n\taskPass = CANARY\n\tgitProxy = CANARY\n", ""},
		{"monitor, pager, hooks", "[core]\n\tfsmonitor = CANARY\n\tpager = CANARY\n\thooksPath = HOOKS\n\teditor = CANARY\n\talternateRefsCommand = CANARY\n[pager]\n\tlog = CANARY\n[sequence]\n\teditor = CANARY\n[interactive]\n\tdiffFilter = CANARY\n", ""},
		{"signatures", "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = CANARY\n[gpg \"ssh\"]\n\tprogram = CANARY\n\tdefaultKeyCommand = CANARY\n[commit]\n\tgpgSign = true\n", ""},
		{"diff", "[diff]\n\texternal = CANARY\n[diff \"x\"]\n\ttextconv = CANARY\n\tcommand = CANARY\n[merge \"x\"]\n\tdriver = CANARY\n", "* diff=x merge=x\n"},
		{"filters", "[filter \"x\"]\n\tclean = CANARY\n\tsmudge = CANARY\n\tprocess = CANARY\n\trequired = true\n", "* filter=x\n"},
		{"an included file", "[include]\n\tpath = INCLUDED\n[includeIf \"gitdir:/\"]\n\tpath = INCLUDED\n", ""},
		{"another worktree, submodules, aliases", "[core]\n\tworktree = /\n[submodule \"x\"]\n\tupdate = !CANARY\n\tpath = x\n\turl = ext::CANARY\n\tactive = true\n[alias]\n\tlog = !CANARY\n\tls-files = !CANARY\n\tstatus = !CANARY\n[trailer \"x\"]\n\tcommand = CANARY\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t)
			h.history(h.project)
			h.file(filepath.Join(h.project, ".gitattributes"), tt.attributes)
			h.file(filepath.Join(h.dir, "included"), "[core]\n\tfsmonitor = "+h.canary+"\n\tpager = "+h.canary+"\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = "+h.canary+"\n")
			hooks := filepath.Join(h.dir, "hooks")
			for _, name := range []string{"post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc", "post-checkout"} {
				h.file(filepath.Join(hooks, name), "")
				if err := os.Remove(filepath.Join(hooks, name)); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(h.canary, filepath.Join(hooks, name)); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(h.canary, filepath.Join(h.project, ".git", "hooks", name)); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(h.project, ".git", "config")
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			h.file(path, string(before)+strings.NewReplacer("CANARY", h.canary, "HOOKS", hooks, "INCLUDED", filepath.Join(h.dir, "included")).Replace(tt.config))
			commands := allCommands
			if i > 0 && brief() {
				commands = lookingCommands
			}
			h.session(h.project, commands)
			// The questions are answered all the same.
			if out := h.orihon(h.project, "", "list", "--topic", "preference"); !strings.Contains(out, "camelCase") || !strings.Contains(out, "Conventional") {
				t.Errorf("the files or the commits were not looked at:\n%s", out)
			}
		})
	}
}

// A folder within a project that looks like a bare repository, with a memory
// beside it.
func TestNoLookAlikeRunsACommand(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: a short run, and this starts dozens of processes")
	}
	h := newHostile(t)
	h.history(h.project)
	sub := filepath.Join(h.project, "vendor", "lib")
	if err := os.MkdirAll(filepath.Dir(sub), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(h.project, ".git"), sub); err != nil {
		t.Fatal(err)
	}
	h.file(filepath.Join(sub, "config"), "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = .\n\tsshCommand = "+h.canary+"\n\tfsmonitor = "+h.canary+
		"\n[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n\turl = ssh://host.invalid/x\n")
	h.file(filepath.Join(sub, ".orihon", "memory", "shared", "a.md"), "- The pump is blue\n")
	h.file(filepath.Join(sub, "f0.ts"), "x = 1\n")
	h.git(h.project, "init", "-q", "-b", "main", ".")
	h.git(h.project, "add", "f1.ts", "vendor/lib/f0.ts")
	h.git(h.project, "commit", "-qm", "looks harmless")
	h.session(sub, allCommands)
}

// Programs that lie in the project are not taken for those of the machine.
func TestNoProgramIsFoundInTheProject(t *testing.T) {
	h := newHostile(t)
	h.history(h.project)
	bin := filepath.Join(h.project, "node_modules", ".bin")
	for _, name := range []string{"git", "sh", "orihon-plugin-host", "an-editor"} {
		h.file(filepath.Join(bin, name), "")
		if err := os.Remove(filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(h.canary, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(h.canary, filepath.Join(h.project, name)); err != nil {
			t.Fatal(err)
		}
	}
	orihon, err := exec.LookPath("orihon")
	if err != nil {
		t.Fatal(err)
	}
	real := os.Getenv("PATH")
	t.Setenv("PATH", strings.Join([]string{bin, ".", h.project, filepath.Dir(orihon), real}, string(os.PathListSeparator)))
	t.Setenv("EDITOR", "an-editor")
	h.trace = "" // strace is found on the PATH, too
	h.session(h.project, allCommands)
	h.orihon(h.project, "", "context", "show", "--plugin", "x.js")
	text := h.orihon(h.project, "", "remember", "The valve is green", "--json")
	var said struct{ Item struct{ ID string } }
	if err := json.Unmarshal([]byte(text), &said); err != nil || said.Item.ID == "" {
		t.Fatalf("%v: %s", err, text)
	}
	for _, args := range [][]string{{"edit", said.Item.ID}, {"config", "edit"}} {
		if text := h.orihon(h.project, "", args...); !strings.Contains(text, "an-editor") {
			t.Errorf("%q: %s", args, text)
		}
	}
}
