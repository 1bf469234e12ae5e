package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/internal/claudecode/clienttest"
	"orihon/memory"
)

// TestRealClientIsAskedWhatToKeep: what is said by the way stands as a question in the
// request of Claude Code itself, whose server of tools nobody named to the hooks; what a
// scripted model saves of it is the user's, and stands at the beginning of the next session.
func TestRealClientIsAskedWhatToKeep(t *testing.T) {
	t.Parallel()
	clienttest.Client(t, clienttest.Messages(t, nil))
	w := wire(t, demoProgram(t))
	w.orihon("install", "claude-code")
	servers := filepath.Join(w.Home, "mcp.json")
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"memory": map[string]any{
		"command": w.program, "args": []string{"mcp"}, "env": map[string]string{"ORIHON_HOME": w.home, "ORIHON_USER": "ada"}, "alwaysLoad": true,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(servers, data, 0o600); err != nil {
		t.Fatal(err)
	}
	const prompt = "look at the relay driver first, it fires late. the pump in hall 3 answers on modbus id 17 btw, nobody ever wrote that down"
	const add, kept = "mcp__memory__memory_add", "The pump in hall 3 answers on Modbus ID 17."
	sitting := w.Sit("--mcp-config", servers, "--strict-mcp-config", "--allowedTools", add)
	w.requests("hello", []clienttest.Reply{{Text: "Hello."}}, func() { sitting.Say("hello") })
	// The client starts its servers beside its first hooks.
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if notes, _ := filepath.Glob(filepath.Join(w.home, "projects", "*", "sessions", ".locks", "tools-*.json")); len(notes) > 0 {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the server of tools did not start")
		}
	}
	asked := w.requests(prompt, []clienttest.Reply{
		{Text: "I will keep that.", Calls: []clienttest.Call{{Tool: add, Input: map[string]any{"content": kept, "needed_when": []string{"talk to the pump"}}}}},
		{Text: "Done."},
	}, func() {
		sitting.Say(prompt)
	})
	if err := sitting.End(); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 2 {
		t.Fatalf("%d requests", len(asked))
	}
	if got := asked[0].Last("user"); !asked[0].Contains("Will this be needed later") {
		t.Errorf("the first request holds %q", got)
	}
	var items []memory.Item
	if err := json.Unmarshal(w.orihon("list", "--json"), &items); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(items, func(it memory.Item) bool { return it.Content == kept })
	if i < 0 || !slices.Contains(items[i].Metadata.Tags, memory.NoticedTag) || len(items[i].Metadata.Evidence) != 1 || !strings.HasPrefix(items[i].Metadata.Evidence[0], w.session()+"/") {
		t.Fatalf("the store holds %+v", items)
	}
	if text := string(w.orihon("review")); strings.Contains(text, "modbus") {
		t.Errorf("it waits still: %s", text)
	}
	const later = "the pump does not answer, what is its address?"
	next := w.requests(later, []clienttest.Reply{{Text: "17."}}, func() { w.Run(later) })
	if len(next) != 1 || !next[0].Contains(kept) {
		t.Errorf("the next session's request does not hold it")
	}
}
