package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"orihon/internal/transcript"
)

// Imported is a run that was kept by somebody else.
type Imported struct {
	Events   []Event // for [NewView]; they have no place yet
	System   string  // the system prompt, where the source has one
	Problems []Problem
}

// maxLine bounds a line of foreign text, in bytes.
const maxLine = 64 << 20

// FromTranscript reads a transcript of Claude Code, one JSON object a line. Its
// events have the identities that hooks give to the same things. Sub-agents,
// what the client itself wrote, and its slash commands are left out; lines that
// cannot be read are reported.
func FromTranscript(ctx context.Context, r io.Reader) (Imported, error) {
	t := transcriptReader{scan: transcript.NewScanner()}
	err := eachLine(ctx, r, func(line []byte, number int) {
		entries, err := t.scan.Line(line)
		if err != nil {
			t.out.Problems = append(t.out.Problems, Problem{Line: number, Err: err})
			return
		}
		for _, e := range entries {
			t.take(e)
		}
	})
	t.release(false)
	return t.out, err
}

func eachLine(ctx context.Context, r io.Reader, fn func(line []byte, number int)) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxLine)
	for number := 1; s.Scan(); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line := s.Bytes()
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			fn(line, number)
		}
	}
	return s.Err()
}

// transcriptReader turns entries into events.
type transcriptReader struct {
	scan *transcript.Scanner
	out  Imported
	held *transcript.Entry // a text of which it is not known yet whether it is the answer
	cwd  string
}

func (t *transcriptReader) take(e transcript.Entry) {
	if e.Sidechain || e.Meta {
		return
	}
	if e.CWD != "" && e.CWD != t.cwd {
		t.cwd = e.CWD
		t.add(RunStarted, e.TS, "", Run{Source: SourceImport, CWD: e.CWD, Branch: e.Branch, Client: "claude-code"})
	}
	switch e.Kind {
	case transcript.User:
		t.release(false)
		if !isCommand(e.Text) && e.Text != "" {
			id := cmp.Or(e.PromptID, e.UUID)
			if e.Block > 0 {
				id = fmt.Sprintf("%s:%d", id, e.Block)
			}
			t.add(UserMessage, e.TS, id, Message{Role: RoleUser, Text: e.Text})
		}
	case transcript.Assistant:
		t.release(true)
		held := e
		t.held = &held
	case transcript.Thinking:
		t.release(true)
		t.add(Thought, e.TS, fmt.Sprintf("thinking:%s:%d", e.UUID, e.Block), Message{Role: RoleAssistant, Text: e.Text, Reasoning: true, Signature: e.Signature, Model: e.Model})
	case transcript.ToolUse:
		t.release(true)
		t.add(ActionRequest, e.TS, e.ToolUseID, Action{Tool: e.Tool, Input: e.Input})
	case transcript.ToolResult:
		t.release(true)
		t.add(ActionResult, e.TS, e.ToolUseID, Result{Tool: e.Tool, Output: e.Output, Error: e.IsError})
	case transcript.CompactBoundary:
		t.release(false)
		t.add(Compacted, e.TS, e.UUID, Compaction{Trigger: e.Trigger})
	case transcript.CompactSummary:
		t.add(Summary, e.TS, e.UUID, Message{Role: RoleUser, Text: e.Text})
	}
}

// release hands on the text that was held: something said on the way, or the
// answer.
func (t *transcriptReader) release(interim bool) {
	if t.held == nil {
		return
	}
	e := t.held
	t.held = nil
	if e.Text == "" {
		return
	}
	typ := AssistantMessage
	if interim {
		typ = Thought
	}
	t.add(typ, e.TS, fmt.Sprintf("%s:%d", e.UUID, e.Block), Message{Role: RoleAssistant, Text: e.Text, Model: e.Model})
}

func (t *transcriptReader) add(typ Type, at time.Time, id string, payload any) {
	e, err := New(typ, id, payload)
	if err != nil {
		t.out.Problems = append(t.out.Problems, Problem{Err: err})
		return
	}
	e.TS = at
	t.out.Events = append(t.out.Events, e)
}
