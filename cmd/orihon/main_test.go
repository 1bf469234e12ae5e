package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts the program itself on the path of the scripts, so that what
// they run, and what the program starts again by itself, are real processes.
// hook, wait-idle and wait-read are programs too, because they need the script's
// environment.
func TestMain(m *testing.M) {
	testscript.Main(withBuiltDir{m}, map[string]func(){
		"orihon":    scriptOrihon,
		"expand":    func() { fmt.Print(expanded(os.Args[1], func(s string) string { return s })) },
		"exits":     scriptExits,
		"hook":      scriptHook,
		"wait-idle": scriptWaitIdle,
		"wait-read": scriptWaitRead,

		"tiny-model":    scriptTinyModel,
		"serving":       scriptServing,
		"ollama-server": scriptOllama,
		"talks":         scriptTalks,
		"model-server":  scriptModelServer,
	})
}

// brief reports whether one of several plays of the same kind is enough: all of them
// take minutes and are for .ci/long, which sets ORIHON_LONG.
func brief() bool { return os.Getenv("ORIHON_LONG") == "" }

// TestScript runs testdata/script: the first word of a script's name is the
// command that it is about. Every script has a home of its own in $WORK.
//
// Beyond testscript's own, the commands are
//
//	hook FILE                what the client does: run orihon hook with the event in FILE, in which
//	                         $NAME stands for a variable of the environment; the exit code must be 0
//	expand FILE              print FILE with the variables put in
//	exits CODE PROGRAM...    run a program that must end with this exit code
//	wait-idle                wait until no session has work left and no process is at it
//	wait-read                wait until no past session of another program is left to be read
//	age TIME FILE            the file was changed so long ago
//	client-memory DIR INDEX TOPIC       give Claude Code a memory of its own of the project in DIR
//	client-memory-same DIR INDEX TOPIC  it is still that, to the byte
//	found DIR TEXT           some file below DIR has TEXT in it, compressed or not, or in its name
//	notfound DIR TEXT        there are files below DIR, and none has
//	field NAME PATH          set NAME to the value in the JSON of stdout, PATH as in hits.0.id
//	cut NAME TEXT FROM TO    set NAME to that part of TEXT; a FROM below 0 counts from the end
//	replace FILE OLD NEW     change every OLD, of which there must be one; \n, \r and \0 are known
//	pad FILE COUNT           append so many letters
//	private PATH...          only their owner may read the files
//	tiny-model DIR           write the source of a static-embedding model
//	ollama-server LOG PROGRAM...  run a program whose embedder is a server, which notes in LOG how many texts it got
//	model-server ANSWER CONFIG PROGRAM...  run a program while a server of models answers with these words, refuses
//	                         with this number, never answers ("never"), or plays the replies in a file for @FILE;
//	                         CONFIG, with its address for URL, is the user's configuration
//	talks FILE PROGRAM...    send the messages in FILE to a server on standard input, print its answers
//	serving DIR PROGRAM...   run a program while the folder is served; URL in an argument is its address
func TestScript(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: a short run, and the scripts start hundreds of processes")
	}
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"), RequireUniqueNames: true,
		Setup: scriptSetup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"found": scriptFound, "notfound": scriptNotFound, "field": scriptField, "cut": scriptCut,
			"replace": scriptReplace, "pad": scriptPad, "private": scriptPrivate, "age": scriptAge,
			"client-memory": scriptClientMemory, "client-memory-same": scriptClientMemory,
		},
	})
}

// scriptSetup keeps a script away from the real home, and plants secrets that
// never were any. Their halves stand apart, so that nothing which looks for
// secrets stumbles over this file.
func scriptSetup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	program, err := exec.LookPath("orihon")
	if err != nil {
		return err
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return err
	}
	pemBody := "MIIEpAIBAAKCAQEAx5Zq" + "T0f9dK2vQmWc7RbYh3LsNjPe"
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "PROGRAM": filepath.ToSlash(program),
		"ORIHON_USER": "mia", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "file",
		"GIT_AUTHOR_NAME": "Mia", "GIT_AUTHOR_EMAIL": "mia@example.com", "GIT_COMMITTER_NAME": "Mia", "GIT_COMMITTER_EMAIL": "mia@example.com",

		"AWS_KEY":      "AKIA" + "Q7RZ2LMK4WX9TB3D",
		"GITHUB_TOKEN": "ghp_" + "k3Jx9QmZ2vRb7TnW5yLs8HdPc4Fg6AeU1oIr",
		"URL_PASSWORD": "tr0ub4dor" + "Horse9x",
		"PEM_BODY":     pemBody,
		"PEM":          "-----BEGIN RSA PRIVATE " + "KEY-----\n" + pemBody + "\n-----END RSA PRIVATE " + "KEY-----",
	} {
		env.Setenv(name, value)
	}
	running := filepath.Join(env.WorkDir, ".tmp", "running")
	env.Setenv("RUNNING", running)
	// What outlives the script would write into a folder that is being removed.
	// A process that was started only just now may not hold its lock yet.
	env.Defer(func() {
		for range 2 {
			if err := ended(running); err != nil {
				env.T().Log(err)
			}
			time.Sleep(10 * poll)
		}
	})
	return os.Mkdir(home, 0o700)
}

// scriptOrihon is the program orihon. It holds a lock for as long as it runs,
// so that others can wait for processes that outlive the one which started
// them.
func scriptOrihon() {
	running := flock.New(os.Getenv("RUNNING"))
	if err := running.RLock(); err != nil {
		die(err)
	}
	main()
	runtime.KeepAlive(running)
}

// ended waits for every process that scriptOrihon runs in.
func ended(lock string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	running := flock.New(lock)
	if _, err := running.TryLockContext(ctx, poll); err != nil {
		return fmt.Errorf("a process of the script does not end: %w", err)
	}
	return running.Unlock()
}

// How long scripts wait for what runs beside them, and how often they look.
const (
	patience = time.Minute
	poll     = 5 * time.Millisecond
)

// scriptHook is the program hook.
func scriptHook() {
	if len(os.Args) < 2 {
		die("usage: hook FILE [ARG...]")
	}
	text := expanded(os.Args[1], func(value string) string {
		quoted, err := json.Marshal(value)
		if err != nil {
			die(err)
		}
		return string(quoted[1 : len(quoted)-1])
	})
	cmd := exec.Command("orihon", append([]string{"hook"}, os.Args[2:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		die(err)
	}
}

// expanded is a file with the environment's variables put into it.
func expanded(path string, quote func(string) string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		die(err)
	}
	return os.Expand(string(text), func(name string) string { return quote(os.Getenv(name)) })
}

// scriptExits is the program exits.
func scriptExits() {
	if len(os.Args) < 3 {
		die("usage: exits CODE PROGRAM [ARG...]")
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		die(err)
	}
	if code := strconv.Itoa(cmd.ProcessState.ExitCode()); code != os.Args[1] {
		die(fmt.Sprintf("exit code %s, want %s", code, os.Args[1]))
	}
}

// scriptWaitIdle is the program wait-idle.
func scriptWaitIdle() {
	for start := time.Now(); ; time.Sleep(poll) {
		data, err := exec.Command("orihon", "status", "--json").Output()
		if err != nil {
			die(err)
		}
		var status struct {
			Pending int `json:"pending_work"`
		}
		if err := json.Unmarshal(data, &status); err != nil {
			die(err)
		}
		if status.Pending == 0 {
			if err := ended(os.Getenv("RUNNING")); err != nil {
				die(err)
			}
			return
		}
		if time.Since(start) > patience {
			jobs, _ := exec.Command("orihon", "jobs").CombinedOutput()
			logged, _ := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".orihon", "hook.log"))
			die(fmt.Sprintf("%d sessions still have work left:\n%s%s\nlogged: %s", status.Pending, data, jobs, logged))
		}
	}
}

func scriptWaitRead() {
	for start := time.Now(); ; time.Sleep(poll) {
		data, err := exec.Command("orihon", "import", "--found", "--dry-run", "--json").Output()
		if err != nil {
			die(err)
		}
		var found struct{ Past []struct{ Unread int } }
		if err := json.Unmarshal(data, &found); err != nil {
			die(err)
		}
		left := 0
		for _, p := range found.Past {
			left += p.Unread
		}
		if left == 0 {
			if err := ended(os.Getenv("RUNNING")); err != nil {
				die(err)
			}
			return
		}
		if time.Since(start) > patience {
			die(fmt.Sprintf("%d files are still to be read:\n%s", left, data))
		}
	}
}

func die(v any) {
	fmt.Fprintln(os.Stderr, v)
	os.Exit(1)
}

func scriptFound(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "found")
	if _, with := holding(ts, args); len(with) == 0 {
		ts.Fatalf("no file below %s has %q", args[0], args[1])
	}
}

func scriptNotFound(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "notfound")
	files, with := holding(ts, args)
	if files == 0 {
		ts.Fatalf("there is no file below %s", args[0])
	}
	if len(with) > 0 {
		var lines []string
		data, _ := os.ReadFile(with[0])
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, args[1]) {
				lines = append(lines, line)
			}
		}
		ts.Fatalf("%q stands in %q: %q", args[1], with, lines)
	}
}

// noNegation is for commands that have an opposite of their own.
func noNegation(ts *testscript.TestScript, neg bool, name string) {
	if neg {
		ts.Fatalf("! %s is not supported", name)
	}
}

// unlessGone is an error, but of what vanished since it was listed: another process may
// be at its end, and a database takes its own files away then.
func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// holding counts the files below a folder, and names those with a text in
// them. A file that vanishes meanwhile holds nothing.
func holding(ts *testscript.TestScript, args []string) (files int, with []string) {
	if len(args) != 2 || args[1] == "" {
		ts.Fatalf("want DIR TEXT")
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return unlessGone(err)
		}
		files++
		data, err := os.ReadFile(path)
		if unlessGone(err) != nil {
			return err
		}
		if zip, zerr := gzip.NewReader(bytes.NewReader(data)); zerr == nil {
			if data, err = io.ReadAll(zip); err != nil {
				return err
			}
		}
		if bytes.Contains(data, []byte(args[1])) || strings.Contains(d.Name(), args[1]) {
			with = append(with, path)
		}
		return nil
	}))
	return files, with
}

func scriptField(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "field")
	if len(args) != 2 {
		ts.Fatalf("usage: field NAME PATH")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &value))
	for _, step := range strings.Split(args[1], ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				ts.Fatalf("%s: %d elements, no %s", args[1], len(v), step)
			}
			value = v[i]
		default:
			ts.Fatalf("%s: nothing below %v at %s", args[1], value, step)
		}
	}
	if value == nil {
		ts.Fatalf("%s is not there", args[1])
	}
	ts.Setenv(args[0], fmt.Sprint(value))
}

func scriptCut(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "cut")
	if len(args) != 4 {
		ts.Fatalf("usage: cut NAME TEXT FROM TO")
	}
	from, err := strconv.Atoi(args[2])
	ts.Check(err)
	to, err := strconv.Atoi(args[3])
	ts.Check(err)
	if from < 0 {
		from += len(args[1])
	}
	ts.Setenv(args[0], args[1][from:min(to, len(args[1]))])
}

func scriptReplace(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "replace")
	if len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	known := strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\0`, "\x00")
	text, old := ts.ReadFile(args[0]), known.Replace(args[1])
	if !strings.Contains(text, old) {
		ts.Fatalf("%s has no %q", args[0], old)
	}
	rewrite(ts, args[0], strings.ReplaceAll(text, old, known.Replace(args[2])))
}

func scriptClientMemory(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "client-memory")
	if len(args) != 3 {
		ts.Fatalf("usage: client-memory DIR INDEX TOPIC")
	}
	root, err := filepath.EvalSymlinks(ts.MkAbs(args[0]))
	ts.Check(err)
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, root)
	dir := filepath.Join(ts.Getenv("HOME"), ".claude", "projects", name, "memory")
	for path, from := range map[string]string{"MEMORY.md": args[1], "signing.md": args[2]} {
		path = filepath.Join(dir, path)
		if have, err := os.ReadFile(path); err == nil && string(have) != ts.ReadFile(from) {
			ts.Fatalf("%s was changed:\n%s", path, have)
		}
		ts.Check(os.MkdirAll(dir, 0o700))
		ts.Check(os.WriteFile(path, []byte(ts.ReadFile(from)), 0o600))
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		ts.Fatalf("%s holds %v (%v)", dir, entries, err)
	}
}

func scriptAge(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "age")
	if len(args) != 2 {
		ts.Fatalf("usage: age TIME FILE")
	}
	old, err := time.ParseDuration(args[0])
	ts.Check(err)
	then := time.Now().Add(-old)
	ts.Check(os.Chtimes(ts.MkAbs(args[1]), then, then))
}

func scriptPad(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "pad")
	if len(args) != 2 {
		ts.Fatalf("usage: pad FILE COUNT")
	}
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	rewrite(ts, args[0], ts.ReadFile(args[0])+strings.Repeat("x", count))
}

// rewrite changes a file in place, as simple editors do.
func rewrite(ts *testscript.TestScript, path, text string) {
	ts.Check(os.WriteFile(ts.MkAbs(path), []byte(text), 0o600))
}

func scriptPrivate(ts *testscript.TestScript, neg bool, args []string) {
	noNegation(ts, neg, "private")
	for _, dir := range args {
		files := 0
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return unlessGone(err)
			}
			files++
			info, err := d.Info()
			if err != nil {
				return unlessGone(err)
			}
			if others := info.Mode().Perm() & 0o077; others != 0 && runtime.GOOS != "windows" {
				ts.Fatalf("%s: others may %v", path, others)
			}
			return nil
		}))
		if files == 0 {
			ts.Fatalf("%s is empty", dir)
		}
	}
}
