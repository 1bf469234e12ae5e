package importer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/memory"
)

// mcpMemory reads the graph of the MCP memory server: entities with
// observations and relations between them, an object a line or in one document.
// Every observation and every relation is a fact that names its subject.
type mcpMemory struct{ *run }

func (m *mcpMemory) take(member string, raw json.RawMessage, line int) error {
	o, err := parseObject(raw)
	if err != nil {
		m.problem(line, err.Error())
		return nil
	}
	kind := o.text("type")
	switch {
	case member == "entities" || member == "" && kind == "entity":
		return m.entity(o, line)
	case member == "relations" || member == "" && kind == "relation":
		return m.relation(o, line)
	case member == "":
		m.problem(line, fmt.Sprintf("type %q is neither entity nor relation", kind))
	}
	return nil
}

func (m *mcpMemory) entity(o object, line int) error {
	name := o.text("name")
	if name == "" {
		m.problem(line, "an entity without a name")
		return nil
	}
	m.count("entity")
	for _, text := range o.texts("observations") {
		f := Fact{Text: about(name, text), Kind: memory.Semantic, Topic: memory.Fact, Tags: tags(o.text("entityType"))}
		if err := m.fact(f, line); err != nil {
			return err
		}
	}
	return nil
}

func (m *mcpMemory) relation(o object, line int) error {
	from, to, kind := o.text("from"), o.text("to"), o.text("relationType")
	if from == "" || to == "" {
		m.problem(line, "a relation without both ends")
		return nil
	}
	m.count("relation")
	words := strings.TrimSpace(strings.ReplaceAll(kind, "_", " "))
	return m.fact(Fact{Text: strings.Join(slices.DeleteFunc([]string{from, words, to}, func(s string) bool { return s == "" }), " "), Kind: memory.Semantic, Topic: memory.Fact, Tags: []string{"relation"}}, line)
}
