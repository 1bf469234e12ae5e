package importer

import (
	"cmp"
	"encoding/json"

	"orihon/memory"
)

// mem0 reads the memories of mem0: a list of them, alone or under results or
// memories, as objects or as mere strings.
type mem0 struct{ *run }

func (m *mem0) take(member string, raw json.RawMessage, line int) error {
	switch member {
	case "", "results", "memories":
	default:
		return nil
	}
	if text := asText(raw); text != "" {
		m.count("memory")
		return m.fact(Fact{Text: text, Kind: memory.Semantic, Topic: memory.Fact}, line)
	}
	o, err := parseObject(raw)
	if err != nil {
		m.problem(line, "is no memory: neither an object nor a text")
		return nil
	}
	text := cmp.Or(o.text("memory", "text", "content", "data"), o.object("data").text("memory", "text"))
	if text == "" {
		m.problem(line, "a memory without text")
		return nil
	}
	m.count("memory")
	f := Fact{
		ID: o.text("id"), Text: text, Kind: memory.Semantic, Topic: memory.Fact, Tags: o.texts("categories", "tags"),
		Created: o.time("created_at"), Updated: o.time("updated_at"), ValidTo: o.time("expiration_date"), Session: o.text("run_id"),
	}
	return m.fact(f, line)
}
