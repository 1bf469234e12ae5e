package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"orihon/internal/redact"
	"orihon/internal/tokens"
	"orihon/llm"
)

// natural is a count that a server told, within reason.
func natural(n int64) int64 { return min(max(n, 0), 1<<32) }

// usableCalls refuses calls that nobody could answer. Input that is no JSON is left
// out: the model is told, and can call again.
func usableCalls(r *llm.Response) error {
	for i := range r.Message.Calls {
		c := &r.Message.Calls[i]
		if c.ID == "" || c.Tool == "" {
			return useless(r.Usage, "a call of a tool is cut short")
		}
		if !json.Valid(c.Input) {
			err := json.Unmarshal(c.Input, new(json.RawMessage))
			c.Input, c.Broken = noInput, fmt.Sprintf("the arguments are no JSON (%v)", err)
		}
	}
	return nil
}

// streamError words an error that stands in a stream.
func streamError(kind, message string) error {
	return errors.New("the server ended the stream: " + brief(kind+" "+message))
}

// brief is foreign words as one short line.
func brief(s string) string {
	return tokens.Fit(strings.Join(strings.Fields(redact.Printable(s)), " "), 60)
}

// Reasons that several places give.
const (
	unusable = "gave an answer that cannot be used"
	late     = "did not answer in time"
)

// useless is the failure of an answer that cannot be used.
func useless(used llm.Usage, format string, v ...any) error {
	return &llm.Failure{Why: unusable, Err: fmt.Errorf(format, v...), Worked: true, Usage: used}
}
