package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const asked = "ORIHON_TEST_PLUGIN_HOST"

// TestMain lets the test binary be the program, in a process of its own: the
// bound on memory is for good.
func TestMain(m *testing.M) {
	if os.Getenv(asked) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func answer(t *testing.T, question map[string]any) string {
	t.Helper()
	in, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asked+"=1")
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestAPluginGetsItsQuestionAndAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "builder.ts")
	const code = `export default (ctx: any) => [{role: "user", content: ctx.task + ": " + ctx.journal.events().length}]`
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	got := answer(t, map[string]any{
		"plugin_path": path, "task": "任務",
		"events": []any{map[string]any{"seq": 1, "ts": "2026-08-01T09:00:00Z", "iter": 1, "type": "USER_MESSAGE", "payload": map[string]any{"text": "hello"}}},
	})
	if want := `{"messages":[{"role":"user","content":"任務: 1"}]}`; strings.TrimSpace(got) != want {
		t.Errorf("answer %s, want %s", got, want)
	}
}

func TestWhatGoesWrongIsPartOfTheAnswer(t *testing.T) {
	if got := answer(t, map[string]any{"plugin_path": "gone.js"}); !strings.Contains(got, `"error":"plugin gone.js:`) {
		t.Errorf("answer %s", got)
	}
}
