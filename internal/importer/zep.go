package importer

import (
	"cmp"
	"encoding/json"
	"strings"

	"orihon/journal"
	"orihon/memory"
)

// zep reads the graphs of Zep and Graphiti: edges are facts with the times at
// which they held, nodes are summaries of what they stand for, episodes are
// what was said.
type zep struct{ *run }

func (z *zep) take(member string, raw json.RawMessage, line int) error {
	o, err := parseObject(raw)
	if err != nil {
		if asText(raw) == "" || member == "episodes" || member == "facts" || member == "edges" {
			z.problem(line, "is no object")
		}
		return nil
	}
	switch {
	case member == "episodes":
		return z.episode(o, line)
	case member == "edges", member == "facts", member == "" && o["fact"] != nil:
		return z.edge(o, line)
	case member == "nodes", member == "entities", member == "":
		return z.node(o, line)
	}
	return nil
}

func (z *zep) edge(o object, line int) error {
	text := o.text("fact", "content", "text")
	if text == "" {
		z.problem(line, "a fact without text")
		return nil
	}
	z.count("fact")
	return z.fact(Fact{
		ID: o.text("uuid", "uuid_", "id"), Text: text, Kind: memory.Semantic, Topic: memory.Fact,
		Created: o.time("created_at"), ValidFrom: o.time("valid_at"), ValidTo: o.time("invalid_at", "expired_at"),
		Confidence: o.number("confidence"), Tags: tags(strings.ToLower(o.text("name"))),
	}, line)
}

func (z *zep) node(o object, line int) error {
	z.count("node")
	name, summary := o.text("name"), o.text("summary", "description")
	if summary == "" {
		return nil // a name says nothing by itself; its facts name it
	}
	return z.fact(Fact{
		ID: o.text("uuid", "uuid_", "id"), Text: about(name, summary), Kind: memory.Semantic, Topic: memory.Fact,
		Tags: o.texts("labels"), Created: o.time("created_at"),
	}, line)
}

func (z *zep) episode(o object, line int) error {
	z.count("episode")
	e := Event{
		Session: cmp.Or(o.text("session_id", "thread_id", "group_id"), z.ownSession()), Client: string(Zep),
		At: o.time("valid_at", "created_at", "reference_time"), ID: o.text("uuid", "uuid_", "id"),
		Type: journal.UserMessage, Text: o.text("content", "episode_body", "body"), Speaker: o.text("role", "source_description"),
	}
	switch o.text("role_type", "role") {
	case "assistant", "ai", "agent":
		e.Type, e.Speaker = journal.AssistantMessage, ""
	case "user", "human":
		e.Speaker = ""
	}
	return z.event(e, line)
}
