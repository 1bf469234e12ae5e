package importer

import (
	"cmp"
	"encoding/json"

	"orihon/journal"
	"orihon/memory"
)

// engram reads an export of engram: observations and the summaries of sessions
// are facts, prompts belong to their sessions. What was deleted there is left
// out.
type engram struct{ *run }

func (e *engram) take(member string, raw json.RawMessage, line int) error {
	switch member {
	case "observations", "sessions", "prompts":
	default:
		return nil
	}
	o, err := parseObject(raw)
	if err != nil {
		e.problem(line, "is no object")
		return nil
	}
	e.count(singular(member))
	if !o.time("deleted_at").IsZero() {
		return nil
	}
	switch member {
	case "observations":
		return e.observation(o, line)
	case "sessions":
		return e.fact(Fact{
			ID: o.text("id"), Text: o.text("summary"), Kind: memory.Episodic, Topic: memory.Fact,
			Created: o.time("started_at"), Updated: o.time("ended_at"), Session: o.text("id"),
		}, line)
	}
	return e.event(Event{
		Session: cmp.Or(o.text("session_id"), e.ownSession()), Client: string(Engram), At: o.time("created_at"),
		Type: journal.UserMessage, ID: cmp.Or(o.text("sync_id"), numberedID("engram-prompt", o)), Text: o.text("content", "prompt"),
	}, line)
}

func (e *engram) observation(o object, line int) error {
	text := o.text("content", "text")
	if text == "" {
		e.problem(line, "an observation without content")
		return nil
	}
	return e.fact(Fact{
		ID: o.text("sync_id", "id"), Title: o.text("title"), Text: text, Kind: memory.Semantic, Topic: topicOf(o.text("type")),
		Created: o.time("created_at"), Updated: o.time("updated_at"), Session: o.text("session_id"),
		Tags: tags(o.text("type"), o.text("topic_key")),
	}, line)
}
