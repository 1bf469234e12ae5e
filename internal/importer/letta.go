package importer

import (
	"cmp"
	"encoding/json"

	"orihon/journal"
	"orihon/memory"
)

// letta reads an agent file of Letta, in its present form (agents and blocks)
// and in the older one of a single agent: blocks of core memory and archival
// passages are facts, messages are a session.
type letta struct{ *run }

func (l *letta) take(member string, raw json.RawMessage, line int) error {
	switch member {
	case "agents", "blocks", "core_memory", "passages", "archival_memory", "archival_passages", "messages":
	default:
		return nil
	}
	o, err := parseObject(raw)
	if err != nil {
		l.problem(line, "is no object")
		return nil
	}
	switch member {
	case "agents":
		return l.agent(o, line)
	case "blocks", "core_memory":
		return l.block(o, line)
	case "messages":
		return l.message(o, l.ownSession(), line)
	}
	return l.passage(o, line)
}

// agent reads what stands in an agent itself.
func (l *letta) agent(o object, line int) error {
	l.count("agent")
	session := l.ownSession()
	if id := o.text("id"); id != "" {
		session = string(Letta) + "-" + id
	}
	for _, part := range []struct {
		name string
		take func(object, int) error
	}{
		{"core_memory", l.block}, {"blocks", l.block}, {"passages", l.passage}, {"archival_memory", l.passage},
		{"messages", func(m object, line int) error { return l.message(m, session, line) }},
	} {
		for _, raw := range o.list(part.name) {
			in, err := parseObject(raw)
			if err != nil {
				l.problem(line, "an agent with a broken part: "+part.name)
				continue
			}
			if err := part.take(in, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// block is a piece of core memory. It is cut where a person would: every bullet
// and every paragraph is a fact.
func (l *letta) block(o object, line int) error {
	l.count("block")
	label := o.text("label", "name")
	for _, b := range parseMarkdown(o.text("value")).blocks {
		f := Fact{
			Title: label, Text: b.text, Kind: memory.Semantic, Topic: memory.Fact, Tags: tags(label),
			Created: o.time("created_at"), Updated: o.time("updated_at"),
		}
		if err := l.fact(f, line); err != nil {
			return err
		}
	}
	return nil
}

func (l *letta) passage(o object, line int) error {
	text := o.text("text", "content")
	if text == "" {
		l.problem(line, "a passage without text")
		return nil
	}
	l.count("passage")
	return l.fact(Fact{
		ID: o.text("id"), Text: text, Kind: memory.Semantic, Topic: memory.Fact, Tags: o.texts("tags"),
		Created: o.time("created_at"), Updated: o.time("updated_at"),
	}, line)
}

func (l *letta) message(o object, session string, line int) error {
	role := o.text("role")
	l.count(cmp.Or(role, "other"))
	e := Event{
		Session: session, Client: string(Letta), At: o.time("created_at", "date"), ID: o.text("id"),
		Text: cmp.Or(contentText(o["content"]), o.text("text")), Model: o.text("model"), Speaker: o.text("name"),
	}
	switch role {
	case "user":
		e.Type = journal.UserMessage
		if in, err := parseObject([]byte(e.Text)); err == nil && in["type"] != nil {
			// The server wraps what is said, and its own events, in JSON.
			if in.text("type") != "user_message" {
				return nil
			}
			e.Text = in.text("message")
		}
	case "assistant":
		return l.answer(o, e, line)
	case "tool", "function":
		e.Type, e.ID, e.Tool, e.Speaker = journal.ActionResult, o.text("tool_call_id"), cmp.Or(e.Speaker, "unknown"), ""
	default:
		return nil // the system prompt is nobody's word
	}
	return l.event(e, line)
}

// answer reads an assistant's message; in older agents what it says to the user
// is the argument of a tool.
func (l *letta) answer(o object, e Event, line int) error {
	e.Type, e.Speaker = journal.AssistantMessage, ""
	calls := o.list("tool_calls")
	if len(calls) > 0 {
		e.Type = journal.Thought
	}
	if err := l.event(e, line); err != nil {
		return err
	}
	for _, raw := range calls {
		c, err := parseObject(raw)
		if err != nil {
			continue
		}
		l.report.ToolCalls++
		fn := c.object("function")
		arguments := fn.text("arguments")
		call := e
		call.ID, call.Text = c.text("id"), ""
		if fn.text("name") == "send_message" {
			said, _ := parseObject([]byte(arguments))
			call.Type, call.Text = journal.AssistantMessage, said.text("message")
		} else {
			call.Type, call.Tool = journal.ActionRequest, cmp.Or(fn.text("name"), "other")
			if json.Valid([]byte(arguments)) {
				call.Input = json.RawMessage(arguments)
			}
		}
		if err := l.event(call, line); err != nil {
			return err
		}
	}
	return nil
}
