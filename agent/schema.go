package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"orihon/memory"
)

// holds checks JSON against a schema.
func holds(schema, raw []byte) error {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return fmt.Errorf("%w schema: %w", memory.ErrInvalid, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return fmt.Errorf("%w schema: %w", memory.ErrInvalid, err)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	return resolved.Validate(value)
}

// reportIn is the JSON of a report in an answer that may have a fence around it.
func reportIn(answer string) []byte {
	text := strings.TrimSpace(answer)
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	return []byte(text)
}
