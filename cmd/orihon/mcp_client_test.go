package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon/internal/claudecode/clienttest"
	"orihon/memory"
)

// TestRealClientAsksAndSaves has a scripted model call memory_search and memory_add
// in Claude Code itself: what is found stands in the next request, what is saved is
// in the store as the agent's, in the client's own session, and announced.
func TestRealClientAsksAndSaves(t *testing.T) {
	t.Parallel()
	clienttest.Client(t, clienttest.Messages(t, nil))
	w := wire(t, demoProgram(t))
	w.orihon("install", "claude-code")
	w.orihon("config", "set", "recall.start_tokens", "0")
	w.orihon("remember", "The payment service listens on port 8443")
	servers := filepath.Join(w.Home, "mcp.json")
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"orihon": map[string]any{
		"command": w.program, "args": []string{"mcp"}, "env": map[string]string{"ORIHON_HOME": w.home, "ORIHON_USER": "ada"}, "alwaysLoad": true,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(servers, data, 0o600); err != nil {
		t.Fatal(err)
	}

	const search, add = "mcp__orihon__memory_search", "mcp__orihon__memory_add"
	const lesson = "The port is set in deploy/values.yaml because the ingress reads it from there"
	var printed string
	asked := w.requests("look into it", []clienttest.Reply{
		{Text: "I will look.", Calls: []clienttest.Call{{Tool: search, Input: map[string]any{"query": "which port does the payment service use"}}}},
		{Text: "I will keep that.", Calls: []clienttest.Call{{Tool: add, Input: map[string]any{"content": lesson, "type": "fact"}}}},
		{Text: "Done."},
	}, func() {
		printed = w.Run("look into it", "--mcp-config", servers, "--strict-mcp-config", "--allowedTools", search+","+add, "--output-format", "stream-json", "--verbose")
	})
	if len(asked) != 3 {
		t.Fatalf("%d requests", len(asked))
	}
	found, kept := asked[1].Last("user"), asked[2].Last("user")
	if !strings.Contains(found, "The payment service listens on port 8443") || strings.Count(found, "</orihon-memory>") != 1 {
		t.Errorf("the search brought %q", found)
	}
	if !strings.Contains(kept, "Remembered: "+lesson) {
		t.Errorf("the save brought %q", kept)
	}
	if !strings.Contains(printed, "orihon: the agent: Remembered: "+lesson) {
		t.Errorf("the save was not announced:\n%s", printed)
	}
	var items []memory.Item
	if err := json.Unmarshal(w.orihon("list", "--json"), &items); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(items, func(it memory.Item) bool { return it.Content == lesson })
	if i < 0 || items[i].Metadata.Source != memory.FromAgent || items[i].Metadata.Session != w.session() {
		t.Fatalf("the store holds %+v, want it as the agent's of session %s", items, w.session())
	}
	for _, e := range w.journal(w.session()) {
		if strings.Contains(string(e.Payload), "orihon-memory") {
			t.Errorf("what was recalled is in the journal: %s", e.Payload)
		}
	}
	w.orihon("undo", items[i].ID, "--reason", "wrong")
	if text := string(w.orihon("list")); strings.Contains(text, lesson) {
		t.Errorf("undone, and still there: %s", text)
	}
}
