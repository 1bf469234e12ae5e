package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"orihon/journal"
)

// messages reads a conversation as chat APIs have it: a list of messages, alone or
// as the member "messages" of an object, or a message a line.
type messages struct {
	*run
	chat    journal.MessageReader
	session string
	held    []heldText // until the session has a name
	asked   bool       // the user has said something
	number  int        // of messages read
	replied bool       // and so has somebody else
}

// mostHeld bounds how many events are held.
const mostHeld = 64

func (m *messages) take(member string, raw json.RawMessage, line int) error {
	if member != "" && member != "messages" {
		return nil // such as the model, of a request that was kept whole
	}
	m.number++
	got := m.chat.Read(raw, line)
	for _, p := range got.Problems {
		why := p.Err.Error()
		if m.whole { // a list may stand on one line
			why = fmt.Sprintf("message %d: %s", m.number, why)
		}
		m.problem(line, why)
	}
	if len(got.Problems) == 0 {
		o, _ := parseObject(raw) // it was read just now
		m.count(o.text("role"))
	}
	for _, e := range got.Events {
		ev, err := m.plain(e)
		if err != nil {
			m.problem(line, err.Error())
			continue
		}
		user := ev.Type == journal.UserMessage
		m.asked, m.replied = m.asked || user, m.replied || !user
		m.held = append(m.held, heldText{ev, line})
	}
	if m.asked && m.replied || len(m.held) >= mostHeld {
		return m.done()
	}
	return nil
}

// plain is an event of the journal as imports hand it on.
func (m *messages) plain(e journal.Event) (Event, error) {
	var p struct {
		Text   string          `json:"text"`
		Tool   string          `json:"tool"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  bool            `json:"error"`
	}
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return Event{}, err
	}
	out := Event{Client: string(Messages), At: e.TS, Type: e.Type, ID: clean(e.ID), Text: cmp.Or(p.Text, p.Output)}
	switch e.Type {
	case journal.ActionRequest:
		m.report.ToolCalls++
		out.Tool, out.Input = cmp.Or(clean(p.Tool), "unknown"), p.Input
	case journal.ActionResult:
		out.Tool, out.IsError = cmp.Or(clean(p.Tool), "unknown"), p.Error
	}
	return out, nil
}

// done hands on what is held. The file names the session, and so does how it began:
// many a file is called chat.json.
func (m *messages) done() error {
	if m.session == "" {
		var opening strings.Builder
		for _, h := range m.held {
			opening.WriteString(h.Text + "\x00" + h.Tool + "\x00" + string(h.Input) + "\x00")
		}
		m.session = m.ownSession() + "-" + journal.Digest(opening.String())[:8]
	}
	for _, h := range m.held {
		h.Session = m.session
		if err := m.event(h.Event, h.line); err != nil {
			return err
		}
	}
	m.held = nil
	return nil
}
