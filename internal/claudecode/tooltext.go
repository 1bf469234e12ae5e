package claudecode

import (
	"bytes"
	"encoding/json"
	"strings"

	"orihon/internal/transcript"
)

// ToolText renders a tool call as text for a journal: what was asked, what came
// back, and whether that was an error. Injected reminders are left out of the
// output. Either text is empty when the event carries nothing of the kind.
func ToolText(e Event) (input, output string, isError bool) {
	input = inputText(e.ToolName, e.ToolInput)
	if e.Name == PostToolUseFailure || e.Error != "" {
		return input, transcript.WithoutReminders(e.Error), true
	}
	output, isError = outputText(e.ToolResponse)
	return input, output, isError
}

// inputText shows the command of a shell call as typed, and any other input as
// one "name: value" per line in the order it was written.
func inputText(tool string, raw json.RawMessage) string {
	if tool == "Bash" {
		var in struct{ Command, Description string }
		if json.Unmarshal(raw, &in) == nil && in.Command != "" {
			if in.Description == "" {
				return in.Command
			}
			return "# " + in.Description + "\n" + in.Command
		}
	}
	return transcript.Value(raw)
}

// response is the union of the shapes in which tools answer: shell calls
// (stdout, stderr), reads (file), edits (filePath, structuredPatch), and MCP
// results (content, isError).
type response struct {
	Stdout   json.RawMessage `json:"stdout"`
	Stderr   string          `json:"stderr"`
	FilePath string          `json:"filePath"`
	Type     string          `json:"type"`
	File     *struct {
		Path    string `json:"filePath"`
		Content string `json:"content"`
	} `json:"file"`
	Patch []struct {
		Lines []string `json:"lines"`
	} `json:"structuredPatch"`
	Content  json.RawMessage `json:"content"`
	IsError  bool            `json:"is_error"`
	IsError2 bool            `json:"isError"`
}

func outputText(raw json.RawMessage) (text string, isError bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", false
	}
	if raw[0] != '{' {
		return transcript.WithoutReminders(transcript.Content(raw)), false
	}
	var r response
	// A field of another shape than expected leaves the others usable.
	_ = json.Unmarshal(raw, &r)
	isError = r.IsError || r.IsError2
	switch {
	case len(r.Stdout) > 0 && r.Stdout[0] == '"':
		text = transcript.Join(transcript.Value(r.Stdout), r.Stderr)
	case r.File != nil && r.File.Content != "":
		text = r.File.Content
	case r.FilePath != "":
		lines := []string{strings.TrimSpace(r.Type + " " + r.FilePath)}
		for _, hunk := range r.Patch {
			lines = append(lines, hunk.Lines...)
		}
		text = strings.Join(lines, "\n")
	case len(r.Content) > 0:
		text = transcript.Content(r.Content)
	default:
		text = transcript.Value(raw)
	}
	return transcript.WithoutReminders(text), isError
}
