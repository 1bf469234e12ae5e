package importer

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"orihon/journal"
	"orihon/memory"
)

// claudeMem reads an export of claude-mem: observations and summaries are
// facts, prompts belong to their sessions.
type claudeMem struct{ *run }

func (c *claudeMem) take(member string, raw json.RawMessage, line int) error {
	switch member {
	case "observations", "summaries", "prompts", "sessions":
	default:
		return nil
	}
	o, err := parseObject(raw)
	if err != nil {
		c.problem(line, "is no object")
		return nil
	}
	c.count(singular(member))
	switch member {
	case "observations":
		return c.observation(o, line)
	case "summaries":
		return c.summary(o, line)
	case "prompts":
		return c.event(Event{
			Session: cmp.Or(o.text("content_session_id", "claude_session_id", "session_id"), c.ownSession()), Client: string(ClaudeMem),
			At: c.at(o), Type: journal.UserMessage, ID: numberedID("claude-mem-prompt", o), Text: o.text("prompt_text", "prompt", "text"),
		}, line)
	}
	return nil
}

func (c *claudeMem) observation(o object, line int) error {
	text := o.text("narrative", "text", "subtitle")
	if facts := o.texts("facts"); len(facts) > 0 {
		text = strings.TrimSpace(text + "\n- " + strings.Join(facts, "\n- "))
	}
	if text = cmp.Or(text, o.text("title")); text == "" {
		c.problem(line, "an observation without text")
		return nil
	}
	return c.fact(Fact{
		ID: o.text("id"), Title: o.text("title"), Text: text, Kind: memory.Semantic, Topic: topicOf(o.text("type")),
		Tags: append(o.texts("concepts"), tags(o.text("type"))...), Created: c.at(o), Session: o.text("memory_session_id", "sdk_session_id"),
	}, line)
}

func (c *claudeMem) summary(o object, line int) error {
	var parts []string
	for _, p := range []struct{ name, label string }{
		{"request", "Request"}, {"investigated", "Investigated"}, {"learned", "Learned"}, {"completed", "Done"}, {"next_steps", "Next"}, {"notes", "Notes"},
	} {
		if s := strings.TrimSpace(o.text(p.name)); s != "" {
			parts = append(parts, p.label+": "+s)
		}
	}
	return c.fact(Fact{
		ID: numberedID("summary", o), Text: strings.Join(parts, "\n"), Kind: memory.Episodic, Topic: memory.Fact,
		Created: c.at(o), Session: o.text("memory_session_id", "sdk_session_id"),
	}, line)
}

func (c *claudeMem) at(o object) time.Time { return o.time("created_at_epoch", "created_at") }

// numberedID makes an ID that is unique only within its file one that names
// its kind.
func numberedID(kind string, o object) string {
	if id := o.text("id"); id != "" {
		return kind + "-" + id
	}
	return ""
}
