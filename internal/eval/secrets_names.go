package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orihon"
	"orihon/follow"
)

// Names, ids and reasons that clients and folders give, and what hooks log.

func (b *bench) branches(all []planted) error {
	err := each(all, func(i int, p *planted) error {
		s, err := b.m.Session(b.ctx, fmt.Sprint("b", i), follow.Client{Name: "claude-code", Branch: "fix/" + p.bare})
		if err != nil {
			return err
		}
		return b.short(s)
	})
	return errors.Join(err, b.m.Sessions().Work(b.ctx), b.recalled("harbour light"))
}

// short is a session in few events, worked up.
func (b *bench) short(s *follow.Session) error {
	err := b.see(s.Begin(b.ctx, "startup"))
	_, perr := s.Prompt(b.ctx, "p", "please fix the harbour light")
	return errors.Join(err, perr, s.Action(b.ctx, follow.Action{ID: "t", Tool: "Read", Input: json.RawMessage(`{"file_path":"light.go"}`)}),
		s.Answer(b.ctx, "p", "It is fixed."), s.End(b.ctx, "exit"))
}

func (b *bench) toolNames(all []planted) error {
	return each(all, func(i int, p *planted) error {
		return b.session.Action(b.ctx, follow.Action{ID: fmt.Sprint("t", i), Tool: "mcp__" + p.bare + "__get", Input: json.RawMessage(`{}`), Output: "done"})
	})
}

// folders has a project below a folder that is called like a secret, and a
// session that moves through such folders.
func (b *bench) folders(all []planted) error {
	err := each(all, func(i int, p *planted) error {
		s, err := b.m.Session(b.ctx, fmt.Sprint("f", i), follow.Client{Name: "claude-code", CWD: filepath.Join(b.project, p.bare)})
		if err != nil {
			return err
		}
		return errors.Join(b.short(s), s.Action(b.ctx, follow.Action{ID: "r", Tool: "Read", Input: json.RawMessage(`{"file_path":"x.go"}`)}))
	})
	if err := errors.Join(err, b.m.Sessions().Work(b.ctx)); err != nil {
		return err
	}
	return each(all, func(i int, p *planted) error {
		dir := filepath.Join(b.project, p.bare)
		if err := makeRepository(dir); err != nil {
			return err
		}
		for range 2 { // the second time it is known
			m, err := orihon.Open(b.ctx, &orihon.Options{Home: b.home(), Dir: dir, User: person, GitConfig: []string{}, Settings: b.o.Settings})
			if err != nil {
				return err
			}
			if err := errors.Join(m.Register(b.ctx), m.Close()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *bench) sessionIDs(all []planted) error {
	err := each(all, func(i int, p *planted) error {
		s, err := b.m.Session(b.ctx, "run-"+p.bare, follow.Client{Name: "claude-code"})
		if err != nil {
			return err
		}
		if i < 4 {
			_, err = s.Prompt(b.ctx, "r", fmt.Sprintf("Remember: the crane %d lifts wood", i))
		}
		return errors.Join(err, b.short(s))
	})
	return errors.Join(err, b.m.Sessions().Work(b.ctx), b.recalled("harbour light"))
}

func (b *bench) eventIDs(all []planted) error {
	return each(all, func(i int, p *planted) error {
		_, err := b.session.Prompt(b.ctx, "p-"+p.bare, fmt.Sprint("look at crane ", i))
		return errors.Join(err,
			b.session.Action(b.ctx, follow.Action{ID: "t-" + p.bare, Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`), Output: "x"}),
			b.session.Answer(b.ctx, "p-"+p.bare, "done"), b.session.Report(b.ctx, "r-"+p.bare, "Explore", "found"),
			b.session.Tell(b.ctx, follow.TranscriptEntry{User: true, Prompt: "u-" + p.bare, ID: "v-" + p.bare, Text: fmt.Sprint("crane ", i)}))
	})
}

func (b *bench) agentKinds(all []planted) error {
	return each(all, func(i int, p *planted) error {
		return b.session.Report(b.ctx, fmt.Sprint("r", i), "agent "+p.bare, "found it")
	})
}

func (b *bench) reasons(all []planted) error {
	err := each(all, func(i int, p *planted) error {
		s, err := b.m.Session(b.ctx, fmt.Sprint("e", i), follow.Client{Name: "claude-code"})
		if err != nil {
			return err
		}
		return errors.Join(b.see(s.Begin(b.ctx, p.text)), s.Compact(b.ctx, p.text, ""), s.End(b.ctx, p.text))
	})
	if err != nil {
		return err
	}
	for n, part := range parts(all, 12) {
		why := "because\n" + strings.Join(texts(part), "\n\n")
		out, err := b.m.Remember(b.ctx, orihon.Statement{Text: fmt.Sprintf("Wagon %d carries coal number %d", n, n*11)})
		if err != nil {
			return err
		}
		if _, err = b.m.Items().Forget(b.ctx, out.Item.ID, why); err != nil {
			return err
		}
		if out, err = b.m.Remember(b.ctx, orihon.Statement{Text: fmt.Sprintf("Signal %d shows green on track %d", n, n*13)}); err != nil {
			return err
		}
		if _, err = b.m.Items().Archive(b.ctx, why, out.Item.ID); err != nil {
			return err
		}
	}
	return b.see(b.m.Items().Audits(b.ctx, nil))
}

// errNoHook says that no program was given to answer events.
var errNoHook = errors.New("no program to run")

// hookLogs is how many secrets are tried where each needs processes of its own.
const hookLogs = 12

func (b *bench) hook(event map[string]any) error {
	if b.o.Hook == nil {
		return errNoHook
	}
	raw, err := json.Marshal(event)
	if err != nil {
		return err
	}
	out, err := b.o.Hook(b.ctx, b.home(), b.project, raw)
	b.shown.Write(out)
	return err
}

func (b *bench) hooks(all []planted) error {
	// A process for each would take minutes: all texts share few events.
	var text strings.Builder
	for i := range all {
		fmt.Fprintf(&text, "Number %d:\n%s\n\n", i, all[i].text)
	}
	for _, e := range []map[string]any{
		{"hook_event_name": "SessionStart", "source": "startup"},
		{"hook_event_name": "UserPromptSubmit", "prompt": text.String(), "prompt_id": "p1"},
		{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]any{"command": text.String()}, "tool_response": map[string]any{"stdout": text.String()}},
		{"hook_event_name": "Stop", "last_assistant_message": text.String(), "prompt_id": "p1"},
		{"hook_event_name": "SessionEnd", "reason": "exit"},
	} {
		e["session_id"], e["cwd"] = "hooked", b.project
		if err := b.hook(e); err != nil {
			return err
		}
	}
	return nil
}

// hookLog makes hooks fail with a secret in what they would log.
func (b *bench) hookLog(all []planted) error {
	err := each(all, func(_ int, p *planted) error {
		return errors.Join(
			b.hook(map[string]any{"hook_event_name": "PreCompact", "session_id": "log-" + p.bare, "cwd": b.project, "trigger": "auto", "transcript_path": filepath.Join(b.dir, p.bare, "none.jsonl")}),
			b.hook(map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hello", "cwd": filepath.Join(b.dir, "none", p.bare)}))
	})
	if err == nil {
		_, err = os.Stat(filepath.Join(b.home(), "hook.log"))
	}
	return err
}
