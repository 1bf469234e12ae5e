package claudecode

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/jsonl"
)

// searchTool is what the client calls the tool that searches memory, where a session
// begins or something is typed, and the server is configured: by the plugin whose hook
// runs, or by the project's .mcp.json. Of the user's own settings nothing is read: they
// grow with every project.
func (h *Handler) searchTool(e Event, root string) string {
	const tool = "memory_search"
	if e.Name != SessionStart && e.Name != UserPromptSubmit {
		return ""
	}
	if h.Plugin != "" {
		if server := ownServer(filepath.Join(h.Plugin, ".mcp.json")); server != "" {
			return "mcp__plugin_orihon_" + server + "__" + tool
		}
	}
	if server := ownServer(filepath.Join(root, ".mcp.json")); server != "" {
		return "mcp__" + server + "__" + tool
	}
	return ""
}

// ownServer is the name under which a file of MCP servers has ours; empty without
// one. A project's file may come from strangers: what it says is used as a name only,
// and only when it is a plain one.
func ownServer(path string) string {
	const most = 64 // letters
	data, err := jsonl.ReadFile(path)
	if err != nil {
		return ""
	}
	var file struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if json.Unmarshal(data, &file) != nil {
		return ""
	}
	var names []string
	for name, s := range file.Servers {
		base := strings.TrimSuffix(s.Command[strings.LastIndexAny(s.Command, `/\`)+1:], ".exe")
		if base == "orihon" && len(s.Args) > 0 && s.Args[0] == "mcp" && plain(name) && !strings.ContainsAny(name, "/%@,:+=") && len(name) <= most {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
