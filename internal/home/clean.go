package home

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"orihon/internal/redact"
	"orihon/journal"
	"orihon/memory"
)

// Branches, folders, tools, ids and reasons come from elsewhere and are written
// as they are: what looks like a secret goes from them, too.

// CleanName takes secrets out of a name or a path.
func (h *Home) CleanName(s string) string {
	s, _ = h.Redactor.Text(redact.Private(s))
	return s
}

// CleanID is CleanName for what tells things apart: where something was taken
// out, a few digits of its hash say which of several it is. A clean one stays.
func (h *Home) CleanID(id string) string {
	clean := h.CleanName(id)
	if clean == id {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return clean + "-" + hex.EncodeToString(sum[:4])
}

// CleanEvents takes secrets out of all that events say, their ids included.
func (h *Home) CleanEvents(events []journal.Event) []journal.Event {
	for i := range events {
		e := &events[i]
		e.ID = h.CleanID(e.ID)
		if len(e.Payload) > 0 {
			e.Payload, _ = h.Redactor.JSON(e.Payload)
		}
	}
	return events
}

// CleanReason takes secrets and private spans out of what a person gave as the
// reason of a decision: it is kept as long as the audit trail is.
func (h *Home) CleanReason(why string) string {
	why, _ = h.Redactor.Text(redact.Private(why))
	return strings.TrimSpace(why)
}

// CleanItem takes private spans and secrets out of everything in an item that
// a person writes, and returns the rules that found one.
func (h *Home) CleanItem(it *memory.Item) (rules []string) {
	wipe := func(text string) string {
		text, found := h.Redactor.Text(redact.Private(text))
		for _, f := range found {
			if !slices.Contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
		return strings.TrimSpace(text)
	}
	it.Content, it.Title, it.Audience = wipe(it.Content), wipe(it.Title), wipe(it.Audience)
	for _, list := range []*[]string{&it.Metadata.Tags, &it.Triggers, &it.Aliases, &it.NeededWhen} {
		var kept []string
		for _, text := range *list {
			if text = wipe(text); text != "" && !slices.Contains(kept, text) {
				kept = append(kept, text)
			}
		}
		*list = kept
	}
	return rules
}
