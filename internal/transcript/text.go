package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Content is the text of a message's content: a string, or blocks of which
// only text counts. Anything else is rendered as it stands.
func Content(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &blocks) != nil {
		return Value(raw)
	}
	var texts []string
	for _, b := range blocks {
		switch {
		case b.Type == "text":
			texts = append(texts, b.Text)
		case b.Type != "":
			texts = append(texts, "["+b.Type+"]")
		default:
			return Value(raw)
		}
	}
	return Join(texts...)
}

// Value renders any JSON: objects as "name: value" lines in their order,
// strings without quotes, the rest compact.
func Value(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if raw[0] != '{' || !json.Valid(raw) {
		if json.Compact(&b, raw) != nil {
			return string(raw)
		}
		return b.String()
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return string(raw)
	}
	for dec.More() {
		var value json.RawMessage
		name, err := dec.Token()
		label, isName := name.(string)
		if err != nil || !isName || dec.Decode(&value) != nil {
			return string(raw)
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(label)
		b.WriteString(": ")
		if value[0] == '"' {
			b.WriteString(Value(value))
		} else if json.Compact(&b, value) != nil {
			b.Write(value)
		}
	}
	return b.String()
}

// WithoutReminders takes out what the client and its hooks put between
// <system-reminder> tags: it was said by no one in the conversation. An
// unclosed tag hides everything after it.
func WithoutReminders(s string) string {
	const opening, closing = "<system-reminder>", "</system-reminder>"
	before, rest, found := strings.Cut(s, opening)
	if !found {
		return s
	}
	var b strings.Builder
	for {
		b.WriteString(before)
		if !found {
			return strings.TrimSpace(b.String())
		}
		if _, rest, found = strings.Cut(rest, closing); !found {
			return strings.TrimSpace(b.String())
		}
		before, rest, found = strings.Cut(rest, opening)
	}
}

// Join puts the non-empty texts below each other.
func Join(texts ...string) string {
	var kept []string
	for _, t := range texts {
		if t = strings.Trim(t, "\r\n"); strings.TrimSpace(t) != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n")
}

// Object decodes an object into v; members of another type than v has are left
// out. It fails on everything that is not a JSON object.
func Object(raw []byte, v any) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return errors.New("not a JSON object")
	}
	// A type error is reported only after everything else was decoded.
	var mistyped *json.UnmarshalTypeError
	if err := json.Unmarshal(raw, v); err != nil && !errors.As(err, &mistyped) {
		return err
	}
	return nil
}
