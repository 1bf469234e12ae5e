package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"orihon"
	"orihon/follow"
	"orihon/internal/activity"
	"orihon/internal/transcript"
	"orihon/memory"
)

// Warning is what the guardian said at one event of a replayed session.
type Warning struct {
	Session string `json:"session"`
	Turn    int    `json:"turn"` // which prompt it came behind, from 1
	Call    int    `json:"call"` // how many calls there were so far
	Rule    string `json:"rule"`
	Why     string `json:"why"`
	Text    string `json:"text"`
}

// Watched is a session whose events went by the guardian.
type Watched struct {
	Session  string    `json:"session"`
	Turns    int       `json:"turns"`
	Calls    int       `json:"calls"`
	Tokens   int       `json:"tokens"` // of all that was said
	Warnings []Warning `json:"warnings"`
}

// WatchOptions of [Watch].
type WatchOptions struct {
	Dir      string // a folder of its own for homes and projects
	Settings map[string]string
	Logger   *slog.Logger // nil discards
}

// Watch plays a transcript of Claude Code as hooks would have told it: prompts,
// calls and answers, one after another, in a fresh home. The project holds as
// much of its files as the session itself has read, documents from the start.
func Watch(ctx context.Context, path string, o *WatchOptions) (Watched, error) {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	w := watching{Watched: Watched{Session: name}, ctx: ctx, o: o, files: newLikeness(filepath.Join(o.Dir, "project")), calls: map[string]transcript.Entry{}}
	defer os.RemoveAll(o.Dir)
	entries, err := readTranscript(path, filepath.Join(o.Dir, "transcript.jsonl"))
	if err != nil {
		return w.Watched, err
	}
	for i := range entries {
		if w.cwd == "" {
			w.cwd = entries[i].CWD
		}
	}
	w.files.cwd = w.cwd
	for i := range entries {
		if e := &entries[i]; e.Kind == transcript.ToolUse {
			w.calls[e.ToolUseID] = *e
		} else if call, ok := w.calls[e.ToolUseID]; ok && e.Kind == transcript.ToolResult && !e.IsError {
			w.files.read(&call, e.Output, true)
		}
	}
	if err := w.do(func(s *follow.Session) error {
		if _, err := s.Begin(ctx, "startup"); err != nil {
			return err
		}
		return s.Work(ctx)
	}); err != nil {
		return w.Watched, err
	}
	for i := range entries {
		if err := w.entry(&entries[i]); err != nil {
			return w.Watched, fmt.Errorf("%s: %w", name, err)
		}
	}
	return w.Watched, nil
}

// readTranscript reads a transcript, which may be compressed.
func readTranscript(path, plain string) (out []transcript.Entry, err error) {
	if err := os.MkdirAll(filepath.Dir(plain), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(plain, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	b := bufio.NewWriter(f)
	err = readLines(path, "", func(line []byte, _ int) error { _, err := b.Write(line); return err })
	if err == nil {
		err = b.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	_, _, err = transcript.Read(plain, 0, func(e transcript.Entry) error {
		if !e.Sidechain && !e.Meta {
			out = append(out, e)
		}
		return nil
	})
	return out, err
}

// watching is one replay.
type watching struct {
	Watched
	ctx   context.Context
	o     *WatchOptions
	cwd   string
	files *likeness
	calls map[string]transcript.Entry
	heard int // records of the audit
}

func (w *watching) do(fn func(*follow.Session) error) error {
	m, err := orihon.Open(w.ctx, &orihon.Options{Home: filepath.Join(w.o.Dir, "home"), Dir: w.files.root, User: person, GitConfig: []string{}, Settings: w.o.Settings, Logger: w.o.Logger})
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := m.Session(w.ctx, w.Session, follow.Client{Name: "claude-code", CWD: w.cwd})
	if err != nil {
		return err
	}
	if err := fn(s); err != nil {
		return err
	}
	records, err := m.Items().Audits(w.ctx, &memory.AuditFilter{Op: memory.AuditGuard})
	if err != nil {
		return err
	}
	for _, r := range records[w.heard:] {
		w.Warnings = append(w.Warnings, Warning{w.Session, w.Turns, w.Calls, strings.TrimPrefix(r.By, "guard: "), r.Why, ""})
	}
	w.heard = len(records)
	return nil
}

// say gives the latest warnings their text.
func (w *watching) say(before int, in follow.Injection) {
	for i := before; i < len(w.Warnings); i++ {
		w.Warnings[i].Text = in.Text
	}
	if len(w.Warnings) > before {
		w.Tokens += in.Tokens
	}
}

func (w *watching) entry(e *transcript.Entry) error {
	before := len(w.Warnings)
	switch e.Kind {
	case transcript.User:
		if e.Text == "" {
			return nil
		}
		w.Turns++
		var in follow.Injection
		err := w.do(func(s *follow.Session) (err error) {
			if err := s.Work(w.ctx); err != nil { // what the turn before left
				return err
			}
			in, err = s.Prompt(w.ctx, e.UUID, e.Text)
			return err
		})
		w.say(before, in)
		return err
	case transcript.ToolResult:
		call, ok := w.calls[e.ToolUseID]
		if !ok {
			return nil
		}
		w.Calls++
		if !e.IsError {
			w.files.read(&call, e.Output, false)
			w.files.edit(&call)
		}
		var in follow.Injection
		err := w.do(func(s *follow.Session) error {
			err := s.Action(w.ctx, follow.Action{ID: e.ToolUseID, Tool: call.Tool, Input: call.Input, Output: e.Output, Error: e.IsError})
			in = s.Reminder()
			return err
		})
		w.say(before, in)
		return err
	}
	return nil
}

// likeness is a project as far as a transcript shows it.
type likeness struct {
	root, cwd string
	known     map[string]string
}

func newLikeness(root string) *likeness {
	_ = os.MkdirAll(root, 0o700)
	return &likeness{root: root, known: map[string]string{}}
}

func (l *likeness) place(file string) string {
	rel := activity.Relative(l.cwd, file)
	if rel == file || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return ""
	}
	return rel
}

// read takes in what a call has read: at the beginning the documents, each once,
// then whatever is new.
func (l *likeness) read(call *transcript.Entry, output string, documents bool) {
	a := activity.New(call.Tool, call.Input, nil)
	if a.Effect() != activity.Reading || len(a.Files) != 1 {
		return
	}
	rel := l.place(a.Files[0])
	text := unnumbered(output)
	if rel == "" || text == "" || documents != strings.HasSuffix(rel, ".md") {
		return
	}
	old, known := l.known[rel]
	switch {
	case !known:
		l.write(rel, text)
	case !strings.Contains(old, text):
		l.write(rel, old+"\n"+text)
	}
}

// unnumbered is what a file says, without the numbers of its lines.
func unnumbered(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		number, text, ok := strings.Cut(line, "→")
		if _, err := strconv.Atoi(strings.TrimSpace(number)); ok && err == nil {
			b.WriteString(text)
		}
	}
	return b.String()
}

func (l *likeness) edit(call *transcript.Entry) {
	a := activity.New(call.Tool, call.Input, nil)
	if a.Effect() != activity.Editing || len(a.Files) != 1 {
		return
	}
	rel := l.place(a.Files[0])
	if rel == "" {
		return
	}
	if text := a.Text("content"); text != "" {
		l.write(rel, text)
		return
	}
	old, now := a.Text("old_string"), a.Text("new_string")
	var all struct {
		All bool `json:"replace_all"`
	}
	_ = json.Unmarshal(call.Input, &all)
	n := 1
	if all.All {
		n = -1
	}
	text := l.known[rel]
	if old != "" && strings.Contains(text, old) {
		l.write(rel, strings.Replace(text, old, now, n))
	} else {
		l.write(rel, text+"\n"+now)
	}
}

func (l *likeness) write(rel, text string) {
	l.known[rel] = text
	path := filepath.Join(l.root, filepath.FromSlash(rel))
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = os.WriteFile(path, []byte(text), 0o600)
	}
}
