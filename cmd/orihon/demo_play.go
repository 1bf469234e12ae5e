package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	"orihon/internal/tokens"
	"orihon/memory"
)

// demoUser is who talks in the recording.
const demoUser = "dev"

// demo plays recorded sessions against a home of their own. Hooks and the work
// they detach run as processes of exe, as a client would start them.
type demo struct {
	exe        string
	recordings fs.FS    // *.jsonl, played in the order of their names
	environ    []string // what the processes start from
	keep       bool

	told  func(*demoEvent) // nil, or called for every event played
	after func([]demoItem) // nil, or called after the first session

	dir, home, cwd string // the temporary folder, the user's home in it, the project
	memory         *orihon.Memory
	report         demoReport
}

// demoReport is what the demo found, as --json prints it.
type demoReport struct {
	Dir     string `json:"dir"`
	Home    string `json:"home"`
	Project string `json:"project"`
	Removed bool   `json:"removed"`

	Played []demoEvent `json:"played"`
	Kept   []demoItem  `json:"kept"` // after the first session

	Events    int     `json:"events"`
	MedianMS  float64 `json:"median_ms"`
	SlowestMS float64 `json:"slowest_ms"`
	Tokens    int     `json:"tokens"`
	Asked     int     `json:"asked"`  // prompts of the last session
	Helped    int     `json:"helped"` // those of them that got something

	Secrets      demoSearch `json:"secrets"`
	Expectations int        `json:"expectations"`
	Failures     []string   `json:"failures"`
}

// demoEvent is one event played and what its hook answered.
type demoEvent struct {
	Session  int     `json:"session"`
	Name     string  `json:"event"`
	Source   string  `json:"source,omitempty"`
	Prompt   string  `json:"prompt,omitempty"`
	Notice   string  `json:"notice,omitempty"`   // for the user
	Injected string  `json:"injected,omitempty"` // for the agent
	Tokens   int     `json:"tokens"`
	MS       float64 `json:"ms"` // from the start of the process to its end
}

type demoItem struct {
	What string `json:"what"`
	Text string `json:"text"`
}

// play makes the folders, plays every recording and looks at what came of it.
// The folders are gone afterwards unless they are to be kept.
func (d *demo) play(ctx context.Context) (r *demoReport, err error) {
	names, err := fs.Glob(d.recordings, "*.jsonl")
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no recordings: %w", errors.Join(err, fs.ErrNotExist))
	}
	defer func() {
		if d.keep || d.dir == "" {
			return
		}
		if removed := removeDemo(d.dir); removed != nil {
			err = errors.Join(err, removed)
		}
		d.report.Removed = true
	}()
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	defer d.memory.Close()
	for i, name := range names {
		if err := d.session(ctx, i+1, name); err != nil {
			return nil, err
		}
		if i == 0 {
			if err := d.look(ctx); err != nil {
				return nil, err
			}
		}
	}
	if err := d.examine(len(names)); err != nil {
		return nil, err
	}
	return &d.report, nil
}

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

// session plays one recording.
func (d *demo) session(ctx context.Context, number int, name string) error {
	events, err := readRecording(d.recordings, name, d.placeholders())
	if err != nil {
		return err
	}
	for _, e := range events {
		out, took, err := d.run(ctx, e.raw, "hook")
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, e.line, err)
		}
		answer, err := parseHookAnswer(out, e.Name)
		if err != nil {
			return fmt.Errorf("%s:%d: the hook's answer: %w", name, e.line, err)
		}
		played := demoEvent{
			Session: number, Name: e.Name, Source: e.Source, Prompt: e.Prompt, Notice: answer.SystemMessage,
			Injected: answer.Specific.Context, Tokens: tokens.Estimate(answer.Specific.Context), MS: ms(took),
		}
		d.report.Played = append(d.report.Played, played)
		if d.told != nil {
			d.told(&played)
		}
		d.check(name, &e, &played)
		if err := e.transcribe(time.Now()); err != nil {
			return err
		}
		switch e.Name {
		case "SessionStart", "Stop", "SessionEnd":
			// A client leaves seconds here for what the hook detached.
			if err := d.settle(ctx); err != nil {
				return fmt.Errorf("%s:%d: %w", name, e.line, err)
			}
		}
	}
	return nil
}

// hookAnswer is what a client reads of a hook's answer.
type hookAnswer struct {
	SystemMessage string `json:"systemMessage"`
	Specific      struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

func parseHookAnswer(out []byte, event string) (hookAnswer, error) {
	var answer hookAnswer
	if len(out) == 0 {
		return answer, nil
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return answer, err
	}
	if of := answer.Specific.Event; of != "" && of != event {
		return answer, fmt.Errorf("it is for %s, not for %s", of, event)
	}
	return answer, nil
}

// check holds an answer against what the recording expects of it.
func (d *demo) check(name string, e *recorded, got *demoEvent) {
	at := fmt.Sprintf("%s:%d: %s %q", name, e.line, e.Name, e.Prompt+e.Source)
	for _, want := range e.Expect {
		d.expect(strings.Contains(got.Notice+"\n"+got.Injected, want), "%s: nothing in the answer says %q", at, want)
	}
	if e.ExpectNothing {
		d.expect(got.Injected == "", "%s: it got %d tokens and should get nothing", at, got.Tokens)
	}
}

func (d *demo) expect(ok bool, format string, args ...any) {
	d.report.Expectations++
	if !ok {
		d.report.Failures = append(d.report.Failures, fmt.Sprintf(format, args...))
	}
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
		filepath.Join(p.Sessions(), "*", ".work.lock"),
		filepath.Join(p.Index(), "*.sync"),
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

// look lists what the first session left in memory.
func (d *demo) look(ctx context.Context) error {
	items, err := d.memory.Items().List(ctx, memory.Filter{})
	if err != nil {
		return err
	}
	slices.Reverse(items) // oldest first
	for i := range items {
		it := &items[i].Item
		text := it.Content
		if it.Title != "" {
			text = it.Title + "\n" + text
		}
		d.report.Kept = append(d.report.Kept, demoItem{What: describe(it), Text: text})
	}
	if d.after != nil {
		d.after(d.report.Kept)
	}
	return nil
}

// examine sums up after the last session.
func (d *demo) examine(sessions int) error {
	r := &d.report
	var took []float64
	for i := range r.Played {
		p := &r.Played[i]
		took = append(took, p.MS)
		r.Tokens += p.Tokens
		if p.Session == sessions && p.Prompt != "" {
			r.Asked++
			if p.Injected != "" {
				r.Helped++
			}
		}
	}
	r.Events = len(took)
	if r.Events > 0 {
		slices.Sort(took)
		r.MedianMS, r.SlowestMS = took[len(took)/2], took[len(took)-1]
	}
	err := d.hookLog()
	d.expect(err == nil, "%v", err)
	return d.search()
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
