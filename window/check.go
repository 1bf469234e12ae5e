package window

import (
	"encoding/json"
	"fmt"

	"orihon/llm"
)

// Check reports, as [ErrInvalid], the first message that breaks the rules every
// provider has: system messages stand at the beginning and a user's message
// comes next; an assistant's calls have distinct ids and inputs that are JSON
// objects, and their results follow at once, each exactly once; nothing is
// empty. Messages of one role may follow each other.
func Check(messages []Message) error {
	open := map[string]bool{} // calls without a result so far
	used := map[string]bool{} // ids of all calls
	begun := false
	for i, m := range messages {
		if err := check(m, begun, open, used); err != nil {
			return fmt.Errorf("%w: message %d (%s): %w", ErrInvalid, i, m.Role, err)
		}
		begun = begun || m.Role != llm.System
	}
	for id := range open {
		return fmt.Errorf("%w: call %s has no result", ErrInvalid, id)
	}
	return nil
}

func check(m Message, begun bool, open, used map[string]bool) error {
	if len(open) > 0 && m.Role != llm.Tool {
		return fmt.Errorf("%d calls before it have no result", len(open))
	}
	if m.Role != llm.Assistant && (len(m.Calls) > 0 || len(m.Reasoning) > 0) {
		return fmt.Errorf("only an assistant calls and reasons")
	}
	if (m.Role == llm.Tool) != (m.Result != nil) {
		return fmt.Errorf("a result belongs to the role tool")
	}
	switch m.Role {
	case llm.System:
		if begun {
			return fmt.Errorf("a system message after the conversation began")
		}
	case llm.User:
	case llm.Assistant:
		if !begun {
			return fmt.Errorf("a conversation begins with the user")
		}
		for _, c := range m.Calls {
			if c.ID == "" || used[c.ID] {
				return fmt.Errorf("call id %q is empty or used twice", c.ID)
			}
			if !isObject(c.Input) {
				return fmt.Errorf("the input of call %s is not a JSON object", c.ID)
			}
			open[c.ID], used[c.ID] = true, true
		}
	case llm.Tool:
		if !open[m.Result.ID] {
			return fmt.Errorf("result %q answers no call before it", m.Result.ID)
		}
		delete(open, m.Result.ID)
		return nil
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
	if m.Text == "" && len(m.Calls) == 0 {
		return fmt.Errorf("it says nothing")
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	for _, c := range raw {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '{':
			return json.Valid(raw)
		}
		return false
	}
	return false
}
