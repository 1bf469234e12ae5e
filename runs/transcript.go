package runs

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/importer"
	"orihon/internal/redact"
	"orihon/journal"
	"orihon/memory"
)

// openTranscript reads a run that somebody else kept.
func (rs *Runs) openTranscript(ctx context.Context, path string) (*Run, error) {
	in, err := readTranscript(ctx, path)
	if err != nil {
		return nil, err
	}
	redactor := redact.New(rs.o.RedactOff)
	for i := range in.Events {
		if p := &in.Events[i].Payload; len(*p) > 0 {
			*p, _ = redactor.JSON(*p)
		}
	}
	v := journal.NewView(in.Events...).ReadOnly()
	if len(v.Events()) == 0 {
		return nil, fmt.Errorf("%w transcript %s: nothing in it is a message or a tool call", memory.ErrInvalid, path)
	}
	r := rs.Of(path, v)
	r.File, r.System = true, in.System
	for _, p := range in.Problems {
		p.Path = filepath.Base(path)
		r.Problems = append(r.Problems, p.Error())
	}
	return r, nil
}

// readTranscript tells the formats apart by what they begin with.
func readTranscript(ctx context.Context, path string) (journal.Imported, error) {
	f, err := os.Open(path)
	if err != nil {
		return journal.Imported{}, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return journal.Imported{}, fmt.Errorf("%w transcript %s: %w", memory.ErrInvalid, path, err)
		}
		in = bufio.NewReaderSize(z, 64<<10)
	}
	head, err := in.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return journal.Imported{}, fmt.Errorf("%w transcript %s: %w", memory.ErrInvalid, path, err)
	}
	var out journal.Imported
	switch shapeOf(head) {
	case "claude-code":
		out, err = journal.FromTranscript(ctx, in)
	case "gemini":
		out, err = fromGemini(ctx, path)
	default:
		out, err = journal.FromMessages(ctx, in)
	}
	if err != nil {
		return out, fmt.Errorf("transcript %s: %w", path, err)
	}
	return out, nil
}

// shapeOf tells a transcript by its first lines; a broken one does not hide
// what the others are.
func shapeOf(head []byte) string {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	if bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"projectHash"`)) && bytes.Contains(head, []byte(`"messages"`)) {
		return "gemini"
	}
	for i, line := range bytes.Split(head, []byte("\n")) {
		var l struct {
			Type      string          `json:"type"`
			Role      string          `json:"role"`
			UUID      string          `json:"uuid"`
			SessionID string          `json:"sessionId"`
			Message   json.RawMessage `json:"message"`
		}
		if json.Unmarshal(line, &l) != nil {
			if i > 20 {
				break
			}
			continue
		}
		switch {
		case l.Role != "":
			return "messages"
		case l.Type != "" && (l.UUID != "" || l.SessionID != "" || len(l.Message) > 0):
			return "claude-code"
		}
	}
	// The first line may be longer than what was looked at.
	if bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"sessionId"`)) && bytes.Contains(head, []byte(`"type"`)) {
		return "claude-code"
	}
	return "messages"
}

// fromGemini reads a session of Gemini CLI as imports do.
func fromGemini(ctx context.Context, path string) (journal.Imported, error) {
	var out journal.Imported
	report, err := importer.Read(ctx, path, &importer.Options{Format: importer.GeminiCLI}, func(rec importer.Record) error {
		if rec.Event == nil {
			return nil
		}
		e, err := plainEvent(rec.Event)
		if err != nil {
			out.Problems = append(out.Problems, journal.Problem{Line: rec.Line, Err: err})
			return nil
		}
		out.Events = append(out.Events, e)
		return nil
	})
	if err != nil {
		return out, err
	}
	for _, p := range report.Problems {
		out.Problems = append(out.Problems, journal.Problem{Err: fmt.Errorf("%s", p)})
	}
	return out, nil
}

// plainEvent makes an event of an imported one.
func plainEvent(e *importer.Event) (journal.Event, error) {
	text := strings.TrimSpace(redact.Private(e.Text))
	var payload any
	switch e.Type {
	case journal.ActionRequest:
		payload = journal.Action{Tool: e.Tool, Input: e.Input}
	case journal.ActionResult:
		payload = journal.Result{Tool: e.Tool, Output: text, Error: e.IsError}
	case journal.Compacted:
		payload = journal.Compaction{Trigger: e.Trigger, Summary: text}
	default:
		role := journal.RoleAssistant
		if e.Type == journal.UserMessage {
			role = journal.RoleUser
		}
		payload = journal.Message{Role: role, Text: text, Speaker: e.Speaker, Model: e.Model}
	}
	ev, err := journal.New(e.Type, cmp.Or(e.ID, e.Prompt), payload)
	ev.TS = e.At
	return ev, err
}
