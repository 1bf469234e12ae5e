package claudecode_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon"
	"orihon/follow"
	"orihon/internal/claudecode"
	"orihon/journal"
	"orihon/memory"
)

// desk is a project and a home in which events are handled as a hook does.
type desk struct {
	t         *testing.T
	home, dir string
	detached  []string // transcripts handed on
	log       bytes.Buffer
}

func newDesk(t *testing.T) *desk {
	return &desk{t: t, home: filepath.Join(t.TempDir(), "home"), dir: t.TempDir()}
}

func (d *desk) memory(ctx context.Context, readOnly bool) (*orihon.Memory, error) {
	return orihon.Open(ctx, &orihon.Options{Home: d.home, Dir: d.dir, User: "ann", GitConfig: []string{}, ReadOnly: readOnly})
}

func (d *desk) open(readOnly bool) *orihon.Memory {
	d.t.Helper()
	m, err := d.memory(d.t.Context(), readOnly)
	if err != nil {
		d.t.Fatal(err)
	}
	return m
}

func (d *desk) run(event string) (string, error) {
	d.t.Helper()
	h := claudecode.Handler{
		Open:   func(ctx context.Context, _ string) (*orihon.Memory, error) { return d.memory(ctx, true) },
		Detach: func(left *claudecode.Left) error { d.detached = append(d.detached, left.Transcript); return nil },
		Logger: slog.New(slog.NewTextHandler(&d.log, nil)),
	}
	var out bytes.Buffer
	err := h.Run(d.t.Context(), strings.NewReader(event), &out)
	return out.String(), err
}

// hook runs one event that must not fail.
func (d *desk) hook(fields map[string]any) string {
	d.t.Helper()
	if fields["session_id"] == nil {
		fields["session_id"] = "s1"
	}
	event, err := json.Marshal(fields)
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := d.run(string(event))
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

func (d *desk) sessionDir(id string) string {
	m := d.open(true)
	defer m.Close()
	return m.Project().Session(id)
}

// events reads a journal; text is what its messages say.
func (d *desk) events(id string) (events []journal.Event, text map[journal.Type][]string) {
	d.t.Helper()
	j, err := journal.Open(d.sessionDir(id), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	text = make(map[journal.Type][]string)
	for e, err := range j.Events(d.t.Context(), 0) {
		if err != nil {
			d.t.Fatal(err)
		}
		events = append(events, e)
		var m journal.Message
		if j.Decode(e, &m) == nil && m.Text != "" {
			text[e.Type] = append(text[e.Type], m.Text)
		}
	}
	return events, text
}

// named lists the identities of the events that have one.
func named(events []journal.Event) (out []string) {
	for _, e := range events {
		if e.ID != "" {
			out = append(out, string(e.Type)+" "+e.ID)
		}
	}
	return out
}

func TestARecordedSessionIsInTheJournalOnce(t *testing.T) {
	for _, version := range []string{"2.1.197", "2.1.329"} {
		t.Run(version, func(t *testing.T) {
			lines := recorded(t, "hook-events-"+version)
			transcript, err := filepath.Abs(filepath.Join("..", "transcript", "testdata", "transcript-"+version+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			d := newDesk(t)
			var id string
			var prompts, calls, answers, starts []string
			replay := func() {
				t.Helper()
				for i, line := range lines {
					e, err := claudecode.Parse(bytes.NewReader(line))
					if err != nil {
						t.Fatal(err)
					}
					id = e.SessionID
					switch e.Name {
					case claudecode.UserPromptSubmit:
						prompts = append(prompts, e.Prompt)
					case claudecode.PostToolUse, claudecode.PostToolUseFailure:
						calls = append(calls, e.ToolUseID)
					case claudecode.Stop:
						answers = append(answers, e.LastAssistantMessage)
					case claudecode.SessionStart:
						starts = append(starts, e.Source)
					}
					if _, err := d.run(string(line)); err != nil {
						t.Errorf("event %d %s: %v", i, e.Name, err)
					}
				}
			}
			replay()
			events, text := d.events(id)
			if diff := cmp.Diff(prompts, text[journal.UserMessage]); diff != "" {
				t.Errorf("prompts (-told +kept):\n%s", diff)
			}
			if diff := cmp.Diff(answers, text[journal.AssistantMessage]); diff != "" {
				t.Errorf("answers (-told +kept):\n%s", diff)
			}
			for _, typ := range []journal.Type{journal.ActionRequest, journal.ActionResult} {
				var got []string
				for _, e := range events {
					if e.Type == typ {
						got = append(got, e.ID)
					}
				}
				if diff := cmp.Diff(calls, got); diff != "" {
					t.Errorf("%s (-told +kept):\n%s", typ, diff)
				}
			}
			counts := make(map[journal.Type]int)
			for _, e := range events {
				counts[e.Type]++
			}
			if n := counts[journal.Compacted]; n != 1 {
				t.Errorf("%d compactions, want the one that was told of several times", n)
			}
			if n := counts[journal.Report]; n != 0 {
				t.Errorf("%d reports, want none: the only sub-agents are the client's own summarisers", n)
			}
			if len(starts) == 0 || counts[journal.RunStarted] == 0 {
				t.Error("no start is recorded")
			}
			if items := d.items(); len(items) != 0 {
				t.Errorf("what an assistant said was kept as if the user had: %q", items)
			}

			replay()
			again, _ := d.events(id)
			if diff := cmp.Diff(named(events), named(again)); diff != "" {
				t.Errorf("told twice (-once +twice):\n%s", diff)
			}

			m := d.open(false)
			defer m.Close()
			s, err := m.Session(t.Context(), id, follow.Client{Name: "claude-code"})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := claudecode.CatchUp(t.Context(), s, transcript); err != nil {
					t.Fatal(err)
				}
			}
			caught, text := d.events(id)
			if diff := cmp.Diff(prompts[:len(prompts)/2], text[journal.UserMessage]); diff != "" {
				t.Errorf("prompts after the transcript:\n%s", diff)
			}
			if diff := cmp.Diff(answers[:len(answers)/2], text[journal.AssistantMessage]); diff != "" {
				t.Errorf("answers after the transcript:\n%s", diff)
			}
			if diff := cmp.Diff([]string{"I will create the file."}, text[journal.Thought]); diff != "" {
				t.Errorf("what was said in between:\n%s", diff)
			}
			names := named(caught)
			slices.Sort(names)
			if n := len(slices.Compact(names)); n != len(named(caught)) {
				t.Errorf("%d identities for %d events", n, len(named(caught)))
			}
		})
	}
}

func (d *desk) items() (out []string) {
	d.t.Helper()
	m := d.open(false)
	defer m.Close()
	items, err := m.Items().List(d.t.Context(), memory.Filter{})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, s := range items {
		out = append(out, s.Item.Content)
	}
	return out
}

func TestAPromptIsAnsweredWithMemoryAndANotice(t *testing.T) {
	d := newDesk(t)
	out := d.hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt_id": "p1", "prompt": "記住：部署前要先跑 make check"})
	var answer struct {
		SystemMessage string `json:"systemMessage"`
		Specific      struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || !strings.Contains(answer.SystemMessage, "部署前要先跑 make check") || answer.Specific.Context != "" {
		t.Errorf("answered %q, %v; want a notice alone", out, err)
	}
	out = d.hook(map[string]any{"session_id": "s2", "hook_event_name": "UserPromptSubmit", "prompt_id": "p1", "prompt": "部署前要做什么？"})
	answer.SystemMessage = ""
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.Specific.Event != "UserPromptSubmit" || !strings.Contains(answer.Specific.Context, "make check") || answer.SystemMessage != "" {
		t.Errorf("answered %q, %v; want what was kept", out, err)
	}
	if out := d.hook(map[string]any{"session_id": "s2", "hook_event_name": "UserPromptSubmit", "prompt_id": "p2", "prompt": "ok"}); out != "" {
		t.Errorf("a prompt that says nothing is answered with %q", out)
	}
}

func TestACompactionIsBriefedOnce(t *testing.T) {
	d := newDesk(t)
	d.hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt_id": "p1", "prompt": "Fix the flaky wallaby test"})
	d.hook(map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "t1", "tool_input": map[string]any{"file_path": filepath.Join(d.dir, "wallaby_test.go")}, "tool_response": map[string]any{}})
	for range 3 {
		if out := d.hook(map[string]any{"hook_event_name": "PreCompact", "trigger": "auto", "transcript_path": filepath.Join(d.dir, "absent.jsonl")}); out != "" {
			t.Errorf("PreCompact prints %q", out)
		}
	}
	out := d.hook(map[string]any{"hook_event_name": "SessionStart", "source": "compact"})
	if !strings.Contains(out, "flaky wallaby test") || !strings.Contains(out, "wallaby_test.go") {
		t.Errorf("the brief is %q", out)
	}
	if out := d.hook(map[string]any{"hook_event_name": "SessionStart", "source": "compact"}); out != "" {
		t.Errorf("the second one is %q", out)
	}
	events, _ := d.events("s1")
	n := 0
	for _, e := range events {
		if e.Type == journal.Compacted {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d compactions in the journal", n)
	}
}

// Whether hooks, the transcript, both or neither name the prompts: each turn keeps its
// prompt and its answer once, told by hooks, by the transcript, or by both, and again.
func TestPromptsAndAnswersAreKeptOncePerTurn(t *testing.T) {
	turns := []string{"round the total", "go on", "go on", "write the changelog"}
	transcript := func(named bool) []byte {
		var lines bytes.Buffer
		for i, prompt := range turns {
			for _, l := range []map[string]any{
				{"type": "user", "uuid": fmt.Sprint("u", i), "message": map[string]any{"role": "user", "content": prompt}},
				{"type": "assistant", "uuid": fmt.Sprint("a", i), "message": map[string]any{"id": fmt.Sprint("m", i), "role": "assistant", "content": []any{map[string]any{"type": "text", "text": "Done."}}}},
			} {
				l["sessionId"], l["timestamp"] = "s1", "2026-08-01T09:00:00Z"
				if named && l["type"] == "user" {
					l["promptId"] = fmt.Sprint("p", i)
				}
				line, err := json.Marshal(l)
				if err != nil {
					t.Fatal(err)
				}
				lines.Write(append(line, '\n'))
			}
		}
		return lines.Bytes()
	}
	for name, tt := range map[string]struct {
		hooks func(turn int) int // how often a turn's hooks run
		tell  int                // how often the transcript is told
	}{
		"by hooks":                      {func(int) int { return 1 }, 0},
		"by hooks, twice":               {func(int) int { return 2 }, 0},
		"by the transcript, twice":      {func(int) int { return 0 }, 2},
		"by both":                       {func(int) int { return 1 }, 2},
		"by both, and a hook was lost":  {func(turn int) int { return min(1, turn%3) }, 2},
		"by both, and hooks came later": {func(turn int) int { return min(1, turn/2) }, 1},
	} {
		for _, names := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			t.Run(fmt.Sprintf("%s, hooks name %v, transcript %v", name, names[0], names[1]), func(t *testing.T) {
				d := newDesk(t)
				path := filepath.Join(d.dir, "t.jsonl")
				if err := os.WriteFile(path, transcript(names[1]), 0o600); err != nil {
					t.Fatal(err)
				}
				event := func(turn int, fields map[string]any) {
					if names[0] {
						fields["prompt_id"] = fmt.Sprint("p", turn)
					}
					d.hook(fields)
				}
				for i, prompt := range turns {
					for range tt.hooks(i) {
						event(i, map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": prompt})
					}
					for range tt.hooks(i) {
						event(i, map[string]any{"hook_event_name": "Stop", "last_assistant_message": "Done."})
					}
				}
				for range tt.tell {
					d.hook(map[string]any{"hook_event_name": "PreCompact", "trigger": "auto", "transcript_path": path})
				}
				_, text := d.events("s1")
				if got := text[journal.AssistantMessage]; len(got) != len(turns) {
					t.Errorf("%d answers, want %d", len(got), len(turns))
				}
				got := slices.Sorted(slices.Values(text[journal.UserMessage]))
				if diff := cmp.Diff(slices.Sorted(slices.Values(turns)), got); diff != "" {
					t.Errorf("prompts (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// No hook tells what the agent says between its calls. It stands before the answer of its
// turn, whether the client has written that answer when it says so or writes it later.
func TestWhatIsSaidBetweenCallsStandsBeforeTheAnswer(t *testing.T) {
	for name, late := range map[string]bool{"the answer is written": false, "the answer is written later": true} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			path := filepath.Join(d.dir, "t.jsonl")
			var lines []byte
			write := func(kind, id, prompt string, content any) {
				line, err := json.Marshal(map[string]any{
					"type": kind, "uuid": id, "promptId": prompt, "sessionId": "s1", "cwd": d.dir, "timestamp": "2026-08-01T09:00:00Z",
					"message": map[string]any{"role": kind, "id": "m" + id, "content": content},
				})
				if err != nil {
					t.Fatal(err)
				}
				lines = append(append(lines, line...), '\n')
				if err := os.WriteFile(path, lines, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			said := func(text string) any { return []any{map[string]any{"type": "text", "text": text}} }
			var want []string
			for i := range 3 {
				id := fmt.Sprint(i)
				prompt, between, answer := "do step "+id, "I look at step "+id, "step "+id+" is done"
				d.hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt_id": "p" + id, "prompt": prompt})
				write("user", "u"+id, "p"+id, prompt)
				write("assistant", "b"+id, "", said(between))
				call := map[string]any{"command": "make step" + id}
				write("assistant", "c"+id, "", []any{map[string]any{"type": "tool_use", "id": "t" + id, "name": "Bash", "input": call}})
				d.hook(map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t" + id, "tool_input": call, "tool_response": map[string]any{"stdout": "ok"}})
				write("user", "r"+id, "", []any{map[string]any{"type": "tool_result", "tool_use_id": "t" + id, "content": "ok"}})
				if !late {
					write("assistant", "a"+id, "", said(answer))
				}
				d.hook(map[string]any{"hook_event_name": "Stop", "prompt_id": "p" + id, "last_assistant_message": answer, "transcript_path": path})
				if late {
					write("assistant", "a"+id, "", said(answer))
				}
				want = append(want, prompt, between, answer)
			}
			d.hook(map[string]any{"hook_event_name": "PreCompact", "trigger": "auto", "transcript_path": path})
			events, _ := d.events("s1")
			var got []string
			for _, e := range events {
				var m struct{ Text string }
				if (e.Type == journal.UserMessage || e.Type == journal.Thought || e.Type == journal.AssistantMessage) && json.Unmarshal(e.Payload, &m) == nil {
					got = append(got, m.Text)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what was said (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlySubAgentsWithATypeReport(t *testing.T) {
	d := newDesk(t)
	d.hook(map[string]any{"hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": "", "last_assistant_message": "a summary"})
	if _, err := os.Stat(d.sessionDir("s1")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the client's own summariser began a session: %v", err)
	}
	d.hook(map[string]any{"hook_event_name": "SubagentStop", "agent_id": "a2", "agent_type": "Explore", "last_assistant_message": "found it"})
	if _, text := d.events("s1"); !slices.Equal(text[journal.Report], []string{"found it"}) {
		t.Errorf("reports %q", text[journal.Report])
	}
}

func TestWorkIsHandedOnWhereATurnEnds(t *testing.T) {
	d := newDesk(t)
	d.hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt_id": "p1", "prompt": "hello there"})
	if len(d.detached) != 0 {
		t.Errorf("a prompt starts %d processes", len(d.detached))
	}
	// A client writes a transcript a moment after it tells of the turn.
	path := filepath.Join(d.dir, "t.jsonl")
	d.hook(map[string]any{"hook_event_name": "Stop", "prompt_id": "p1", "last_assistant_message": "hi", "transcript_path": path})
	d.hook(map[string]any{"hook_event_name": "SessionEnd", "transcript_path": path})
	if diff := cmp.Diff([]string{"", path}, d.detached); diff != "" {
		t.Errorf("handed on:\n%s", diff)
	}
	if d.log.Len() > 0 {
		t.Errorf("a transcript that is not there yet is logged:\n%s", &d.log)
	}
}

func TestAFailureIsReturnedAndNothingPrinted(t *testing.T) {
	prompt := `{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt_id":"p1","prompt":"how do I deploy?"}`
	for name, spoil := range map[string]func(d *desk) error{
		"the journal is a folder":       func(d *desk) error { return os.MkdirAll(filepath.Join(d.sessionDir("s1"), "journal.jsonl"), 0o700) },
		"the sessions are a file":       func(d *desk) error { return inTheWay(filepath.Dir(d.sessionDir("s1"))) },
		"the project's space is a file": func(d *desk) error { return inTheWay(filepath.Dir(filepath.Dir(d.sessionDir("s1")))) },
		"the home is a file":            func(d *desk) error { return inTheWay(d.home) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			if err := spoil(d); err != nil {
				t.Fatal(err)
			}
			out, err := d.run(prompt)
			if err == nil || out != "" {
				t.Errorf("printed %q, %v; want an error and silence", out, err)
			}
		})
	}
	for _, event := range []string{"", "{", "[]", `{"hook_event_name":"Stop","session_id":"../x"}`} {
		if out, err := newDesk(t).run(event); !errors.Is(err, memory.ErrInvalid) || out != "" {
			t.Errorf("%q: printed %q, %v; want ErrInvalid and silence", event, out, err)
		}
	}
	d := newDesk(t)
	for _, event := range []string{`{"hook_event_name":"Notification","session_id":"s1"}`, `{"hook_event_name":"Stop"}`} {
		if out, err := d.run(event); err != nil || out != "" {
			t.Errorf("%s: printed %q, %v; want nothing at all", event, out, err)
		}
	}
	if _, err := os.Stat(d.home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("events that do nothing made a home: %v", err)
	}
}

func inTheWay(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte("in the way"), 0o600)
}

// A session that was begun in another project's folder and came here tells here
// what was said here alone.
func TestWhatWasSaidInAnotherProjectIsNotCaughtUpWith(t *testing.T) {
	d := newDesk(t)
	other := t.TempDir()
	var lines []byte
	for i, l := range []struct{ role, cwd, text string }{
		{"user", other, "the other project's secret plan"},
		{"assistant", other, "the plan is kept there"},
		{"assistant", d.dir, "still about the plan"},
		{"user", d.dir, "now look at the invoices"},
		{"assistant", d.dir, "they are in order"},
		{"user", other, "back to the plan"},
	} {
		line, err := json.Marshal(map[string]any{
			"type": l.role, "cwd": l.cwd, "uuid": fmt.Sprint("u", i), "promptId": fmt.Sprint("p", i), "timestamp": "2026-11-21T06:56:43Z",
			"message": map[string]any{"role": l.role, "id": fmt.Sprint("m", i), "content": []any{map[string]string{"type": "text", "text": l.text}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	m := d.open(false)
	defer m.Close()
	s, err := m.Session(t.Context(), "s1", follow.Client{Name: "claude-code"})
	if err != nil {
		t.Fatal(err)
	}
	if err := claudecode.CatchUp(t.Context(), s, path); err != nil {
		t.Fatal(err)
	}
	_, text := d.events("s1")
	if diff := cmp.Diff(map[journal.Type][]string{
		journal.UserMessage: {"now look at the invoices"}, journal.AssistantMessage: {"they are in order"},
	}, text); diff != "" {
		t.Errorf("what the journal holds:\n%s", diff)
	}
}
