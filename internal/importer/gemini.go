package importer

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"orihon/journal"
)

// gemini reads a session of Gemini CLI: a document with sessionId, startTime
// and messages, each with its thoughts and its calls of tools.
type gemini struct {
	*run
	session string
	started time.Time
}

func (g *gemini) take(member string, raw json.RawMessage, line int) error {
	switch member {
	case "sessionId":
		g.session = asText(raw)
		return nil
	case "startTime":
		g.started = parseTime(asText(raw))
		return nil
	case "messages":
	default:
		return nil
	}
	m, err := parseObject(raw)
	if err != nil {
		g.problem(line, "is no message")
		return nil
	}
	kind := m.text("type", "role")
	g.count(cmp.Or(kind, "other"))
	e := Event{
		Session: cmp.Or(g.session, g.stem(".json")), Client: string(GeminiCLI), At: m.time("timestamp"), ID: m.text("id"),
		Text: contentText(m["content"]), Model: m.text("model"),
	}
	if e.At.IsZero() {
		e.At = g.started
	}
	calls := m.list("toolCalls")
	switch kind {
	case "user":
		e.Type = journal.UserMessage
	case "gemini", "assistant", "model":
		e.Type = journal.AssistantMessage
		if err := g.thoughts(m.list("thoughts"), e, line); err != nil {
			return err
		}
		if len(calls) > 0 {
			e.Type = journal.Thought
		}
		g.usage(e, m.object("tokens"))
	default:
		return nil // notes of the client
	}
	if err := g.event(e, line); err != nil {
		return err
	}
	for _, raw := range calls {
		if err := g.call(raw, e, line); err != nil {
			return err
		}
	}
	return nil
}

func (g *gemini) thoughts(list []json.RawMessage, of Event, line int) error {
	for i, raw := range list {
		o, err := parseObject(raw)
		if err != nil {
			continue
		}
		e := of
		e.Type, e.ID = journal.Thought, numbered("thinking:"+of.ID, i)
		e.Text = strings.TrimSpace(o.text("subject") + "\n" + o.text("description"))
		if err := g.event(e, line); err != nil {
			return err
		}
	}
	return nil
}

func (g *gemini) call(raw json.RawMessage, of Event, line int) error {
	c, err := parseObject(raw)
	if err != nil {
		g.problem(line, "holds a call of a tool that is no object")
		return nil
	}
	g.report.ToolCalls++
	e := Event{Session: of.Session, Client: of.Client, At: of.At, Type: journal.ActionRequest, ID: c.text("id"), Tool: cmp.Or(c.text("name"), "unknown"), Input: c["args"]}
	if err := g.event(e, line); err != nil {
		return err
	}
	e.Type, e.Input, e.IsError = journal.ActionResult, nil, c.text("status") == "error"
	if t := c.time("timestamp"); !t.IsZero() {
		e.At = t
	}
	var out []string
	for _, raw := range c.list("result") {
		if o, err := parseObject(raw); err == nil {
			answer := o.object("functionResponse").object("response")
			out = append(out, answer.text("output", "error"))
		}
	}
	e.Text = cmp.Or(strings.TrimSpace(strings.Join(out, "\n")), c.text("resultDisplay"))
	return g.event(e, line)
}

func (g *gemini) usage(e Event, tokens object) {
	answer := "answer " + e.Session + " " + e.ID
	if tokens == nil || g.seen[answer] {
		return
	}
	g.seen[answer] = true
	g.report.Answers++
	u, cached := &g.report.Usage, int64(tokens.number("cached"))
	u.Input += int64(tokens.number("input")) - cached
	u.CacheRead += cached
	u.Output += int64(tokens.number("output")) + int64(tokens.number("thoughts"))
}
