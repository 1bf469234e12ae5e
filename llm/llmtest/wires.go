package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"

	"orihon/llm"
)

type object = map[string]any

// messages is Anthropic's API.
type messages struct{}

func (messages) refusal(status int) any {
	kind := map[int]string{401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}[status]
	return object{"type": "error", "error": object{"type": cmp.Or(kind, "api_error"), "message": fmt.Sprintf("refused with %d", status)}}
}

func messagesUsage(u llm.Usage) object {
	return object{
		"input_tokens": u.Input - u.CacheRead - u.CacheWrite, "output_tokens": u.Output,
		"cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite,
	}
}

func messagesStop(r Reply) string {
	if len(r.Calls) > 0 {
		return cmp.Or(r.Stop, "tool_use")
	}
	return cmp.Or(r.Stop, "end_turn")
}

// blocks are those of an answer, the text of each apart.
func (messages) blocks(r Reply) []object {
	var out []object
	for _, t := range r.Reasoning {
		if t.Sealed {
			out = append(out, object{"type": "redacted_thinking", "data": t.Signature})
		} else {
			out = append(out, object{"type": "thinking", "thinking": t.Text, "signature": t.Signature})
		}
	}
	if r.Text != "" {
		out = append(out, object{"type": "text", "text": r.Text})
	}
	for _, c := range r.Calls {
		out = append(out, object{"type": "tool_use", "id": c.ID, "name": c.Tool, "input": c.Input})
	}
	return out
}

func (m messages) whole(r Reply, model string) any {
	blocks := m.blocks(r)
	if blocks == nil {
		blocks = []object{}
	}
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": model,
		"content": blocks, "stop_reason": messagesStop(r), "usage": messagesUsage(r.Usage),
	}
}

func (m messages) stream(r Reply, model string) [][2]string {
	var out [][2]string
	send := func(kind string, v object) {
		v["type"] = kind
		out = append(out, [2]string{kind, encoded(v)})
	}
	begun := messagesUsage(r.Usage)
	begun["output_tokens"] = 1
	send("message_start", object{"message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []any{}, "usage": begun}})
	send("ping", object{})
	for i, b := range m.blocks(r) {
		var deltas []object
		switch b["type"] {
		case "text":
			for _, p := range pieces(b["text"].(string)) {
				deltas = append(deltas, object{"type": "text_delta", "text": p})
			}
			b["text"] = ""
		case "thinking":
			for _, p := range pieces(b["thinking"].(string)) {
				deltas = append(deltas, object{"type": "thinking_delta", "thinking": p})
			}
			deltas = append(deltas, object{"type": "signature_delta", "signature": b["signature"]})
			b["thinking"], b["signature"] = "", ""
		case "tool_use":
			for _, p := range pieces(string(b["input"].(json.RawMessage))) {
				deltas = append(deltas, object{"type": "input_json_delta", "partial_json": p})
			}
			b["input"] = object{}
		}
		send("content_block_start", object{"index": i, "content_block": b})
		for _, d := range deltas {
			send("content_block_delta", object{"index": i, "delta": d})
		}
		send("content_block_stop", object{"index": i})
	}
	send("message_delta", object{"delta": object{"stop_reason": messagesStop(r)}, "usage": object{"output_tokens": r.Usage.Output}})
	send("message_stop", object{})
	return out
}

// completions is OpenAI's API.
type completions struct{}

func (completions) refusal(status int) any {
	return object{"error": object{"message": fmt.Sprintf("refused with %d", status), "type": "invalid_request_error"}}
}

func completionsStop(r Reply) string {
	if len(r.Calls) > 0 {
		return cmp.Or(r.Stop, "tool_calls")
	}
	return cmp.Or(r.Stop, "stop")
}

func completionsUsage(u llm.Usage) object {
	return object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.CacheRead},
	}
}

// thought is all reasoning in one, as servers of this API give it.
func thought(r Reply) string {
	out := ""
	for _, t := range r.Reasoning {
		out += t.Text
	}
	return out
}

func (completions) whole(r Reply, model string) any {
	message := object{"role": "assistant", "content": r.Text}
	if t := thought(r); t != "" {
		message["reasoning_content"] = t
	}
	var calls []object
	for _, c := range r.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Tool, "arguments": string(c.Input)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
		if r.Text == "" {
			message["content"] = nil
		}
	}
	return object{
		"id": "c1", "object": "chat.completion", "model": model, "usage": completionsUsage(r.Usage),
		"choices": []object{{"index": 0, "message": message, "finish_reason": completionsStop(r)}},
	}
}

func (completions) stream(r Reply, model string) [][2]string {
	var out [][2]string
	send := func(delta object, finish any) {
		out = append(out, [2]string{"", encoded(object{
			"id": "c1", "object": "chat.completion.chunk", "model": model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
		})})
	}
	send(object{"role": "assistant", "content": ""}, nil)
	if t := thought(r); t != "" {
		for _, p := range pieces(t) {
			send(object{"reasoning_content": p}, nil)
		}
	}
	if r.Text != "" {
		for _, p := range pieces(r.Text) {
			send(object{"content": p}, nil)
		}
	}
	for i, c := range r.Calls {
		send(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Tool, "arguments": ""}}}}, nil)
		for _, p := range pieces(string(c.Input)) {
			send(object{"tool_calls": []object{{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	send(object{}, completionsStop(r))
	out = append(out, [2]string{"", encoded(object{"id": "c1", "object": "chat.completion.chunk", "choices": []object{}, "usage": completionsUsage(r.Usage)})})
	return append(out, [2]string{"", "[DONE]"})
}
