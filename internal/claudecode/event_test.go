package claudecode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/claudecode"
	"orihon/memory"
)

// recorded yields the lines of all recordings whose name begins with prefix.
func recorded(t testing.TB, prefix string) [][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", prefix+"*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings %s: %v", prefix, err)
	}
	var lines [][]byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, bytes.Split(bytes.TrimSpace(data), []byte("\n"))...)
	}
	return lines
}

func TestEveryRecordedEventIsUnderstood(t *testing.T) {
	for i, line := range recorded(t, "hook-events-") {
		e, err := claudecode.Parse(bytes.NewReader(line))
		if err != nil {
			t.Errorf("event %d: %v", i, err)
			continue
		}
		var want map[string]any
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		back, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(back, &got); err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			switch name {
			case "effort", "background_tasks", "session_crons", "prompt_cache_likely_expired", "estimated_cache_write_usd":
				continue // nothing of ours depends on them
			}
			if value == nil {
				value = ""
			}
			if diff := cmp.Diff(value, got[name]); diff != "" {
				t.Errorf("event %d (%s), %s (-recorded +parsed):\n%s", i, e.Name, name, diff)
			}
		}
	}
}

func TestParseForgivesWhatItDoesNotNeed(t *testing.T) {
	in := "\ufeff{\"hook_event_name\": \"UserPromptSubmit\", \"prompt\": \"記住 這個\", \"prompt_id\": 7," +
		" \"stop_hook_active\": \"yes\", \"duration_ms\": {}, \"cwd\": null, \"future\": [1]}\n"
	e, err := claudecode.Parse(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(claudecode.Event{Name: claudecode.UserPromptSubmit, Prompt: "記住 這個"}, e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseRefusesWhatIsNoEvent(t *testing.T) {
	for name, in := range map[string]string{
		"nothing":          "",
		"no object":        `["hook_event_name"]`,
		"cut off":          `{"hook_event_name": "Stop"`,
		"no name":          `{"session_id": "a"}`,
		"a name of digits": `{"hook_event_name": 1}`,
		"a session path":   `{"hook_event_name": "Stop", "session_id": "../../etc"}`,
		"a hidden session": `{"hook_event_name": "Stop", "session_id": ".lock"}`,
		"an agent path":    `{"hook_event_name": "SubagentStop", "agent_id": "a/b"}`,
		"too large":        `{"hook_event_name": "Stop", "prompt": "` + strings.Repeat("x", claudecode.MaxEvent) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if e, err := claudecode.Parse(strings.NewReader(in)); !errors.Is(err, memory.ErrInvalid) {
				t.Errorf("Parse = %+v, %v; want an error that is ErrInvalid", e.Name, err)
			}
		})
	}
}

func TestEncodeSaysOnlyWhatTheEventTakes(t *testing.T) {
	full := claudecode.Answer{Context: "a <fact> & 事實", SystemMessage: "note", Block: "not yet"}
	for _, tc := range []struct {
		event  claudecode.Name
		answer claudecode.Answer
		want   string
	}{
		{claudecode.SessionStart, claudecode.Answer{}, ""},
		{claudecode.SessionStart, claudecode.Answer{Context: " \n"}, ""},
		{claudecode.SessionStart, full, `{"systemMessage":"note","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a <fact> & 事實"}}`},
		{claudecode.PostToolUse, full, `{"decision":"block","reason":"not yet","systemMessage":"note","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"a <fact> & 事實"}}`},
		{claudecode.SubagentStart, full, `{"systemMessage":"note","hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"a <fact> & 事實"}}`},
		{claudecode.Stop, full, `{"decision":"block","reason":"not yet","systemMessage":"note"}`},
		{claudecode.PreCompact, full, `{"decision":"block","reason":"not yet"}`},
		{claudecode.PostCompact, full, ""},
		{claudecode.SessionEnd, full, ""},
	} {
		if got := strings.TrimSuffix(string(tc.answer.Encode(tc.event)), "\n"); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.event, got, tc.want)
		}
	}
}

func TestContextIsCutAtALineBorder(t *testing.T) {
	line := strings.Repeat("折本🧠", 25) + "\n" // 100 code units and the newline
	for name, tc := range map[string]struct {
		in   string
		want int // code units
	}{
		"fits":          {strings.Repeat("x", claudecode.MaxContext), claudecode.MaxContext},
		"lines":         {strings.Repeat(line, 200), 99*101 - 1},
		"one long line": {strings.Repeat("🧠", 9000), claudecode.MaxContext},
		"CRLF":          {strings.Repeat(strings.Repeat("x", 98)+"\r\n", 200), 9998},
	} {
		t.Run(name, func(t *testing.T) {
			var out struct {
				Specific struct {
					Context string `json:"additionalContext"`
				} `json:"hookSpecificOutput"`
			}
			raw := claudecode.Answer{Context: tc.in}.Encode(claudecode.SessionStart)
			if err := json.Unmarshal(raw, &out); err != nil {
				t.Fatal(err)
			}
			got := out.Specific.Context
			if units := len(utf16.Encode([]rune(got))); units != tc.want {
				t.Errorf("%d code units, want %d", units, tc.want)
			}
			if !strings.HasPrefix(tc.in, got) || !utf8.ValidString(got) {
				t.Error("not a piece of the context")
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range recorded(f, "hook-events-") {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := claudecode.Parse(bytes.NewReader(raw))
		if err != nil {
			if !errors.Is(err, memory.ErrInvalid) {
				t.Fatalf("error without a cause: %v", err)
			}
			return
		}
		if e.Name == "" || strings.ContainsAny(e.SessionID, `/\`) {
			t.Fatalf("took %+v", e)
		}
		_, output, _ := claudecode.ToolText(e)
		if strings.Contains(output, "<system-reminder>") {
			t.Fatalf("a reminder in %q", output)
		}
	})
}
