package clienttest_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"orihon/internal/claudecode"
	"orihon/internal/claudecode/clienttest"
	"orihon/internal/transcript"
)

// hook answers like ours would, and keeps what it was asked.
const hook = `#!/bin/sh
event=$(cat)
printf '%s\n' "$event" >>"$(dirname "$0")/events.jsonl"
name=$(printf '%s' "$event" | sed -n 's/.*"hook_event_name":"\([A-Za-z]*\)".*/\1/p')
case $name in
SessionStart | UserPromptSubmit | PostToolUse | PostToolUseFailure)
	printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"來自 %s 的記憶"}}\n' "$name" "$name"
	;;
esac
`

func TestTheClientRunsTheHooksThatInstallWires(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the hook of this test is a shell script")
	}
	api := clienttest.Messages(t, func(r clienttest.Request) clienttest.Reply {
		switch {
		case len(r.Tools) == 0:
			return clienttest.Reply{}
		case !r.Contains("Exit code 3"):
			return clienttest.Reply{Text: "I will try.", Calls: []clienttest.Call{
				{Tool: "Bash", Input: map[string]any{"command": "echo 好; exit 3", "description": "fails"}},
			}}
		}
		return clienttest.Reply{Text: "It failed, as it should."}
	})
	client := clienttest.Client(t, api)
	binary := filepath.Join(client.Home, "bin dir", "orihon")
	if err := os.MkdirAll(filepath.Dir(binary), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, []byte(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	path, err := claudecode.SettingsPath(claudecode.UserScope, client.Project, client.Home, client.ConfigDir)
	if err != nil {
		t.Fatal(err)
	}
	const before = "{\n\t\"permissions\": {\"allow\": [\"Bash\"]}\n}\n"
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &claudecode.Options{
		SettingsPath: path, Command: claudecode.Command(binary, runtime.GOOS), RecordDir: filepath.Join(client.Home, ".orihon"),
	}
	if _, err := claudecode.Install(o); err != nil {
		t.Fatal(err)
	}

	if out := client.Run("try it"); !strings.Contains(out, "It failed, as it should.") {
		t.Errorf("the client printed %q", out)
	}
	requests := api.Requests()
	last := requests[len(requests)-1]
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUseFailure"} {
		if want := "來自 " + event + " 的記憶"; !last.Contains(want) {
			t.Errorf("%q did not reach the model; turns: %+v", want, last.Turns)
		}
	}
	asked := events(t, filepath.Join(filepath.Dir(binary), "events.jsonl"))
	for _, name := range []string{"SessionStart", "UserPromptSubmit", "PostToolUseFailure", "Stop", "SessionEnd"} {
		if !strings.Contains(asked, name) {
			t.Errorf("no %s among %s", name, asked)
		}
	}

	transcripts := client.Transcripts()
	if len(transcripts) != 1 {
		t.Fatalf("transcripts: %v", transcripts)
	}
	var said []string
	_, skipped, err := transcript.Read(transcripts[0], 0, func(e transcript.Entry) error {
		if e.Text != "" {
			said = append(said, string(e.Kind)+": "+e.Text)
		}
		return nil
	})
	if err != nil || len(skipped) > 0 {
		t.Errorf("transcript: %v, skipped %v", err, skipped)
	}
	if want := "user: try it|assistant: I will try.|assistant: It failed, as it should."; strings.Join(said, "|") != want {
		t.Errorf("said %q, want %q", said, want)
	}

	if _, err := claudecode.Uninstall(o); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != before {
		t.Errorf("after uninstall: %q (%v)", after, err)
	}
	client.Run("again")
	if now := events(t, filepath.Join(filepath.Dir(binary), "events.jsonl")); now != asked {
		t.Error("the hook still ran after uninstall")
	}
}

func TestASittingIsOneConversation(t *testing.T) {
	api := clienttest.Messages(t, func(r clienttest.Request) clienttest.Reply {
		return clienttest.Reply{Text: "answer to " + r.Last("user")}
	})
	client := clienttest.Client(t, api)
	sitting := client.Sit()
	sitting.Say("first prompt")
	sitting.Say("第二個問題")
	if err := sitting.End(); err != nil {
		t.Fatal(err)
	}
	requests := api.Requests()
	last := requests[len(requests)-1]
	if !strings.Contains(last.Last("assistant"), "first prompt") || !strings.Contains(last.Last("user"), "第二個問題") {
		t.Errorf("the last request is no second turn: %+v", last.Turns)
	}
	if n := len(client.Transcripts()); n != 1 {
		t.Errorf("%d transcripts, want one", n)
	}
}

// events lists the names of the events a hook was asked, all parsed as ours
// would parse them.
func events(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		e, err := claudecode.Parse(strings.NewReader(line))
		if err != nil {
			t.Errorf("%v: %s", err, line)
		}
		names = append(names, string(e.Name))
	}
	return strings.Join(names, " ")
}
