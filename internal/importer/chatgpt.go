package importer

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"orihon/journal"
)

// chatGPT reads conversations.json of a ChatGPT export: an array of
// conversations, each a tree of messages of which one branch was the last.
type chatGPT struct{ *run }

func (c *chatGPT) take(member string, raw json.RawMessage, line int) error {
	if member != "" {
		return nil
	}
	o, err := parseObject(raw)
	if err != nil {
		c.problem(line, "is no conversation")
		return nil
	}
	var nodes map[string]chatNode
	if err := json.Unmarshal(o["mapping"], &nodes); err != nil && len(nodes) == 0 {
		c.problem(line, "a conversation without messages")
		return nil
	}
	c.count("conversation")
	base := Event{Session: cmp.Or(o.text("conversation_id", "id"), c.ownSession()), Client: string(ChatGPT), At: o.time("create_time")}
	branch := currentBranch(nodes, o.text("current_node"))
	for i := len(branch); i < len(nodes); i++ {
		c.count("node of another branch")
	}
	for _, id := range branch {
		if err := c.message(base, nodes[id], line); err != nil {
			return err
		}
	}
	return nil
}

type chatNode struct {
	ID      string `json:"id"`
	Parent  string `json:"parent"`
	Message object `json:"message"`
}

// currentBranch is the way from the root to the node that was shown last, or to
// the latest one when none is named.
func currentBranch(nodes map[string]chatNode, current string) []string {
	if _, ok := nodes[current]; !ok {
		current = ""
		for _, id := range slices.Sorted(maps.Keys(nodes)) {
			if current == "" || nodes[id].Message.time("create_time").After(nodes[current].Message.time("create_time")) {
				current = id
			}
		}
	}
	var branch []string
	passed := make(map[string]bool)
	for n, ok := nodes[current]; ok && !passed[current]; n, ok = nodes[current] {
		passed[current] = true
		branch = append(branch, current)
		current = n.Parent
	}
	slices.Reverse(branch)
	return branch
}

func (c *chatGPT) message(e Event, n chatNode, line int) error {
	m := n.Message
	if m == nil {
		c.count("empty node")
		return nil
	}
	author := m.object("author")
	role := author.text("role")
	c.count(cmp.Or(role, "other"))
	meta := m.object("metadata")
	if meta.flag("is_visually_hidden_from_conversation") {
		return nil
	}
	if at := m.time("create_time"); !at.IsZero() {
		e.At = at
	}
	e.ID, e.Text, e.Model = cmp.Or(m.text("id"), n.ID), chatText(m.object("content")), meta.text("model_slug")
	switch recipient := m.text("recipient"); {
	case role == "user":
		e.Type = journal.UserMessage
	case role == "assistant" && recipient != "" && recipient != "all":
		c.report.ToolCalls++
		input, err := json.Marshal(map[string]string{"text": e.Text})
		if err != nil {
			return err
		}
		e.Type, e.Tool, e.Input, e.Text = journal.ActionRequest, recipient, input, ""
	case role == "assistant":
		e.Type = journal.AssistantMessage
	case role == "tool":
		// A result follows the message that asked for it.
		e.Type, e.Tool, e.ID = journal.ActionResult, cmp.Or(author.text("name"), "other"), cmp.Or(n.Parent, e.ID)
	default:
		return nil
	}
	return c.event(e, line)
}

// chatText is the text of a message's content, whatever its type.
func chatText(content object) string {
	return cmp.Or(partsText(content.list("parts"), "text", "transcription"), content.text("text", "result"))
}
