package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Turn is one side's contribution to a conversation.
type Turn struct {
	Seq  int64     // of its first event
	TS   time.Time // of its first event
	Role string    // "user" or "assistant"
	Text string
	ID   string // of its first event
}

// The roles of a [Turn].
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Turns returns the conversation from a byte offset on, and the offset at which
// to go on later. Each user message is a turn; the assistant messages between
// two of them are one, joined by blank lines. Thoughts, actions and results are
// no turns. What cannot be read is logged and left out.
//
// An answer that goes on after next comes back as a turn of its own.
func (j *Journal) Turns(ctx context.Context, from int64) (turns []Turn, next int64, err error) {
	r := turnReader{dir: j.dir, log: j.o.Logger}
	next, err = r.read(ctx, from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, from, nil
	}
	for _, t := range answers(r.turns) {
		turns = append(turns, t.Turn)
	}
	return turns, next, err
}

// turn is a Turn and where it stands.
type turn struct {
	Turn
	speaker       string
	offset        int64 // of its first line
	line, endLine int
	known         int  // how many identities the reader knew before it
	interim       bool // said by the assistant on the way to its answer
}

// answers are turns without what was said on the way.
func answers(turns []turn) []turn {
	return slices.DeleteFunc(slices.Clone(turns), func(t turn) bool { return t.interim })
}

// recentIdentities is how far back a reader recognises a message told twice.
// Append has already dropped the twins that are near, AppendExact all of them.
const recentIdentities = 64

// turnReader collects turns.
type turnReader struct {
	dir  string
	log  *slog.Logger
	line int // number of the line before the first one read

	ids   []uint64 // identities of the messages so far, hashed
	turns []turn
	// last is the offset of the last message that was read, -1 before.
	last int64
}

// read reads on from an offset and returns where the last complete line ends.
func (r *turnReader) read(ctx context.Context, from int64) (end int64, err error) {
	path := filepath.Join(r.dir, fileName)
	base := r.line
	r.last = -1
	return readLines(path, from, func(line []byte, offset int64, number int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.line = base + number
		// Most bytes of a journal are results: their type alone rules them out.
		if e, _, ok := parseHead(line); ok && e.Type != UserMessage && e.Type != AssistantMessage && e.Type != Thought {
			return nil
		}
		e, err := parse(line)
		if err == nil {
			err = r.add(e, offset)
		}
		if err != nil {
			p := &Problem{path, r.line, err}
			r.log.Warn("journal line passed over", "at", p.Error())
		}
		return nil
	})
}

func (r *turnReader) add(e Event, offset int64) error {
	role := RoleUser
	switch e.Type {
	case UserMessage:
	case AssistantMessage, Thought:
		role = RoleAssistant
	default:
		return nil
	}
	known, id := len(r.ids), hashIdentity(e)
	if e.ID != "" && slices.Contains(r.ids[max(0, known-recentIdentities):], id) {
		return nil
	}
	var m Message
	if err := decode(r.dir, e, &m); err != nil {
		return err
	}
	if e.ID != "" {
		r.ids = append(r.ids, id)
	}
	text := strings.TrimSpace(m.Text)
	interim := e.Type == Thought
	if text == "" || interim && IsReasoning(e, m) {
		return nil
	}
	r.last = offset
	if t := r.goesOn(role); t != nil && !interim {
		t.Text += "\n\n" + text
		t.endLine = r.line
		return nil
	}
	r.turns = append(r.turns, turn{
		Turn:    Turn{Seq: e.Seq, TS: e.TS, Role: role, Text: text, ID: e.ID},
		speaker: m.Speaker,
		offset:  offset,
		line:    r.line,
		endLine: r.line,
		known:   known,
		interim: interim,
	})
	return nil
}

// goesOn is the answer that what is said now belongs to, nil for a turn of its own: an
// answer is one whatever is said on the way.
func (r *turnReader) goesOn(role string) *turn {
	for i := len(r.turns) - 1; i >= 0 && role == RoleAssistant; i-- {
		if t := &r.turns[i]; t.Role != role {
			return nil
		} else if !t.interim {
			return t
		}
	}
	return nil
}

// IsReasoning tells a model's thinking from what it said on the way.
func IsReasoning(e Event, m Message) bool {
	return e.Type == Thought && (m.Reasoning || m.Signature != "" || strings.HasPrefix(e.ID, "thinking:"))
}

func hashIdentity(e Event) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s", e.Type, e.ID)
	return h.Sum64()
}

// packIdentities keeps the last identities for a [mark].
func packIdentities(ids []uint64) []byte {
	var b []byte
	for _, id := range ids[max(0, len(ids)-recentIdentities):] {
		b = binary.BigEndian.AppendUint64(b, id)
	}
	return b
}

func unpackIdentities(b []byte) (ids []uint64) {
	for ; len(b) >= 8; b = b[8:] {
		ids = append(ids, binary.BigEndian.Uint64(b))
	}
	return ids
}
