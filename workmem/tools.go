package workmem

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"orihon/llm"
	"orihon/memory"
)

// The names of the tools on working-memory paths.
const (
	WriteTool = "write_working_memory"
	ReadTool  = "read_working_memory"
)

// Tools are the tools that [Store.Call] answers.
func Tools() []llm.ToolSpec {
	return []llm.ToolSpec{
		{Name: WriteTool,
			Description: "Write a file of your working memory. overview.md is shown to you at every request; detail/ and archive/ are read on demand.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"overview.md, detail/… or archive/…"},"content":{"type":"string"}},"required":["path","content"]}`)},
		{Name: ReadTool,
			Description: "Read a file of your working memory.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"overview.md, detail/… or archive/…"}},"required":["path"]}`)},
	}
}

// Call answers a tool of [Tools]. What the model did wrong is told in the answer,
// with failed true.
func (s *Store) Call(tool string, input json.RawMessage) (answer string, failed bool) {
	var in struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return "The input is no JSON object with path and content.", true
	}
	switch tool {
	case WriteTool:
		if in.Content == nil {
			return "content is missing.", true
		}
		if err := s.Write(in.Path, *in.Content); err != nil {
			return explain(in.Path, err), true
		}
		note := ""
		if in.Path == OverviewFile && len(*in.Content) > OverviewGuide {
			note = fmt.Sprintf(" It is larger than %d bytes: move details to detail/.", OverviewGuide)
		}
		return fmt.Sprintf("Wrote %d bytes to %s.%s", len(*in.Content), in.Path, note), false
	case ReadTool:
		text, err := s.Read(in.Path)
		if err != nil {
			return explain(in.Path, err), true
		}
		return asShown(text), false
	}
	return fmt.Sprintf("There is no tool %q here.", tool), true
}

// explain tells the model of an error without the machine's paths.
func explain(name string, err error) string {
	switch {
	case errors.Is(err, ErrPath):
		return fmt.Sprintf("The path %q is not allowed: use overview.md, detail/… or archive/….", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("The path %q does not exist.", name)
	case errors.Is(err, memory.ErrInvalid):
		return err.Error()
	}
	return fmt.Sprintf("The path %q cannot be used.", name)
}
