package claudecode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/transcript"
	"orihon/memory"
)

// Name is the name of a hook event.
type Name string

// The events that Orihon knows. Claude Code has more; [Parse] takes them too.
const (
	SessionStart       Name = "SessionStart"
	UserPromptSubmit   Name = "UserPromptSubmit"
	PreToolUse         Name = "PreToolUse"
	PostToolUse        Name = "PostToolUse"
	PostToolUseFailure Name = "PostToolUseFailure"
	SubagentStart      Name = "SubagentStart"
	SubagentStop       Name = "SubagentStop"
	PreCompact         Name = "PreCompact"
	PostCompact        Name = "PostCompact"
	Stop               Name = "Stop"
	SessionEnd         Name = "SessionEnd"
)

// MaxEvent is the size in bytes from which an event is refused.
const MaxEvent = 32 << 20

// Event is what a hook reads from stdin. Which fields are set depends on Name;
// everything but Name may be empty.
type Event struct {
	Name           Name   `json:"hook_event_name"`
	SessionID      string `json:"session_id"`
	PromptID       string `json:"prompt_id"` // absent before the first prompt
	TranscriptPath string `json:"transcript_path"`
	CWD            string `json:"cwd"`
	PermissionMode string `json:"permission_mode"`
	Model          string `json:"model"`

	// Source is startup, resume, clear, compact or fork (SessionStart).
	Source string `json:"source"`
	// SecondsSinceResponse and ContextTokens come with a resumed session.
	SecondsSinceResponse float64 `json:"seconds_since_last_response"`
	ContextTokens        int64   `json:"context_tokens"`

	Prompt string `json:"prompt"` // UserPromptSubmit

	ToolName     string          `json:"tool_name"`
	ToolUseID    string          `json:"tool_use_id"`
	ToolInput    json.RawMessage `json:"tool_input"`
	ToolResponse json.RawMessage `json:"tool_response"` // PostToolUse
	Error        string          `json:"error"`         // PostToolUseFailure
	IsInterrupt  bool            `json:"is_interrupt"`
	DurationMS   float64         `json:"duration_ms"`

	// StopHookActive says that the client goes on only because a stop hook
	// blocked before (Stop, SubagentStop).
	StopHookActive       bool   `json:"stop_hook_active"`
	LastAssistantMessage string `json:"last_assistant_message"`

	// AgentID is set inside sub-agents. The client also runs one of its own to
	// summarise before a compaction: its AgentType is empty.
	AgentID             string `json:"agent_id"`
	AgentType           string `json:"agent_type"`
	AgentTranscriptPath string `json:"agent_transcript_path"`

	Trigger            string `json:"trigger"` // manual or auto (PreCompact, PostCompact)
	CustomInstructions string `json:"custom_instructions"`
	CompactSummary     string `json:"compact_summary"` // PostCompact

	// Reason is clear, resume, logout, prompt_input_exit or other (SessionEnd).
	Reason string `json:"reason"`
}

// Parse reads one event. Unknown fields are ignored and a field of the wrong
// type is left empty. The error wraps [memory.ErrInvalid] when the input is not
// an object with a hook_event_name, is larger than [MaxEvent], or carries a
// session or agent id that could not be the name of a file.
func Parse(r io.Reader) (Event, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxEvent+1))
	if err != nil {
		return Event{}, fmt.Errorf("hook event: %w", err)
	}
	if len(raw) > MaxEvent {
		return Event{}, fmt.Errorf("%w hook event: more than %d bytes", memory.ErrInvalid, MaxEvent)
	}
	var e Event
	raw = bytes.TrimPrefix(raw, []byte(bom))
	err = transcript.Object(raw, &e)
	if err != nil && bytes.ContainsFunc(raw, unicode.IsControl) {
		// JSON has no control characters but blanks; who writes them means them.
		err = transcript.Object(bytes.Map(spaced, raw), &e)
	}
	if err != nil {
		return Event{}, fmt.Errorf("%w hook event: %v", memory.ErrInvalid, err)
	}
	e.SessionID, e.AgentID = strings.Map(printed, e.SessionID), strings.Map(printed, e.AgentID)
	switch {
	case e.Name == "":
		return Event{}, fmt.Errorf("%w hook event: no hook_event_name", memory.ErrInvalid)
	case !fileName(e.SessionID):
		return Event{}, fmt.Errorf("%w hook event: session_id %.80q", memory.ErrInvalid, e.SessionID)
	case !fileName(e.AgentID):
		return Event{}, fmt.Errorf("%w hook event: agent_id %.80q", memory.ErrInvalid, e.AgentID)
	}
	return e, nil
}

// spaced is a space for a control character.
func spaced(r rune) rune {
	if r < ' ' {
		return ' '
	}
	return r
}

// printed leaves out what cannot be shown, so that such a character costs an id
// nothing else.
func printed(r rune) rune {
	if unicode.IsControl(r) || r == utf8.RuneError {
		return -1
	}
	return r
}

// fileName reports whether an id may become the name of a file: ids come from
// outside and end up in paths. The empty id may.
func fileName(id string) bool {
	if len(id) > 128 || (id != "" && id[0] == '.') {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
