package orihon_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"orihon"
	"orihon/follow"
	"orihon/journal"
	"orihon/memory"
)

// thorough reports whether the checks that take minutes are wanted: .ci/long sets it.
func thorough() bool { return os.Getenv("ORIHON_LONG") != "" }

func TestMain(m *testing.M) {
	if home := os.Getenv(writerEnv); home != "" {
		if err := rememberAndRecall(home, os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Every run of a property opens homes of its own; -rapid.checks asks for more.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// tb is what the steps below need of a test; rapid's T has it too.
type tb interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

var start = time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC)

// place is a home and a project of its own, with a clock that moves on by a
// second each time it is read.
type place struct {
	home, dir string
	seconds   atomic.Int64
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return &place{home: filepath.Join(t.TempDir(), "home"), dir: t.TempDir()}
}

func (p *place) now() time.Time {
	return start.Add(time.Duration(p.seconds.Add(1)) * time.Second)
}

// later lets time pass.
func (p *place) later(d time.Duration) { p.seconds.Add(int64(d / time.Second)) }

// open opens the memory of ann, unless change says otherwise.
func (p *place) open(t tb, change ...func(*orihon.Options)) *orihon.Memory {
	t.Helper()
	o := &orihon.Options{Home: p.home, Dir: p.dir, User: "ann", GitConfig: []string{}, Now: p.now}
	for _, c := range change {
		c(o)
	}
	m, err := orihon.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func readOnly(o *orihon.Options) { o.ReadOnly = true }

func as(user string) func(*orihon.Options) {
	return func(o *orihon.Options) { o.User = user }
}

func set(key, value string) func(*orihon.Options) {
	return func(o *orihon.Options) {
		settings := map[string]string{key: value}
		for k, v := range o.Settings {
			settings[k] = v
		}
		o.Settings = settings
	}
}

func remember(t tb, m *orihon.Memory, text string) memory.Item {
	t.Helper()
	return state(t, m, orihon.Statement{Text: text})
}

func state(t tb, m *orihon.Memory, s orihon.Statement) memory.Item {
	t.Helper()
	out, err := m.Remember(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

func recall(t tb, m *orihon.Memory, prompt string) *memory.Recollection {
	t.Helper()
	r, err := m.Recall(t.Context(), memory.Query{Text: prompt})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// finds reports whether recall brings a text, and fails when recall was not at
// its best.
func finds(t tb, m *orihon.Memory, prompt, text string) bool {
	t.Helper()
	r := recall(t, m, prompt)
	if len(r.Degraded) > 0 {
		t.Errorf("recall of %q is degraded: %v", prompt, r.Degraded)
	}
	return strings.Contains(r.Text, text)
}

func list(t tb, m *orihon.Memory, f memory.Filter) []memory.Stored {
	t.Helper()
	out, err := m.Items().List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func contents(items []memory.Stored) []string {
	out := make([]string, len(items))
	for i := range items {
		out[i] = items[i].Item.Content
	}
	slices.Sort(out)
	return out
}

func session(t tb, m *orihon.Memory, id string) *follow.Session {
	t.Helper()
	s, err := m.Session(t.Context(), id, follow.Client{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// prompt gives a session a prompt by way of a handle of its own, as a hook
// does.
func (p *place) prompt(t tb, sessionID, promptID, text string, change ...func(*orihon.Options)) follow.Injection {
	t.Helper()
	m := p.open(t, append(change, readOnly)...)
	defer m.Close()
	in, err := session(t, m, sessionID).Prompt(t.Context(), promptID, text)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// do runs one step of a session by way of a handle of its own.
func (p *place) do(t tb, sessionID string, step func(context.Context, *follow.Session) error, change ...func(*orihon.Options)) {
	t.Helper()
	m := p.open(t, append(change, readOnly)...)
	defer m.Close()
	if err := step(t.Context(), session(t, m, sessionID)); err != nil {
		t.Fatal(err)
	}
}

func (p *place) begin(t tb, sessionID, source string) follow.Injection {
	t.Helper()
	var in follow.Injection
	p.do(t, sessionID, func(ctx context.Context, s *follow.Session) (err error) {
		in, err = s.Begin(ctx, source)
		return err
	})
	return in
}

func (p *place) end(t tb, sessionID string) {
	t.Helper()
	p.do(t, sessionID, func(ctx context.Context, s *follow.Session) error { return s.End(ctx, "other") })
}

func (p *place) work(t tb) {
	t.Helper()
	m := p.open(t)
	defer m.Close()
	if err := m.Sessions().Work(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// events reads the journal of a session.
func (p *place) events(t tb, sessionID string) []journal.Event {
	t.Helper()
	m := p.open(t)
	defer m.Close()
	j, err := journal.Open(m.Project().Session(sessionID), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []journal.Event
	for e, err := range j.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func count(events []journal.Event, typ journal.Type) int {
	n := 0
	for i := range events {
		if events[i].Type == typ {
			n++
		}
	}
	return n
}

// private is the folder of what ann keeps of the project.
func (p *place) private(t tb) string {
	t.Helper()
	m := p.open(t)
	defer m.Close()
	return m.Project().Private
}

func write(t tb, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t tb, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// holding names the files below the home and the project that hold a text.
func (p *place) holding(t tb, text string) []string {
	t.Helper()
	var found []string
	for _, root := range []string{p.home, p.dir} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(text)) {
				rel, _ := filepath.Rel(root, path)
				found = append(found, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// trusting opens a memory whose user trusts the project's repository.
func (p *place) trusting(t tb, change ...func(*orihon.Options)) *orihon.Memory {
	t.Helper()
	m := p.open(t, change...)
	if err := m.Repository().Trust(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}
