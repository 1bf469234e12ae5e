package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"orihon/guard"
)

// side is one of those that are timed in turn.
type side struct {
	place
	name string   // empty is the program as it is installed
	args []string // of the hook
}

// watched are two more sides: with every rule of the guardian, and with none. Both
// work in a project whose documents name what its sources have.
func (s *speed) watched(b place) ([]side, error) {
	var names []string
	for _, r := range guard.Rules() {
		names = append(names, r.Name)
	}
	for i := range 40 {
		var text strings.Builder
		for j := range 100 {
			fmt.Fprintf(&text, "`loadPart%dOf%d` reads a part of the order.\n\n", j, i)
		}
		path := filepath.Join(b.project, "docs", fmt.Sprintf("page%d.md", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			return nil, err
		}
	}
	return []side{
		{b, "every rule", []string{"--set", "guard.stop_gate=true", "--set", "guard.documents=src/** = docs/page0.md"}},
		{b, "no rule", []string{"--set", "guard.off=" + strings.Join(names, ",")}},
	}, nil
}

// toolEvent is what a hook is told of a call.
func toolEvent(id, tool string, input, response map[string]any) map[string]any {
	return map[string]any{"tool_name": tool, "tool_use_id": id, "tool_input": input, "tool_response": response}
}

// hooks times what a client waits for, on each side in turn.
func (s *speed) hooks(ctx context.Context, sides []side, prompts []string) error {
	project := sides[0].project
	for _, h := range []struct {
		name  string // the event, and after a comma what of it
		event func(i int) map[string]any
	}{
		{"SessionStart", func(i int) map[string]any {
			return map[string]any{"source": "startup", "session_id": "start" + strconv.Itoa(i)}
		}},
		{"UserPromptSubmit", func(i int) map[string]any {
			return map[string]any{"prompt_id": "p" + strconv.Itoa(i), "prompt": prompts[i%len(prompts)]}
		}},
		{"PreToolUse", func(i int) map[string]any {
			return toolEvent("b"+strconv.Itoa(i), "Bash", map[string]any{"command": "./tools/deploy.sh --note " + strconv.Quote(prompts[i%len(prompts)])}, nil)
		}},
		{"PreToolUse, nothing to recall", func(i int) map[string]any {
			return toolEvent("m"+strconv.Itoa(i), "Bash", map[string]any{"command": "make"}, nil)
		}},
		{"PostToolUse", func(i int) map[string]any {
			return toolEvent("t"+strconv.Itoa(i), "Read", map[string]any{"file_path": filepath.Join(project, "main.go")},
				map[string]any{"file": strings.Repeat("some source text\n", 200)})
		}},
		{"PostToolUse, an edit", func(i int) map[string]any {
			file := filepath.Join(project, "src", fmt.Sprintf("part%d.go", i))
			return toolEvent("e"+strconv.Itoa(i), "Edit",
				map[string]any{"file_path": file, "old_string": fmt.Sprintf("func loadPart%dOf3() {}\n", i), "new_string": fmt.Sprintf("func loadRest%d() {}\n", i)},
				map[string]any{"filePath": file})
		}},
		{"PostToolUse, a failing check", func(i int) map[string]any {
			return toolEvent("f"+strconv.Itoa(i), "Bash", map[string]any{"command": "go test ./... | tail -200"},
				map[string]any{"stdout": strings.Repeat("    order_test.go:12: got 3, want 4\n", 150) + fmt.Sprintf("--- FAIL: TestPart%d (0.01s)\nFAIL\n", i)})
		}},
		{"Stop", func(i int) map[string]any {
			return map[string]any{"prompt_id": "p" + strconv.Itoa(i), "stop_hook_active": false, "last_assistant_message": "It is done."}
		}},
	} {
		s.Progress("hook " + h.name)
		name, _, _ := strings.Cut(h.name, ",")
		took := make([][]time.Duration, len(sides))
		for i := range s.Runs + 1 {
			for j, b := range sides {
				e := map[string]any{"hook_event_name": name, "session_id": "bench", "cwd": project}
				maps.Copy(e, h.event(i))
				e["session_id"] = fmt.Sprint(e["session_id"], "-", j)
				data, err := json.Marshal(e)
				if err != nil {
					return err
				}
				d, _, err := s.process(ctx, b.place, data, false, append([]string{"hook", "--home", b.home}, b.args...)...)
				if err != nil {
					return fmt.Errorf("hook %s: %w", h.name, err)
				}
				if i > 0 {
					took[j] = append(took[j], d)
				}
			}
		}
		for j, b := range sides {
			name := "hook " + h.name
			if b.name != "" {
				name += ", " + b.name
			}
			s.figures = append(s.figures, Figure{Name: name, Process: true, Runs: s.Runs, P50: Percentile(took[j], 50), P95: Percentile(took[j], 95)})
		}
	}
	// A hook never fails; what went wrong stands in its log.
	for _, b := range sides {
		if log, err := os.ReadFile(filepath.Join(b.home, "hook.log")); err == nil && len(log) > 0 {
			return fmt.Errorf("the hook logged: %s", log)
		}
	}
	return nil
}
