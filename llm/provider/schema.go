package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"orihon/llm"
)

// plain is a request that every server understands: without a temperature, and
// with the schema in words.
func plain(r llm.Request) llm.Request {
	r.Temperature = nil
	if r.Schema == nil {
		return r
	}
	n := leading(r.Messages)
	r.Messages = slices.Insert(slices.Clone(r.Messages), n, llm.Message{
		Role: llm.System, Text: "Answer with JSON alone, without a word around it, that is valid for this JSON schema:\n" + string(r.Schema.JSON),
	})
	r.Cache = slices.Clone(r.Cache)
	for i, at := range r.Cache {
		if at >= n {
			r.Cache[i]++
		}
	}
	r.Schema = nil
	return r
}

// leading is how many system messages stand in front.
func leading(messages []llm.Message) int {
	n := slices.IndexFunc(messages, func(m llm.Message) bool { return m.Role != llm.System })
	if n < 0 {
		return len(messages)
	}
	return n
}

// checked holds an answer against the schema that was asked for, whoever promised
// to keep to it, and leaves nothing but the JSON of its text.
func checked(s *llm.Schema, r llm.Response) (llm.Response, error) {
	if s == nil {
		return r, nil
	}
	text := bare(r.Message.Text)
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return llm.Response{}, useless(r.Usage, "the answer is no JSON: %w", err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(s.JSON, &schema); err != nil {
		return llm.Response{}, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return llm.Response{}, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	if err := resolved.Validate(value); err != nil {
		return llm.Response{}, useless(r.Usage, "the answer is not of the form %s", s.Name)
	}
	r.Message.Text = text
	return r, nil
}

// bare is a text without what models put around JSON against their orders: their
// thoughts in front, and a fence.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "<think>"); ok {
		if _, behind, ok := strings.Cut(rest, "</think>"); ok {
			text = strings.TrimSpace(behind)
		}
	}
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			if body, ok := strings.CutSuffix(strings.TrimSpace(body), "```"); ok {
				text = strings.TrimSpace(body)
			}
		}
	}
	return text
}
