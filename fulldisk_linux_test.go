package orihon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/journal"
	"orihon/memory"
)

// limitEnv makes the test binary a process whose files may not grow beyond a
// size, as on a disk that is full in the middle of a write: its value is
// "home|project|bytes".
const limitEnv = "ORIHON_TEST_LIMIT"

func TestADiskThatIsFullInTheMiddleOfAWriteLosesNothing(t *testing.T) {
	if args := os.Getenv(limitEnv); args != "" {
		if err := fillUp(strings.Split(args, "|")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The limits hit ledgers, the audit trail, journals and the index at
	// different times, and lines at different bytes.
	for _, limit := range []int{0, 700, 1501, 4096, 20_001, 66_000} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			p := newPlace(t)
			remember(t, p.open(t), "The staging host is called marmot")
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestADiskThatIsFullInTheMiddleOfAWriteLosesNothing$")
			cmd.Env = append(os.Environ(), limitEnv+"="+strings.Join([]string{p.home, p.dir, strconv.Itoa(limit)}, "|"))
			var out, complaints bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &complaints
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, &complaints)
			}
			if !strings.Contains(out.String(), "failed ") {
				t.Fatalf("no call failed: nothing was tried\n%s", &out)
			}
			p.holds(t, out.String())
		})
	}
}

func TestAFullFileSystemLosesNothing(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=6m,mode=0700"); err != nil {
		t.Skipf("SKIPPED: a small file system cannot be mounted here (it takes root's rights): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	p := &place{home: filepath.Join(small, "home"), dir: t.TempDir()}
	var told bytes.Buffer
	m := p.open(t)
	remember(t, m, "The staging host is called marmot")
	write(t, filepath.Join(small, "ballast"), strings.Repeat("x", 5_400_000))
	full := false
	for i := range 3000 {
		text := fmt.Sprintf("Host h%d listens on port %d 主機", i, i)
		out, err := m.Remember(t.Context(), orihon.Statement{Text: text})
		if err != nil {
			full = errors.Is(err, syscall.ENOSPC)
			if !full || strings.ContainsAny(err.Error(), "\n") || !strings.Contains(err.Error(), p.home) {
				t.Errorf("the disk is full and the error is %v, want one line that names the file", err)
			}
			break
		}
		fmt.Fprintf(&told, "done %s %s\n", out.Item.ID, text)
	}
	if !full {
		t.Fatal("the file system never became full")
	}
	if r := recall(t, p.open(t, readOnly), "what is the staging host called?"); !strings.Contains(r.Text, "marmot") && len(r.Degraded) == 0 {
		t.Errorf("on a full disk nothing is recalled and nothing is named: %+v", r)
	}
	m.Close()
	if err := os.Remove(filepath.Join(small, "ballast")); err != nil {
		t.Fatal(err)
	}
	p.holds(t, told.String())
}

// holds checks that what was acknowledged is there once, with room again.
func (p *place) holds(t *testing.T, told string) {
	t.Helper()
	m := p.open(t)
	defer m.Close()
	done, err := m.Sync(t.Context())
	if err != nil || len(done.Problems) > 0 {
		t.Errorf("sync with room again: %v, %q", err, done.Problems)
	}
	there := make(map[string]int)
	for _, text := range contents(list(t, m, memory.Filter{})) {
		there[text]++
	}
	for line := range strings.Lines(told) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		switch f[0] {
		case "done":
			if there[f[2]] != 1 {
				t.Errorf("%q was acknowledged and is there %d times", f[2], there[f[2]])
			}
		case "told":
			j, err := journal.Open(m.Project().Session("s"), nil)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for e, err := range j.Events(t.Context(), 0) {
				if err != nil {
					t.Error(err)
				} else if _, err := j.Body(e); err != nil {
					t.Error(err)
				}
				if e.ID == f[1] {
					n++
				}
			}
			if n == 0 {
				t.Errorf("event %s was acknowledged and is lost", f[1])
			}
		}
	}
	for text, n := range there {
		if n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
	if !finds(t, m, "what is the staging host called?", "marmot") {
		t.Error("what stood there before is not recalled")
	}
	remember(t, m, "The queue is called beaver")
	if found, err := m.Health().Examine(t.Context()); err != nil || found.Index != "" || len(found.Text) > 0 {
		t.Errorf("examined with room again: %+v, %v", found, err)
	}
}

// fillUp remembers and records, goes on when a call fails and says which did.
func fillUp(args []string) error {
	ctx := context.Background()
	limit, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	for i := range 60 {
		m, err := orihon.Open(ctx, &orihon.Options{Home: args[0], Dir: args[1], User: "ann", GitConfig: []string{}, ReadOnly: i%2 == 1})
		if err != nil {
			return err
		}
		text := fmt.Sprintf("Host h%d listens on port %d %s", i, i, strings.Repeat("很長", i*7))
		if out, err := m.Remember(ctx, orihon.Statement{Text: text}); err != nil {
			fmt.Println("failed", err)
		} else {
			fmt.Println("done", out.Item.ID, text)
		}
		id := fmt.Sprintf("call-%d", i)
		s, err := m.Session(ctx, "s", follow.Client{Name: "test"})
		if err == nil {
			err = s.Action(ctx, follow.Action{ID: id, Tool: "Bash", Output: strings.Repeat("output ", i*200)})
		}
		if err != nil {
			fmt.Println("failed", err)
		} else {
			fmt.Println("told", id, "")
		}
		// Recall never fails; it may have to do without the index.
		if r, err := m.Recall(ctx, memory.Query{Text: "what is the staging host called?"}); err != nil {
			return fmt.Errorf("recall: %w", err)
		} else if !strings.Contains(r.Text, "marmot") && len(r.Degraded) == 0 {
			return fmt.Errorf("nothing recalled and nothing named: %q", r.Text)
		}
		m.Close()
	}
	return nil
}

// nobodyEnv makes the test binary a process of a user without rights: its
// value is "home|project".
const nobodyEnv = "ORIHON_TEST_NOBODY"

func TestAHomeThatMayNotBeWrittenIsRecalledFrom(t *testing.T) {
	if args := os.Getenv(nobodyEnv); args != "" {
		if err := tryReadOnlyHome(strings.Split(args, "|")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	base, err := os.MkdirTemp("", "orihon-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	p := &place{home: filepath.Join(base, "home"), dir: filepath.Join(base, "project")}
	write(t, filepath.Join(p.dir, "README"), "")
	m := p.open(t)
	remember(t, m, "The staging host is called marmot")
	m.Close()
	self := filepath.Join(base, "self.test")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(self, data, 0o755); err != nil { // another user runs it
		t.Fatal(err)
	}
	// Everybody may read it and nobody but root write it.
	err = filepath.WalkDir(base, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == self {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o555)
		}
		return os.Chmod(path, 0o444)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = filepath.WalkDir(base, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, 0o700)
			}
			return err
		})
	})
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestAHomeThatMayNotBeWrittenIsRecalledFrom$")
	cmd.Env = append(os.Environ(), nobodyEnv+"="+p.home+"|"+p.dir, "HOME="+base)
	cmd.Dir = base
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if out, err := cmd.CombinedOutput(); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skipf("SKIPPED: root may write everything, and no other user can be taken on here: %v", err)
	} else if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func tryReadOnlyHome(args []string) error {
	ctx := context.Background()
	for _, readOnly := range []bool{true, false} {
		m, err := orihon.Open(ctx, &orihon.Options{Home: args[0], Dir: args[1], User: "ann", GitConfig: []string{}, ReadOnly: readOnly})
		if err != nil {
			return err
		}
		r, err := m.Recall(ctx, memory.Query{Text: "what is the staging host called?"})
		if err != nil {
			return err
		}
		if !strings.Contains(r.Text, "marmot") && len(r.Degraded) == 0 {
			return fmt.Errorf("read-only %v: nothing recalled and nothing named", readOnly)
		}
		items, err := m.Items().List(ctx, memory.Filter{})
		if err != nil || len(items) != 1 {
			return fmt.Errorf("read-only %v: %d items listed, %v", readOnly, len(items), err)
		}
		_, err = m.Remember(ctx, orihon.Statement{Text: "The queue is called beaver"})
		if !errors.Is(err, os.ErrPermission) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), args[0]) {
			return fmt.Errorf("read-only %v: remember: %v, want one line that names the file", readOnly, err)
		}
		if err := m.Close(); err != nil {
			return err
		}
	}
	return nil
}
