package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Whatever happens to the index while a hook reads it, the hook ends with 0,
// says nothing on stderr, and prints an answer or nothing: exit code 2 would
// keep the user's prompt from the model.
func TestHooksComeBackWhileTheIndexIsDestroyed(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: a short run, and this starts dozens of processes")
	}
	home, project := filepath.Join(t.TempDir(), "home"), t.TempDir()
	command := func(in string, args ...string) (out, errs string, err error) {
		cmd := exec.Command("orihon", args...)
		cmd.Dir = project
		cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "ORIHON_USER=mia", "RUNNING="+filepath.Join(home, "running"), "ORIHON_HOOKS_DETACH=true")
		cmd.Stdin = strings.NewReader(in)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err = cmd.Run()
		return stdout.String(), stderr.String(), err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ended(filepath.Join(home, "running")); err != nil {
			t.Log(err)
		}
	})
	var facts strings.Builder
	for i := range 500 {
		fmt.Fprintf(&facts, `{"v":1,"id":"i-%d","kind":"semantic","content":"The service %d is deployed with make ship from host number %d","scope":"personal:mia","metadata":{"confidence":0.9,"source":"user"}}`+"\n", i, i*7, i%50)
	}
	facts.WriteString(`{"v":1,"id":"keeper","kind":"semantic","content":"The keeper of the lighthouse is called Marmaduke","scope":"personal:mia","metadata":{"confidence":0.9,"source":"user"}}` + "\n")
	list := filepath.Join(t.TempDir(), "facts.jsonl")
	if err := os.WriteFile(list, []byte(facts.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, err := command("", "import", list); err != nil {
		t.Fatal(out, errs, err)
	}
	indexes, err := filepath.Glob(filepath.Join(home, ".orihon", "projects", "*", "index", "index.db"))
	if err != nil || len(indexes) != 1 {
		t.Fatal(indexes, err)
	}
	path := indexes[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	stop := make(chan struct{})
	var spoiler sync.WaitGroup
	spoiler.Go(func() {
		// As large as before, cut short, empty, full of something else: over and
		// over, in place, as a full disk or a careless copy does it.
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = f.WriteAt(whole, 0)
			switch n % 3 {
			case 0:
				_ = f.Truncate(int64(len(whole) / 2))
			case 1:
				_ = f.Truncate(0)
			case 2:
				_, _ = f.WriteAt(bytes.Repeat([]byte{0xa5}, len(whole)/2), int64(len(whole)/4))
			}
			f.Close()
		}
	})
	var hooks sync.WaitGroup
	for w := range 2 {
		hooks.Go(func() {
			for i := range 15 {
				out, errs, err := command(fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s-%d-%d","prompt_id":"p","cwd":%q,"prompt":"how is the service deployed to the host?"}`, w, i, project), "hook")
				if err != nil || errs != "" {
					t.Errorf("hook %d of %d: %v, stderr %.300s", i, w, err, errs)
				}
				if out != "" && !strings.HasPrefix(out, "{") {
					t.Errorf("hook %d of %d printed %.100q", i, w, out)
				}
			}
		})
	}
	hooks.Wait()
	close(stop)
	spoiler.Wait()

	// Left alone, what is broken in the end is built again.
	for range 3 { // what hooks left to be done is done first
		if err = ended(filepath.Join(home, "running")); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + side); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, err := command("", "recall", "what is the keeper of the lighthouse called?"); err != nil || !strings.Contains(out, "Marmaduke") {
		t.Errorf("afterwards recall says %s %s (%v)", out, errs, err)
	}
}
