package orihon

import (
	"crypto/sha256"
	"encoding/hex"

	"orihon/internal/redact"
	"orihon/journal"
)

// Branches, folders, tools, ids and reasons come from elsewhere and are written
// as they are: what looks like a secret goes from them, too.

// cleanName takes secrets out of a name or a path.
func (m *Memory) cleanName(s string) string {
	s, _ = m.redactor.Text(redact.Private(s))
	return s
}

// cleanID is cleanName for what tells things apart: where something was taken
// out, a few digits of its hash say which of several it is. A clean one stays.
func (m *Memory) cleanID(id string) string {
	clean := m.cleanName(id)
	if clean == id {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return clean + "-" + hex.EncodeToString(sum[:4])
}

// cleanEvents takes secrets out of all that events say, their ids included.
func (m *Memory) cleanEvents(events []journal.Event) []journal.Event {
	for i := range events {
		e := &events[i]
		e.ID = m.cleanID(e.ID)
		if len(e.Payload) > 0 {
			e.Payload, _ = m.redactor.JSON(e.Payload)
		}
	}
	return events
}
