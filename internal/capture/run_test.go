package capture_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon/internal/capture"
	"orihon/journal"

	"github.com/google/go-cmp/cmp"
)

// story is a session in the making; each step becomes events of a journal.
type story struct {
	t  testing.TB
	j  *journal.Journal
	at time.Time
	n  int
}

const storyCWD = "/home/ann/shop"

func newStory(t testing.TB) *story {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "s1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, j: j, at: time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC)}
	s.add(journal.RunStarted, "r1", journal.Run{Source: "startup", CWD: storyCWD, Branch: "main"})
	return s
}

func (s *story) add(typ journal.Type, id string, payload any) {
	s.t.Helper()
	e, err := journal.New(typ, id, payload)
	if err != nil {
		s.t.Fatal(err)
	}
	s.at = s.at.Add(time.Second)
	e.TS = s.at
	if _, err := s.j.Append(s.t.Context(), e); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) id() string {
	s.n++
	return "id" + string(rune('a'+s.n/26)) + string(rune('a'+s.n%26))
}

func (s *story) asks(text string) *story {
	s.t.Helper()
	s.add(journal.UserMessage, s.id(), journal.Message{Role: "user", Text: text})
	return s
}

func (s *story) says(text string) *story {
	s.t.Helper()
	s.add(journal.AssistantMessage, s.id(), journal.Message{Role: "assistant", Text: text})
	return s
}

// does records a call; output that begins with "!" is an error.
func (s *story) does(tool string, input map[string]any, output string) *story {
	s.t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		s.t.Fatal(err)
	}
	id := s.id()
	text, failed := strings.CutPrefix(output, "!")
	s.add(journal.ActionRequest, id, journal.Action{Tool: tool, Input: raw})
	s.add(journal.ActionResult, id, journal.Result{Tool: tool, Output: text, Error: failed})
	return s
}

func (s *story) runs(command, output string) *story {
	s.t.Helper()
	return s.does("Bash", map[string]any{"command": command}, output)
}

func (s *story) edits(file string) *story {
	s.t.Helper()
	return s.does("Edit", map[string]any{"file_path": storyCWD + "/" + file, "old_string": "a", "new_string": "b"}, "ok")
}

func (s *story) reads(file string) *story {
	s.t.Helper()
	return s.does("Read", map[string]any{"file_path": storyCWD + "/" + file}, "text")
}

func (s *story) run() capture.Run {
	s.t.Helper()
	r, err := capture.ReadRun(s.t.Context(), s.j)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func TestReadRunPairsCallsWithTheirResults(t *testing.T) {
	s := newStory(t)
	s.asks("mend the cart").says("I look at it.")
	request := func(id, command string) {
		s.add(journal.ActionRequest, id, journal.Action{Tool: "Bash", Input: json.RawMessage(`{"command":"` + command + `","timeout":{"odd":1}}`)})
	}
	request("t1", "go build ./...")
	request("t2", "go vet ./...")
	request("t3", "sleep 100")
	s.add(journal.ActionResult, "t2", journal.Result{Tool: "Bash", Output: "bad", Error: true})
	s.add(journal.ActionResult, "t1", journal.Result{Tool: "Bash", Output: "good"})
	s.add(journal.ActionResult, "t9", journal.Result{Tool: "Read", Files: []string{"a.go"}})
	s.add(journal.Compacted, "c1", journal.Compaction{Trigger: "manual"})
	s.add(journal.RunStarted, "r2", journal.Run{Source: "resume", CWD: "/home/ann/shop/web", Branch: "fix"})
	got := s.run()

	type call struct {
		Tool, Command, Output string
		Files                 []string
		Done, Failed          bool
	}
	var calls []call
	for _, a := range got.Actions {
		calls = append(calls, call{a.Tool, a.Command, a.Output, a.Files, a.Done, a.Failed})
	}
	want := []call{
		{"Bash", "go build ./...", "good", nil, true, false},
		{"Bash", "go vet ./...", "bad", nil, true, true},
		{"Bash", "sleep 100", "", nil, false, false},
		{"Read", "", "", []string{"a.go"}, true, false},
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	if got.CWD != storyCWD || got.Branch != "fix" || got.Compactions != 1 {
		t.Errorf("cwd %q, branch %q, %d compactions; want the first folder, the last branch, 1", got.CWD, got.Branch, got.Compactions)
	}
	if len(got.Prompts) != 1 || got.Prompts[0].Text != "mend the cart" || len(got.Answers) != 1 {
		t.Errorf("prompts %v, answers %v", got.Prompts, got.Answers)
	}
	if d := got.Ended.Sub(got.Started); d != 10*time.Second {
		t.Errorf("the run took %v, want 10s", d)
	}
}

func TestReadRunPassesOverWhatCannotBeRead(t *testing.T) {
	s := newStory(t)
	s.asks("first").runs("make", strings.Repeat("長", 40_000)+"!end")
	f, err := os.OpenFile(s.j.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("no json\n" + `{"seq":90,"type":"USER_MESSAGE","id":"x","payload":[1]}` + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s.asks("second")
	r := s.run()
	var texts []string
	for _, p := range r.Prompts {
		texts = append(texts, p.Text)
	}
	if diff := cmp.Diff([]string{"first", "second"}, texts); diff != "" {
		t.Errorf("prompts (-want +got):\n%s", diff)
	}
	if out := r.Actions[0].Output; len(out) > 8<<10 || !strings.HasSuffix(out, "長!end") || !strings.HasPrefix(out, "長") {
		t.Errorf("output has %d bytes, from %q to %q: want the end of it, in whole characters", len(out), out[:3], out[len(out)-7:])
	}
}

func TestReadRunOfAJournalThatDoesNotExistIsEmpty(t *testing.T) {
	j, err := journal.Open(filepath.Join(t.TempDir(), "none"), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := capture.ReadRun(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := only(r); ok {
		t.Error("something was made of nothing")
	}
}

func TestReadRunEndsWithItsContext(t *testing.T) {
	s := newStory(t)
	s.asks("anything")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := capture.ReadRun(ctx, s.j); err == nil {
		t.Error("a cancelled context was no error")
	}
}

func FuzzReadRun(f *testing.F) {
	f.Add([]byte(`{"seq":1,"ts":"2026-08-01T09:00:00Z","iter":1,"type":"USER_MESSAGE","id":"p","payload":{"text":"Fix the 購物車. We decided to use Go."}}` + "\n"))
	f.Add([]byte(`{"seq":1,"type":"ACTION_REQUEST","id":"t","payload":{"tool":"Bash","input":{"command":"cd a && git log 'x;y' | tail","path":3}}}` + "\n" +
		`{"seq":2,"type":"ACTION_RESULT","id":"t","payload":{"tool":"Bash","output":"Exit code 1\nerror: \u001b[31mred","error":true}}` + "\n" +
		`{"seq":3,"type":"USER_MESSAGE","payload":{"text":"why? <system-reminder>x"}}` + "\n"))
	f.Add([]byte(`{"seq":1,"type":"ACTION_RESULT","payload":{"ref":"io/00","size":1}}` + "\nnull\n[]\n{"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), lines, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := journal.Open(dir, nil)
		if err != nil {
			t.Skip(err)
		}
		r, err := capture.ReadRun(t.Context(), j)
		if err != nil {
			t.Fatalf("a journal of foreign lines is an error: %v", err)
		}
		checkSummary(t, r)
	})
}
