package importer

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// detect tells the format of a file by its name and its beginning; empty means
// that it has no known shape.
func detect(name string, head []byte) Format {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	switch strings.ToLower(path.Ext(strings.TrimSuffix(name, ".gz"))) {
	case ".md", ".markdown":
		if f := parseMarkdown(string(head)).front; f.nativeType() != "" {
			return ClaudeMemory
		}
		return Markdown
	case ".af":
		return Letta
	}
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return ""
	}
	s := shapeOf(head)
	if head[0] == '[' {
		return listFormat(s.of[""])
	}
	if f := documentFormat(s); f != "" {
		return f
	}
	// A line that is broken does not hide what the others are.
	const looked = 20
	lines := bytes.SplitN(head, []byte("\n"), looked+1)
	for _, line := range lines[:min(looked, len(lines))] {
		if f := lineFormat(line); f != "" {
			return f
		}
	}
	return ""
}

// shape is what stands at the outside of a document: the names of its members,
// and for each array the names in its first element.
type shape struct {
	members []string
	of      map[string][]string
}

func (s *shape) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(s.members, n) })
}

func has(members []string, names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(members, n) })
}

// shapeOf reads as much of a document as there is.
func shapeOf(head []byte) shape {
	s := shape{of: make(map[string][]string)}
	dec := json.NewDecoder(bytes.NewReader(head))
	var open []byte // brackets
	var member string
	key := false // the next string at this depth is a name
	for {
		token, err := dec.Token()
		if err != nil {
			return s
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				open = append(open, byte(t))
				key = t == '{'
				continue
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return s
			}
			key = open[len(open)-1] == '{'
			continue
		case string:
			if key && string(open) == "{" {
				member = t
				s.members = append(s.members, t)
			}
			if key && (string(open) == "{[{" || string(open) == "[{") && len(s.of[member]) < 64 {
				s.of[member] = append(s.of[member], t)
			}
			if !key && string(open) == "[" {
				s.of[""] = append(s.of[""], "string")
			}
		}
		key = !key && len(open) > 0 && open[len(open)-1] == '{'
	}
}

// listFormat tells a document that is an array by the names in its elements.
func listFormat(e []string) Format {
	switch {
	case has(e, "mapping"):
		return ChatGPT
	case has(e, "memory"), len(e) > 0 && e[0] == "string":
		return Mem0
	case has(e, "fact") && (has(e, "valid_at") || has(e, "source_node_uuid") || has(e, "uuid")):
		return Zep
	case isMessage(e):
		return Messages
	}
	return ""
}

// isMessage tells a message of a chat by its members.
func isMessage(members []string) bool {
	return has(members, "role") && (has(members, "content") || has(members, "tool_calls"))
}

func documentFormat(s shape) Format {
	entities := s.of["entities"]
	switch {
	case s.has("results") && (has(s.of["results"], "memory") || len(s.of["results"]) == 0), s.has("memories"):
		return Mem0
	case s.has("messages", "sessionId") && !s.has("type"):
		return GeminiCLI
	case s.has("exportedAt", "observations"), s.has("observations", "summaries"):
		return ClaudeMem
	case s.has("observations") && (s.has("exported_at") || s.has("version")):
		return Engram
	case s.has("agents") && (s.has("blocks") || s.has("messages") || has(s.of["agents"], "messages")), s.has("core_memory"), s.has("agent_type", "messages"):
		return Letta
	case has(entities, "entityType"), has(entities, "observations"):
		return MCPMemory
	case s.has("episodes"), s.has("edges"), s.has("facts"), has(s.of["nodes"], "uuid"):
		return Zep
	case isMessage(s.of["messages"]):
		return Messages
	}
	return ""
}

// lineFormat tells a file with an object a line by one of them.
func lineFormat(line []byte) Format {
	o, err := parseObject(line)
	if err != nil || o == nil {
		return ""
	}
	kind := o.text("type")
	switch {
	case (kind == "entity" && o["name"] != nil) || (kind == "relation" && o["from"] != nil && o["to"] != nil):
		return MCPMemory
	case o["id"] != nil && (o["content"] != nil && o["metadata"] != nil || o.text("op") == "retire"):
		return Orihon
	case kind == "" && o["sessionId"] != nil && o["projectHash"] != nil:
		return GeminiCLI
	case isMessage(slices.Collect(maps.Keys(o))):
		return Messages
	case kind != "" && (o["sessionId"] != nil || o["message"] != nil || o["uuid"] != nil):
		return ClaudeCode
	}
	switch kind {
	case "file-history-snapshot", "summary", "queue-operation", "ai-title", "pr-link":
		return ClaudeCode
	}
	return ""
}
