package planted

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Options are how [Play] plays.
type Options struct {
	Dir string // for homes and projects; the caller removes it
	// Program runs the program that is measured in a project, with a home of its own,
	// and returns what it prints. It must not leave work behind.
	Program  func(ctx context.Context, home, project string, stdin []byte, args ...string) ([]byte, error)
	Progress func(done, all int)
}

// Play plays the sessions of an author, in their order, by the events of the real
// client, in one home and in a folder for each project, and returns the instincts that
// the program has in the end. Every event names the line it came from.
func Play(ctx context.Context, a *Author, o *Options) ([]Instinct, error) {
	p := &player{o: o, author: a, home: filepath.Join(o.Dir, a.Name, "home"), projects: make(map[string]string)}
	for i := range a.Sessions {
		if o.Progress != nil {
			o.Progress(i, len(a.Sessions))
		}
		if err := p.session(ctx, &a.Sessions[i]); err != nil {
			return nil, fmt.Errorf("%s-%s: %w", a.Name, a.Sessions[i].Name, err)
		}
	}
	return p.instincts(ctx)
}

type player struct {
	o        *Options
	author   *Author
	home     string
	projects map[string]string // as scripts name them → where they lie
	project  string
	id       string // of the session
}

// place makes the folder of a project, as a repository on a branch.
func (p *player) place(ctx context.Context, s *Session) error {
	dir, known := p.projects[s.Project]
	if !known {
		dir = filepath.Join(p.o.Dir, p.author.Name, "projects", strconv.Itoa(len(p.projects)), filepath.Base(s.Project))
		p.projects[s.Project] = dir
	}
	p.project = dir
	git := filepath.Join(dir, ".git")
	err := errors.Join(
		os.MkdirAll(p.home, 0o700), os.MkdirAll(filepath.Join(git, "objects"), 0o700), os.MkdirAll(filepath.Join(git, "refs"), 0o700),
		os.WriteFile(filepath.Join(git, "config"), []byte("[core]\n\trepositoryformatversion = 0\n"), 0o600),
		os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/"+s.Branch+"\n"), 0o600),
	)
	if err == nil && !known {
		_, err = p.o.Program(ctx, p.home, dir, nil, "init")
	}
	return err
}

func (p *player) session(ctx context.Context, s *Session) error {
	if err := p.place(ctx, s); err != nil {
		return err
	}
	p.id = p.author.Name + "-" + s.Name
	if err := p.event(ctx, "SessionStart", map[string]any{"source": "startup"}); err != nil {
		return err
	}
	for i := range s.Lines {
		if err := p.line(ctx, s, i); err != nil {
			return fmt.Errorf("line %d: %w", s.Lines[i].Number, err)
		}
	}
	return p.event(ctx, "SessionEnd", map[string]any{"reason": "other"})
}

// line plays a line. What an agent says before it goes on is told to nobody; what it
// says last, before the person speaks again, ends its turn.
func (p *player) line(ctx context.Context, s *Session, i int) error {
	l := &s.Lines[i]
	name := s.Name + ":" + strconv.Itoa(l.Number)
	switch {
	case l.User != "":
		if i > 0 && s.Lines[i-1].Agent == "" {
			if err := p.event(ctx, "Stop", map[string]any{"last_assistant_message": ""}); err != nil {
				return err
			}
		}
		return p.event(ctx, "UserPromptSubmit", map[string]any{"prompt": l.User, "prompt_id": name})
	case l.Tool != "":
		return p.call(ctx, s, l, name)
	case i+1 < len(s.Lines) && s.Lines[i+1].User == "":
		return nil
	}
	return p.event(ctx, "Stop", map[string]any{"last_assistant_message": l.Agent, "stop_hook_active": false})
}

// call plays a tool call, before and after it ran, in the forms that the client was
// recorded with.
func (p *player) call(ctx context.Context, s *Session, l *Line, name string) error {
	input := json.RawMessage(bytes.ReplaceAll(l.Input, []byte(s.Project), []byte(p.project)))
	out := strings.ReplaceAll(l.Out, s.Project, p.project)
	call := func(more map[string]any) map[string]any {
		more["tool_name"], more["tool_input"], more["tool_use_id"] = l.Tool, input, name
		return more
	}
	if err := p.event(ctx, "PreToolUse", call(map[string]any{})); err != nil {
		return err
	}
	if !l.OK {
		if l.Tool == "Bash" {
			out = "Exit code 1\n" + out
		}
		return p.event(ctx, "PostToolUseFailure", call(map[string]any{"error": out, "is_interrupt": false}))
	}
	return p.event(ctx, "PostToolUse", call(map[string]any{"tool_response": response(l.Tool, input, out)}))
}

// response is what the client says that a tool answered.
func response(tool string, input json.RawMessage, out string) any {
	var in struct {
		File string `json:"file_path"`
	}
	_ = json.Unmarshal(input, &in)
	switch tool {
	case "Bash":
		return map[string]any{"stdout": out, "stderr": "", "interrupted": false, "isImage": false}
	case "Read":
		return map[string]any{"type": "text", "file": map[string]any{"filePath": in.File, "content": out, "numLines": strings.Count(out, "\n") + 1}}
	case "Write":
		return map[string]any{"type": "create", "filePath": in.File, "structuredPatch": []any{}, "userModified": false}
	case "Edit":
		return map[string]any{"filePath": in.File, "structuredPatch": []any{}, "userModified": false, "replaceAll": false}
	}
	return out
}

func (p *player) event(ctx context.Context, name string, more map[string]any) error {
	more["hook_event_name"], more["session_id"], more["cwd"], more["permission_mode"] = name, p.id, p.project, "acceptEdits"
	event, err := json.Marshal(more)
	if err != nil {
		return err
	}
	_, err = p.o.Program(ctx, p.home, p.project, event, "hook")
	return err
}

// instincts asks the program what it has learned in each project, and leads each piece
// of evidence back to its line.
func (p *player) instincts(ctx context.Context) ([]Instinct, error) {
	lines, err := p.lines()
	if err != nil {
		return nil, err
	}
	var out []Instinct
	seen := make(map[string]bool)
	for _, dir := range p.projects {
		data, err := p.o.Program(ctx, p.home, dir, nil, "instinct", "list", "--json")
		if err != nil {
			return nil, err
		}
		var all []struct {
			ID, Kind, Trigger, Action string
			Confidence                float64
			Evidence                  []struct {
				Session string
				Turn    int64
				Text    string
			}
		}
		if err := json.Unmarshal(data, &all); err != nil {
			return nil, fmt.Errorf("instinct list: %w", err)
		}
		for _, one := range all {
			if seen[one.ID] {
				continue // it holds in several projects
			}
			seen[one.ID] = true
			in := Instinct{ID: one.ID, Kind: one.Kind, Trigger: one.Trigger, Action: one.Action, Confidence: one.Confidence}
			for _, e := range one.Evidence {
				s, ok := lines[e.Session][e.Turn]
				if !ok {
					s.Session = "?"
				}
				s.Text = e.Text
				in.Seen = append(in.Seen, s)
			}
			out = append(out, in)
		}
	}
	return out, nil
}

// lines are the lines of the events of all journals, by session and number.
func (p *player) lines() (map[string]map[int64]Seen, error) {
	files, err := filepath.Glob(filepath.Join(p.home, ".orihon", "projects", "*", "sessions", "*", "journal.jsonl"))
	if err != nil {
		return nil, err
	}
	out := make(map[string]map[int64]Seen)
	for _, f := range files {
		data, err := os.Open(f)
		if err != nil {
			return nil, err
		}
		of := make(map[int64]Seen)
		scan := bufio.NewScanner(data)
		scan.Buffer(nil, 16<<20)
		for scan.Scan() {
			var e struct {
				Seq int64
				ID  string
			}
			if json.Unmarshal(scan.Bytes(), &e) != nil {
				continue
			}
			if session, line, ok := strings.Cut(e.ID, ":"); ok {
				if n, err := strconv.Atoi(line); err == nil {
					of[e.Seq] = Seen{Session: session, Line: n}
				}
			}
		}
		if err := errors.Join(scan.Err(), data.Close()); err != nil {
			return nil, err
		}
		out[filepath.Base(filepath.Dir(f))] = of
	}
	return out, nil
}
