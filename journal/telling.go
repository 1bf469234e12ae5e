package journal

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// Telling names messages that are told of a session again, by a transcript, which may
// name them otherwise than the hooks that noted them, or not at all. A message is then
// the next one in the same words that nothing was told of yet, so that what is said
// twice stays said twice. Everything that is told of a session goes through one
// Telling, in its order.
type Telling struct {
	names map[identity]bool
	// said are the names of messages by their words, in order; those that were told
	// are taken out.
	said map[identity][]string
	// used is the last number that an ID was given, see [NthID].
	used map[identity]int
}

// Telling reads the messages of the journal.
func (j *Journal) Telling(ctx context.Context) (*Telling, error) {
	t := &Telling{names: make(map[identity]bool), said: make(map[identity][]string), used: make(map[identity]int)}
	for e, err := range j.Events(ctx, 1) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var m Message
		if err != nil || !isSaid(e.Type) || e.ID == "" || j.Decode(e, &m) != nil {
			continue // doctor tells of what is broken
		}
		t.names[identity{e.Type, e.ID}] = true
		words := byWords(e.Type, m.Text)
		if m.Was != "" {
			words.id = m.Was
		}
		t.said[words] = append(t.said[words], e.ID)
	}
	return t, nil
}

// Name gives a message of the user or the agent the ID that it has in the journal, or,
// when it is new and has none, one of its words. Its payload is the [Message] as it is
// to be appended. Other events are left as they are.
func (t *Telling) Name(e *Event) {
	var m Message
	if !isSaid(e.Type) || json.Unmarshal(e.Payload, &m) != nil {
		return
	}
	words := byWords(e.Type, m.Text)
	known := t.said[words]
	i := slices.IndexFunc(known, func(id string) bool {
		return id == e.ID || !t.names[identity{e.Type, e.ID}] && (e.ID == "" || onlyWords(e.Type, id, m.Text))
	})
	if i >= 0 {
		e.ID = known[i]
		if i == 0 { // as it mostly is: the rest stays where it is
			t.said[words] = known[1:]
		} else {
			t.said[words] = slices.Delete(known, i, i+1)
		}
		return
	}
	if e.ID == "" {
		e.ID = t.unused(e.Type, unnamedID(e.Type, m.Text))
	}
	t.names[identity{e.Type, e.ID}] = true
}

func (t *Telling) unused(typ Type, id string) string {
	n := t.used[identity{typ, id}] + 1
	for t.names[identity{typ, NthID(id, n)}] {
		n++
	}
	t.used[identity{typ, id}] = n
	return NthID(id, n)
}

func isSaid(t Type) bool { return t == UserMessage || t == AssistantMessage }

func byWords(t Type, text string) identity { return identity{t, Digest(strings.TrimSpace(text))} }

// unnamedID is the identity of a message that nothing but its words names.
func unnamedID(t Type, text string) string {
	if t == AssistantMessage {
		return AnswerID("", text)
	}
	return Digest(text)
}

// onlyWords reports whether nothing but its words names a message. The words of a prompt
// that asked not to be kept are gone: the look of its name is all there is.
func onlyWords(t Type, id, text string) bool {
	id, _, _ = strings.Cut(id, "#")
	sum, err := hex.DecodeString(id)
	return t == UserMessage && err == nil && len(sum) == digestSize || id == unnamedID(t, text)
}
