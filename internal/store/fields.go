package store

import (
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"orihon/memory"
)

// field is a key of the front matter; a nil value leaves it out.
type field struct {
	key   string
	value *yaml.Node
}

// fields lists the front matter of an item, in the order in which a new file
// has it.
func fields(it *memory.Item) []field {
	str := func(s string) *yaml.Node {
		if s == "" {
			return nil
		}
		return scalar(s)
	}
	num := func(n int) *yaml.Node {
		if n == 0 {
			return nil
		}
		return bare(strconv.Itoa(n))
	}
	at := func(t time.Time) *yaml.Node {
		if t.IsZero() {
			return nil
		}
		return bare(t.Format(time.RFC3339Nano))
	}
	all := func(s []string) *yaml.Node {
		if len(s) == 0 {
			return nil
		}
		return list(s)
	}
	m := &it.Metadata
	return []field{
		{"id", str(it.ID)},
		{"kind", str(string(it.Kind))},
		{"topic", str(string(it.Topic))},
		{"title", str(it.Title)},
		{"tier", str(string(it.Tier))},
		{"confidence", bare(strconv.FormatFloat(m.Confidence, 'g', -1, 64))},
		{"confirmations", num(m.Confirmations)},
		{"source", str(string(m.Source))},
		{"created_at", at(m.CreatedAt)},
		{"updated_at", at(m.UpdatedAt)},
		{"valid_from", at(it.ValidFrom)},
		{"valid_to", at(it.ValidTo)},
		{"supersedes", str(it.Relations.Supersedes)},
		{"related_to", all(it.Relations.RelatedTo)},
		{"tags", all(m.Tags)},
		{"triggers", all(it.Triggers)},
		{"aliases", all(it.Aliases)},
		{"audience", str(it.Audience)},
		{"session", str(m.Session)},
		{"evidence", all(m.Evidence)},
		{"access_count", num(m.AccessCount)},
		{"last_accessed", at(m.LastAccessed)},
	}
}

// frontOf is the front matter of an item that has none yet.
func frontOf(it *memory.Item) *yaml.Node {
	front := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range fields(it) {
		if f.value != nil {
			setKey(front, f.key, f.value)
		}
	}
	return front
}

func same(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
