package window_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"orihon/memory"
	"orihon/window"
)

// hookEnv makes the test binary a context hook that behaves as its value says.
const hookEnv = "ORIHON_TEST_CONTEXT_HOOK"

func TestMain(m *testing.M) {
	if how := os.Getenv(hookEnv); how != "" {
		os.Exit(contextHook(how))
	}
	if os.Getenv("ORIHON_LONG") == "" { // .ci/long takes as many as usual, 100
		if err := flag.Set("rapid.checks", "30"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func contextHook(how string) int {
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 3
	}
	file, err := os.ReadFile("context_builder_input.json")
	if err != nil || string(file) != string(stdin) {
		return 4
	}
	var q struct {
		Task   string `json:"task"`
		System string `json:"system_prompt"`
		Limits struct {
			Tokens int `json:"max_tokens"`
		} `json:"limits"`
		Journal   string `json:"journal_path"`
		Iteration int    `json:"current_iteration"`
	}
	if json.Unmarshal(stdin, &q) != nil {
		return 5
	}
	answer := fmt.Sprintf(`{"messages":[{"role":"system","content":%q},{"role":"user","content":"%s %d %d %v"}]}`, q.System, q.Task, q.Limits.Tokens, q.Iteration, q.Journal != "")
	switch how {
	case "stdout":
		fmt.Println(answer)
	case "file":
		fmt.Println("chatter")
		if os.WriteFile("context_builder_output.json", []byte(answer), 0o600) != nil {
			return 6
		}
	case "argument":
		fmt.Printf(`{"messages":[{"role":"user","content":%q}]}`, os.Args[1])
	case "nonsense":
		fmt.Println("no JSON")
	case "invalid":
		fmt.Println(`{"messages":[{"role":"assistant","content":"me first"}]}`)
	case "large":
		fmt.Printf(`{"messages":[{"role":"user","content":%q}]}`, strings.Repeat("x", 100_000))
	case "fails":
		fmt.Fprintln(os.Stderr, "no config found")
		return 1
	case "hangs":
		time.Sleep(time.Minute)
	case "floods":
		for range 1 << 20 {
			fmt.Println(strings.Repeat("x", 1000))
		}
	case "environment":
		fmt.Printf(`{"messages":[{"role":"user","content":"journal %v"}]}`, os.Getenv("PARENT_JOURNAL_PATH") == q.Journal && os.Getenv("PARENT_JOURNAL_READONLY") == "true")
	case "child":
		self, err := os.Executable()
		if err != nil {
			return 7
		}
		child := exec.Command(self) // holds the pipe open
		child.Env, child.Stdin, child.Stdout = append(os.Environ(), hookEnv+"=hangs"), strings.NewReader(string(stdin)), os.Stdout
		_ = child.Run()
	}
	return 0
}

func TestACustomBuilderIsAProcessWhoseWorkIsChecked(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	v := onDisk(t, t.TempDir(), coding(t, 2))
	for how, want := range map[string]string{
		"stdout": "Round. 500 11 true", "file": "Round. 500 11 true", "argument": "/home/dev/agent/builder",
		"nonsense": "invalid", "invalid": "invalid", "large": "the window is too small", "fails": "no config found", "hangs": "deadline",
		"floods": "more than", "environment": "journal true", "child": "deadline",
	} {
		o := window.CustomOptions{
			Command: []string{self, "${AGENT_HOME}/builder"}, AgentHome: "/home/dev/agent",
			Env: append(os.Environ(), hookEnv+"="+how),
		}
		if how == "hangs" || how == "child" {
			o.Timeout = 300 * time.Millisecond
		}
		if how == "floods" {
			o.MaxOutput = 1 << 20
		}
		b := newBuilder(t, window.Custom, &window.Options{Custom: o})
		got := ""
		messages, err := window.Build(context.Background(), b, window.Input{View: v, System: "s", Task: "Round.", Limit: 500})
		if err != nil {
			t.Errorf("%s: %v", how, err) // the default strategy builds
			continue
		}
		if got = messages[len(messages)-1].Text; window.Failure(b) != nil {
			got = window.Failure(b).Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", how, got, want)
		}
	}
	if _, err := window.New(window.Custom, nil); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("without a command: %v", err)
	}
}

func FuzzCustomAnswers(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"a"}]}`))
	f.Add([]byte(`{"messages":[{"role":7}]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		messages, err := window.ParseCustom(raw)
		if err == nil && len(messages) == 0 {
			t.Error("nothing was read without an error")
		}
	})
}
