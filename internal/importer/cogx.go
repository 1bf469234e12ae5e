package importer

import (
	"cmp"
	"encoding/json"
	"strings"

	"orihon/journal"
	"orihon/memory"
)

// cogx reads one part of a COGX archive, a folder or zip with manifest.json
// and a file of lines for each kind of thing.
type cogx struct {
	*run
	kind string // the part, by its file name
}

// isPart reports whether a file name is that of a part.
func isPart(base string) bool {
	switch base {
	case "documents.jsonl", "episodes.jsonl", "entities.jsonl", "facts.jsonl", "memories.jsonl", "memory_blocks.jsonl":
		return true
	}
	return false
}

func (c *cogx) take(_ string, raw json.RawMessage, line int) error {
	o, err := parseObject(raw)
	if err != nil {
		c.problem(line, err.Error())
		return nil
	}
	c.count(singular(c.kind))
	f := Fact{
		ID: o.text("id", "uuid"), Title: o.text("title", "name"), Text: o.text("text", "content", "fact", "statement", "value"),
		Kind: memory.Semantic, Topic: topicOf(o.text("type", "category")), Tags: o.texts("tags", "labels"), Confidence: o.number("confidence"),
		Created: o.time("created_at"), Updated: o.time("updated_at"), ValidFrom: o.time("valid_at", "valid_from"), ValidTo: o.time("invalid_at", "valid_to"),
		Session: o.text("session_id"),
	}
	switch c.kind {
	case "episodes":
		return c.episode(o, f, line)
	case "documents":
		return c.pieces(f, line)
	case "memory_blocks":
		f.Title = cmp.Or(o.text("label"), f.Title)
		return c.pieces(f, line)
	case "entities":
		if f.Text = cmp.Or(f.Text, o.text("description", "summary")); f.Text == "" {
			return nil // a name says nothing by itself
		}
		f.Text, f.Title, f.Topic = about(f.Title, f.Text), "", memory.Fact
	case "facts":
		f.Text = cmp.Or(f.Text, strings.Join(strings.Fields(o.text("subject")+" "+o.text("predicate")+" "+o.text("object")), " "))
	}
	if f.Text == "" {
		c.problem(line, "nothing is said here")
		return nil
	}
	return c.fact(f, line)
}

// pieces makes facts of a text that holds several.
func (c *cogx) pieces(f Fact, line int) error {
	for i, b := range parseMarkdown(f.Text).blocks {
		p := f
		if p.Text = b.text; p.ID != "" {
			p.ID = numbered(f.ID, i+1)
		}
		p.Title = cmp.Or(p.Title, b.heading)
		if err := c.fact(p, line); err != nil {
			return err
		}
	}
	return nil
}

func (c *cogx) episode(o object, f Fact, line int) error {
	e := Event{
		Session: cmp.Or(f.Session, c.ownSession()), Client: string(COGX), At: o.time("valid_at", "created_at", "timestamp"),
		ID: f.ID, Text: f.Text, Type: journal.UserMessage, Speaker: o.text("speaker", "source"),
	}
	if role := o.text("role"); role == "assistant" || role == "agent" {
		e.Type, e.Speaker = journal.AssistantMessage, ""
	}
	return c.event(e, line)
}
