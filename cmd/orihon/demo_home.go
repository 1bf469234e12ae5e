package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon"
	"orihon/internal/jsonl"
	"orihon/internal/project"
)

// prepare makes a project and a home as a newcomer would have them.
func (d *demo) prepare(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "orihon-demo-")
	if err != nil {
		return err
	}
	// The temporary folder may be a link; a session's folder is the real one.
	if d.dir, err = filepath.EvalSymlinks(dir); err != nil {
		d.dir = dir
		return err
	}
	d.home, d.cwd = filepath.Join(d.dir, "home"), filepath.Join(d.dir, "harbor")
	d.report.Dir, d.report.Home, d.report.Project = d.dir, d.orihonHome(), d.cwd
	d.report.Failures = []string{}
	for _, path := range []string{d.home, d.cwd} {
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
	}
	readme := "# harbor\n\nA small web service: accounts, login, a nightly report.\n"
	if err := os.WriteFile(filepath.Join(d.cwd, "README.md"), []byte(readme), 0o600); err != nil {
		return err
	}
	if _, _, err := d.run(ctx, nil, "init"); err != nil {
		return err
	}
	d.memory, err = orihon.Open(ctx, &orihon.Options{
		Home: d.orihonHome(), Dir: d.cwd, User: demoUser, GitConfig: []string{}, ReadOnly: true,
	})
	return err
}

// orihonHome is where Orihon keeps what it keeps of the user.
func (d *demo) orihonHome() string { return filepath.Join(d.home, ".orihon") }

// run starts a process of ours in the project and waits for it.
func (d *demo) run(ctx context.Context, input []byte, args ...string) (output []byte, took time.Duration, err error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, d.exe, args...)
	cmd.Dir, cmd.Env = d.cwd, d.env()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	took = time.Since(start)
	if err == nil && stderr.Len() > 0 {
		err = errors.New("it wrote to standard error")
	}
	if err != nil {
		return nil, took, fmt.Errorf("orihon %s: %w: %s", strings.Join(args, " "), err, oneLine(stderr.String()))
	}
	return stdout.Bytes(), took, nil
}

// env is an environment in which nothing of the real user is found.
func (d *demo) env() []string {
	env := slices.DeleteFunc(slices.Clone(d.environ), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return name == "HOME" || name == "USERPROFILE" ||
			strings.HasPrefix(name, "ORIHON_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "CLAUDE_")
	})
	return append(env, "HOME="+d.home, "USERPROFILE="+d.home, "ORIHON_HOME="+d.orihonHome(), "ORIHON_USER="+demoUser)
}

// settle waits until no session has work left and nobody is at any.
func (d *demo) settle(ctx context.Context) error {
	const most, pause = 20 * time.Second, 10 * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("detached work was not done within %s", most))
	defer cancel()
	for {
		st, err := d.memory.Health().Status(ctx)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && st.Pending == 0 && d.idle() {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), d.hookLog())
		case <-time.After(pause):
		}
	}
}

// idle reports whether no process is at the work of a session or at an index.
func (d *demo) idle() bool {
	p := d.memory.Project()
	var locks []string
	for _, pattern := range []string{
		filepath.Join(p.Sessions, "*", ".work.lock"),
		filepath.Join(p.Index, "*.sync"),
		filepath.Join(project.User(p.Home).Index(), "*.sync"),
	} {
		found, _ := filepath.Glob(pattern)
		locks = append(locks, found...)
	}
	for _, path := range locks {
		unlock, free, err := jsonl.TryLock(path)
		if err != nil || !free {
			return false
		}
		unlock()
	}
	return true
}

// hookLog returns the first line of what hooks complain of where no client
// sees it.
func (d *demo) hookLog() error {
	data, err := os.ReadFile(hookLogPath(d.orihonHome()))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	return errors.Join(err, fmt.Errorf("hook.log: %s", first))
}

func (d *demo) expect(ok bool, format string, args ...any) {
	d.report.Expectations++
	if !ok {
		d.report.Failures = append(d.report.Failures, fmt.Sprintf(format, args...))
	}
}

// removeDemo removes a folder for good. A detached process that has nothing
// left to do may still be ending, and make a part of it again.
func removeDemo(dir string) error {
	const looks, quiet, pause = 60, 4, 25 * time.Millisecond
	gone := 0
	var err error
	for range looks {
		if _, absent := os.Lstat(dir); errors.Is(absent, fs.ErrNotExist) {
			if gone++; gone == quiet {
				return nil
			}
		} else {
			gone = 0
			err = os.RemoveAll(dir)
		}
		time.Sleep(pause)
	}
	return err
}
