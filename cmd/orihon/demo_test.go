package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// demoProgram is the program, built once for all tests whose hooks, clients and demos
// start it as processes of their own.
func demoProgram(t *testing.T) string {
	t.Helper()
	path, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var builtProgram = sync.OnceValues(func() (string, error) {
	path := filepath.Join(builtDir, "orihon")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	// Without tables for a debugger it is linked in half the time, and smaller to start.
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// builtDir is where builtProgram puts it: a folder that lasts as long as the tests.
var builtDir string

// withBuiltDir makes the folder for the tests and removes it behind them.
type withBuiltDir struct{ *testing.M }

func (w withBuiltDir) Run() int {
	dir, err := os.MkdirTemp("", "orihon-program-")
	if err != nil {
		die(err)
	}
	defer os.RemoveAll(dir)
	builtDir = dir
	return w.M.Run()
}

// runDemo runs the program with a folder of its own for temporary files, and
// an environment that would lead hooks astray if they saw it.
func runDemo(t *testing.T, program string, args ...string) (stdout, temp string) {
	t.Helper()
	temp = t.TempDir()
	t.Cleanup(func() {
		// Processes without work may still be about to end.
		if err := removeDemo(temp); err != nil {
			t.Error(err)
		}
	})
	cmd := exec.Command(program, append([]string{"demo"}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp, "ORIHON_HOME="+filepath.Join(temp, "astray"), "ORIHON_CHILD=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("orihon demo %v: %v\n%s%s", args, err, out.String(), errs.String())
	}
	return out.String(), temp
}

func TestDemoComesTrueAndLeavesNothing(t *testing.T) {
	t.Parallel()
	out, temp := runDemo(t, demoProgram(t), "--json")
	var r demoReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(r.Failures) != 0 || r.Expectations == 0 {
		t.Errorf("%d expectations, failed: %q", r.Expectations, r.Failures)
	}
	for prompt, want := range map[string]string{
		"how do I deploy this to production?":                    "", // the session began with it
		"部署前要做什么?":                                               "",
		"the login hangs under load again, where should I look?": "src/session-store.js",
		"write a haiku about the sea":                            "",
	} {
		got := demoPrompt(t, &r, prompt)
		if want == "" && got.Injected != "" || !strings.Contains(got.Injected, want) {
			t.Errorf("%q got %q, want %q in it", prompt, got.Injected, want)
		}
		if (got.Tokens > 0) != (got.Injected != "") || got.MS <= 0 {
			t.Errorf("%q: %d tokens in %v ms for %q", prompt, got.Tokens, got.MS, got.Injected)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 || !r.Removed {
		t.Errorf("left behind: %v, %v; reported as removed: %v", left, err, r.Removed)
	}
}

func TestKeptDemoCanBeLookedAt(t *testing.T) {
	t.Parallel()
	program := demoProgram(t)
	out, temp := runDemo(t, program, "--keep")
	for _, want := range []string{"SESSION 1", "SESSION 2", "› write a haiku about the sea\n    nothing injected", " ms", "look around"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q in:\n%s", want, out)
		}
	}
	dirs, err := filepath.Glob(filepath.Join(temp, "orihon-demo-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("kept %v, %v, want one folder", dirs, err)
	}
	list, err := exec.Command(program, "--user", demoUser, "--home", filepath.Join(dirs[0], "home", ".orihon"),
		"--project", filepath.Join(dirs[0], "harbor"), "list").CombinedOutput()
	if err != nil || !strings.Contains(string(list), "make ship") {
		t.Errorf("list: %v\n%s", err, list)
	}
}

func TestChangedRecordingChangesWhatTheDemoTells(t *testing.T) {
	t.Parallel()
	program := demoProgram(t)
	changed := func(files ...string) fs.FS {
		out := fstest.MapFS{}
		for _, name := range []string{"session-1.jsonl", "session-2.jsonl"} {
			data, err := fs.ReadFile(demoRecordings, "demo/"+name)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if f == name {
					data = bytes.ReplaceAll(data, []byte("make ship"), []byte("make launch"))
				}
			}
			out[name] = &fstest.MapFile{Data: data}
		}
		return out
	}
	tests := []struct {
		name  string
		files []string
		err   string
	}{
		{"the fact alone", []string{"session-1.jsonl"}, `nothing in the answer says "make ship"`},
		{"the fact and what is expected", []string{"session-1.jsonl", "session-2.jsonl"}, ""},
		{"what is expected alone", []string{"session-2.jsonl"}, `nothing in the answer says "make launch"`},
	}
	if brief() {
		tests = tests[:1] // which tells another fact and misses what is expected
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := &demo{exe: program, recordings: changed(tt.files...), environ: os.Environ()}
			var out bytes.Buffer
			a := &app{out: &out, errs: &out, env: func(string) (string, bool) { return "", false }}
			err := a.demo(context.Background(), d)
			if got := ""; err != nil {
				got = err.Error()
				if tt.err == "" || !strings.Contains(got, tt.err) {
					t.Errorf("error %q, want %q", got, tt.err)
				}
			} else if tt.err != "" {
				t.Errorf("no error, want %q", tt.err)
			}
			said, other := "make ship", "make launch"
			if tt.files[0] == "session-1.jsonl" {
				said, other = other, said
			}
			var got string // what the last session begins with
			for _, e := range d.report.Played {
				if e.Name == "SessionStart" && e.Injected != "" {
					got = e.Injected
				}
			}
			if !strings.Contains(got, said) || strings.Contains(got, other) {
				t.Errorf("the session began with %q, want %q and not %q", got, said, other)
			}
			if !strings.Contains(out.String(), "- We deploy to production with "+said) {
				t.Errorf("what was injected is not told:\n%s", out.String())
			}
		})
	}
}

func TestPlantedSecretsAreFoundWhereverTheyLie(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for name, secret := range demoSecrets() {
		path := filepath.Join(dir, "deep", name)
		want[path] = true
		if err := os.WriteFile(path, []byte("\x00…"+secret+"\x00"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "clean"), []byte("[secret]"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, found, err := demoSearchFiles(dir)
	if err != nil || files != len(want)+1 || len(found) != len(want) {
		t.Fatalf("%d files, found %v, %v", files, found, err)
	}
	for _, path := range found {
		if !want[path] {
			t.Errorf("found in %s", path)
		}
	}
}

func TestRecordingsAreReadWithTheirPlaceholders(t *testing.T) {
	t.Parallel()
	const dir = `C:\dev "x"`
	from := fstest.MapFS{"a.jsonl": {Data: []byte(`{"hook_event_name":"UserPromptSubmit","cwd":"{{cwd}}","prompt":"how?","new":1,"expect":["so"],"expect_nothing":true}` + "\n\n" +
		`{"hook_event_name":"Stop"}` + "\n")}}
	events, err := readRecording(from, "a.jsonl", map[string]string{"cwd": dir})
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if e := events[0]; e.CWD != dir || len(e.Expect) != 1 || !e.ExpectNothing || e.line != 1 || events[1].line != 3 {
		t.Errorf("read %+v", e)
	}
	var sent map[string]any
	if err := json.Unmarshal(events[0].raw, &sent); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 4 || sent["cwd"] != dir || sent["new"] != 1.0 {
		t.Errorf("a hook is sent %v", sent)
	}
	from["a.jsonl"].Data = []byte("{}\nno event\n")
	if _, err := readRecording(from, "a.jsonl", nil); err == nil || !strings.Contains(err.Error(), "a.jsonl:2") {
		t.Errorf("error %v, want one that names a.jsonl:2", err)
	}
}

// demoPrompt is what a prompt of the last session got.
func demoPrompt(t *testing.T, r *demoReport, prompt string) *demoEvent {
	t.Helper()
	for i := range r.Played {
		if r.Played[i].Prompt == prompt {
			return &r.Played[i]
		}
	}
	t.Fatalf("%q was not played", prompt)
	return nil
}
