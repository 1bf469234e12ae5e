package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"orihon/journal"
)

// gemini reads a session of Gemini CLI: a document with sessionId, startTime
// and messages, each with its thoughts and its calls of tools; or, of newer
// versions, a log with an object a line, see geminiLog.
type gemini struct {
	*run
	session string
	started time.Time
}

// geminiLog reads a session that is kept as a log: first what a document has but
// its messages, then messages, the later of two with one ID in the place of the
// earlier, "$set" with changed members, and "$rewindTo" with the message from
// which on all was taken back. Messages in a "$set" are what the model sees since
// a compression: those that are known stay as they were said.
type geminiLog struct {
	gemini
	order    []string // IDs, as they were first said
	messages map[string]geminiLine
}

type geminiLine struct {
	raw  json.RawMessage
	line int
}

// gemini reads a session in either form.
func (r *run) gemini(in io.Reader) error {
	b := bufio.NewReaderSize(in, headSize)
	head, _ := b.Peek(headSize)
	first, _, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))), []byte("\n"))
	if o, err := parseObject(first); err == nil && o["sessionId"] != nil && len(o.list("messages")) == 0 {
		return r.lines(b, &geminiLog{gemini: gemini{run: r}})
	}
	return r.document(b, &gemini{run: r})
}

func (g *geminiLog) take(_ string, raw json.RawMessage, line int) error {
	o, err := parseObject(raw)
	if err != nil {
		g.problem(line, err.Error())
		return nil
	}
	if from := o.text("$rewindTo"); from != "" {
		if at := slices.Index(g.order, from); at >= 0 {
			for _, id := range g.order[at:] {
				delete(g.messages, id)
			}
			g.order = g.order[:at]
		}
		return nil
	}
	if id := o.text("id"); id != "" {
		g.keep(id, raw, line)
		return nil
	}
	if set := o.object("$set"); set != nil {
		o = set
	}
	g.session = cmp.Or(o.text("sessionId"), g.session)
	if t := o.time("startTime"); !t.IsZero() {
		g.started = t
	}
	for _, m := range o.list("messages") {
		if said, err := parseObject(m); err == nil {
			if id := said.text("id"); id != "" && g.messages[id].raw == nil {
				g.keep(id, m, line)
			}
		}
	}
	return nil
}

func (g *geminiLog) keep(id string, raw json.RawMessage, line int) {
	if g.messages == nil {
		g.messages = make(map[string]geminiLine)
	}
	if g.messages[id].raw == nil {
		g.order = append(g.order, id)
	}
	g.messages[id] = geminiLine{slices.Clone(raw), line}
}

func (g *geminiLog) done() error {
	for _, id := range g.order {
		m := g.messages[id]
		if err := g.gemini.take("messages", m.raw, m.line); err != nil {
			return err
		}
	}
	return nil
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
		Session: cmp.Or(g.session, strings.TrimSuffix(g.stem(".json"), ".jsonl")), Client: string(GeminiCLI), At: m.time("timestamp"), ID: m.text("id"),
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
