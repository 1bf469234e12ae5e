package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/session"
	"orihon/memory"
)

// When this variable is set the test binary is not a test but one of several
// processes that update the state in the folder it names.
const workerVar = "SESSION_TEST_WORKER"

const rounds = 25

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerVar); dir != "" {
		if err := work(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func work(dir string) error {
	for i := range rounds {
		_, err := session.Update(context.Background(), dir, nil, func(s *session.State) error {
			s.Prompts++
			s.Inject(map[string]string{fmt.Sprintf("%d/%d", os.Getpid(), i): "h"}, 1)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// self is this test binary in another role: a worker, or with no folder one
// that ends at once.
func self(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^$")
	if dir != "" {
		cmd.Env = append(os.Environ(), workerVar+"="+dir)
	}
	return cmd
}

func TestEightProcessesLoseNoUpdate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions", "one")
	var cmds []*exec.Cmd
	for range 8 {
		cmd := self(t, dir)
		cmd.Stderr = new(bytes.Buffer)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err, cmd.Stderr)
		}
	}
	s, err := session.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Prompts != 8*rounds || len(s.Injected) != 8*rounds || s.InjectedTokens != 8*rounds {
		t.Errorf("%d prompts, %d passages, %d tokens; want %d of each", s.Prompts, len(s.Injected), s.InjectedTokens, 8*rounds)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

func TestBrokenStateIsSetAsideAndBegunAfresh(t *testing.T) {
	for name, text := range map[string]string{"torn": `{"version":1,"id":"a","inj`, "empty": "", "of another kind": `{"keys":{}}`, "null": "null", "wrong types": `{"version":1,"prompts":"many"}`} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "s")
			path := filepath.Join(dir, "state.json")
			var log bytes.Buffer
			o := &session.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
			for n := 1; n <= 2; n++ {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := session.Load(dir); !errors.Is(err, memory.ErrInvalid) {
					t.Errorf("Load gave %v", err)
				}
				s, err := session.Update(t.Context(), dir, o, func(s *session.State) error { s.Prompts++; return nil })
				if err != nil || s.Prompts != 1 || s.Status != session.Working {
					t.Fatalf("got %+v, %v", s, err)
				}
				kept, err := os.ReadFile(path + ".broken-" + strconv.Itoa(n))
				if err != nil || string(kept) != text {
					t.Errorf("kept %q, %v", kept, err)
				}
			}
			if strings.Count(log.String(), "begun afresh") != 2 {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

func TestRefusedUpdateWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	stop := errors.New("stop")
	if _, err := session.Update(t.Context(), dir, nil, func(s *session.State) error { s.Prompts = 9; return stop }); err != stop {
		t.Errorf("got %v", err)
	}
	if _, err := session.Load(dir); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("Load gave %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.Update(ctx, dir, nil, func(*session.State) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
}

type faulty struct {
	*os.File
	fail string
}

var errFault = errors.New("no space left")

func (f faulty) Write(p []byte) (int, error) {
	switch f.fail {
	case "write":
		n, _ := f.File.Write(p[:len(p)/2])
		return n, errFault
	case "short":
		n, _ := f.File.Write(p[:len(p)/2])
		return n, nil
	}
	return f.File.Write(p)
}

func (f faulty) Close() error {
	err := f.File.Close()
	if f.fail == "close" {
		return errFault
	}
	return err
}

func TestFailedWriteKeepsTheOldState(t *testing.T) {
	for _, fail := range []string{"write", "short", "close"} {
		t.Run(fail, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "s")
			count := func(s *session.State) error { s.Prompts++; return nil }
			if _, err := session.Update(t.Context(), dir, nil, count); err != nil {
				t.Fatal(err)
			}
			o := session.WithFault(session.Options{}, func(f *os.File) session.File { return faulty{f, fail} })
			if _, err := session.Update(t.Context(), dir, o, count); err == nil {
				t.Error("the fault was not reported")
			}
			if s, err := session.Load(dir); err != nil || s.Prompts != 1 {
				t.Errorf("after the fault: %+v, %v", s, err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

// States of older versions have parts of their head at the end.
func TestTheHeadIsThatOfTheState(t *testing.T) {
	for name, text := range map[string]string{
		"as it is written": `{"version":1,"id":"s","created":"2026-01-02T03:04:05Z","last_event":"2026-01-02T03:04:05Z","status":"working","pending":["use"],"guard":{"a":1},"injected":{"p":"h"},"injected_tokens":3}`,
		"of an older one":  `{"version":1,"id":"s","created":"2026-01-02T03:04:05Z","last_event":"2026-01-02T03:04:05Z","status":"working","injected":{"p":"h"},"pending":["use"],"guard":{"a":1}}`,
		"said in a name":   `{"version":1,"id":",\"injected\":{","created":"2026-01-02T03:04:05Z","last_event":"2026-01-02T03:04:05Z","status":"ended","injected":{"p":"h"}}`,
		"with much to do":  `{"version":1,"id":"s","created":"2026-01-02T03:04:05Z","last_event":"2026-01-02T03:04:05Z","status":"ended","guard":{"x":1,"injected":{}},"injected":{"p":"h"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "state.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := session.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			h, err := session.LoadHead(dir)
			if diff := cmp.Diff(&s.Head, h); diff != "" || err != nil {
				t.Errorf("%v, (-state +head):\n%s", err, diff)
			}
		})
	}
}

func TestFileWhereAFolderShouldBeIsSaid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := session.Update(t.Context(), dir, nil, func(s *session.State) error { return nil })
	if err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}
