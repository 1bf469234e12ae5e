package claudecode

import (
	"strings"
	"unicode/utf16"

	"orihon/internal/jsonl"
)

// MaxContext is how much context one answer may add, in UTF-16 code units,
// which is how the client counts. Beyond it the client shows only a preview.
const MaxContext = 10_000

// Answer is what a hook says back. The zero Answer says nothing.
type Answer struct {
	// Context is added where the hook fired, on the events that take one.
	Context string
	// SystemMessage is shown to the user, not to the model.
	SystemMessage string
	// Block stops what is about to happen and gives this as the reason; on
	// Stop and SubagentStop it makes the client go on.
	Block string
	// Deny keeps a call from running and gives this as the reason (PreToolUse).
	Deny string
}

// Encode returns the bytes to print for an event: what the event does not take
// is left out, Context is cut to [MaxContext] at a line border, and nothing at
// all is printed when nothing is left to say.
func (a Answer) Encode(event Name) []byte {
	type specific struct {
		Event    Name   `json:"hookEventName"`
		Decision string `json:"permissionDecision,omitempty"`
		Reason   string `json:"permissionDecisionReason,omitempty"`
		Context  string `json:"additionalContext,omitempty"`
	}
	var out struct {
		Decision      string    `json:"decision,omitempty"`
		Reason        string    `json:"reason,omitempty"`
		SystemMessage string    `json:"systemMessage,omitempty"`
		Specific      *specific `json:"hookSpecificOutput,omitempty"`
	}
	if text := clip(a.Context, MaxContext); takesContext(event) && strings.TrimSpace(text) != "" {
		out.Specific = &specific{Event: event, Context: text}
	}
	if a.Deny != "" && event == PreToolUse {
		if out.Specific == nil {
			out.Specific = &specific{Event: event}
		}
		out.Specific.Decision, out.Specific.Reason = "deny", a.Deny
	}
	if takesMessage(event) {
		out.SystemMessage = a.SystemMessage
	}
	if a.Block != "" && takesBlock(event) {
		out.Decision, out.Reason = "block", a.Block
	}
	if out.Specific == nil && out.SystemMessage == "" && out.Decision == "" {
		return nil
	}
	line, _ := jsonl.Encode(out) // strings always encode
	return append(line, '\n')
}

func takesContext(event Name) bool {
	switch event {
	case SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, SubagentStart:
		return true
	}
	return false
}

func takesMessage(event Name) bool {
	switch event {
	case PreCompact, PostCompact, SessionEnd: // discarded by the client
		return false
	}
	return true
}

func takesBlock(event Name) bool {
	switch event {
	case UserPromptSubmit, PostToolUse, PostToolUseFailure, Stop, SubagentStop, PreCompact:
		return true
	}
	return false
}

// clip cuts s to at most limit UTF-16 code units, at the last line border
// before that, or inside the line when the first line alone is longer.
func clip(s string, limit int) string {
	if len(s) <= limit { // a code unit takes at least one byte
		return s
	}
	units, border := 0, 0
	for i, r := range s {
		units += max(1, utf16.RuneLen(r))
		if units > limit {
			if border == 0 {
				border = i
			}
			return strings.TrimRight(s[:border], "\r\n")
		}
		if r == '\n' {
			border = i
		}
	}
	return s
}
