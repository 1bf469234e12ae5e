package importer

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/transcript"
	"orihon/journal"
)

// claudeCode is what sessions of Claude Code are noted under, by hooks too.
const claudeCode = "claude-code"

// transcriptFile reads a transcript of Claude Code. Sub-agents get sessions of
// their own, named after the one they belong to.
type transcriptFile struct {
	*run
	scan    *transcript.Scanner
	session string // of the last line that names one
	cwd     string
	branch  string
	at      time.Time         // of the last line that has a time
	prompts map[string]string // the one under way, by session
	// held is the last text of each session, of which it is not known yet
	// whether it is the answer.
	held map[string]*heldText

	compaction     *Event // waits for its summary
	compactionLine int
}

type heldText struct {
	Event
	line int
}

func newTranscript(r *run) *transcriptFile {
	return &transcriptFile{
		run: r, scan: transcript.NewScanner(), session: r.stem(".jsonl"),
		prompts: make(map[string]string), held: make(map[string]*heldText),
	}
}

func (t *transcriptFile) take(_ string, raw json.RawMessage, line int) error {
	entries, err := t.scan.Line(raw)
	if err != nil {
		t.problem(line, err.Error())
		if o, bad := parseObject(raw); bad == nil {
			t.count(cmp.Or(o.text("type"), "other"))
		}
		return nil
	}
	if len(entries) == 0 {
		t.count("other")
		return nil
	}
	kind, _, _ := strings.Cut(entries[0].Type, "/")
	t.count(cmp.Or(kind, "other"))
	for _, e := range entries {
		if err := t.entry(e, line); err != nil {
			return err
		}
	}
	return nil
}

func (t *transcriptFile) entry(e transcript.Entry, line int) error {
	if answer := "answer " + e.MessageID; e.Usage != nil && !t.seen[answer] {
		t.seen[answer] = true
		t.report.Answers++
		u := &t.report.Usage
		u.Input += e.Usage.Input
		u.CacheCreation += e.Usage.CacheCreation
		u.CacheRead += e.Usage.CacheRead
		u.Output += e.Usage.Output
	}
	if e.Kind == transcript.ToolUse {
		t.report.ToolCalls++
	}
	t.session, t.cwd, t.branch = cmp.Or(e.Session, t.session), cmp.Or(e.CWD, t.cwd), cmp.Or(e.Branch, t.branch)
	if !e.TS.IsZero() {
		t.at = e.TS
	}
	session := t.session
	if e.Sidechain && e.AgentID != "" {
		session += "-agent-" + e.AgentID
	} else if e.Sidechain {
		session += "-agents"
	}
	if e.UUID != "" {
		// A resumed session may repeat lines, in another file too.
		told := fmt.Sprintf("%s %s %d", session, e.UUID, e.Block)
		if t.seen[told] {
			return nil
		}
		t.seen[told] = true
	}
	ev := Event{Session: session, Client: claudeCode, CWD: t.cwd, Branch: t.branch, At: t.at, Text: e.Text, Model: e.Model}
	return t.tell(e, ev, line)
}

// tell makes the events of an entry. They have the identities that hooks give
// to the same things.
func (t *transcriptFile) tell(e transcript.Entry, ev Event, line int) error {
	if e.Meta {
		return nil
	}
	id := fmt.Sprintf("%s:%d", e.UUID, e.Block)
	switch e.Kind {
	case transcript.User:
		if err := t.release(ev.Session, false); err != nil {
			return err
		}
		t.prompts[ev.Session] = e.PromptID
		if strings.HasPrefix(e.Text, "/") {
			return nil // a command of the client itself
		}
		ev.Type, ev.Prompt = journal.UserMessage, e.PromptID
		if e.Sidechain {
			ev.Speaker = "agent"
		}
	case transcript.Assistant:
		if err := t.release(ev.Session, true); err != nil {
			return err
		}
		ev.ID, ev.Prompt = e.UUID, t.prompts[ev.Session]
		t.held[ev.Session] = &heldText{ev, line}
		return nil
	case transcript.Thinking:
		if err := t.release(ev.Session, true); err != nil {
			return err
		}
		ev.Type, ev.ID = journal.Thought, "thinking:"+id
	case transcript.ToolUse:
		if err := t.release(ev.Session, true); err != nil {
			return err
		}
		ev.Type, ev.ID, ev.Tool, ev.Input = journal.ActionRequest, e.ToolUseID, e.Tool, e.Input
	case transcript.ToolResult:
		ev.Type, ev.ID, ev.Text, ev.IsError = journal.ActionResult, e.ToolUseID, e.Output, e.IsError
		ev.Tool = cmp.Or(e.Tool, "unknown") // its call stands elsewhere
	case transcript.CompactBoundary:
		if err := t.compacted(); err != nil {
			return err
		}
		ev.Type, ev.ID, ev.Trigger = journal.Compacted, e.UUID, e.Trigger
		t.compaction, t.compactionLine = &ev, line
		return nil
	case transcript.CompactSummary:
		if t.compaction == nil {
			ev.Type, ev.ID = journal.Compacted, e.UUID
			return t.event(ev, line)
		}
		t.compaction.Text = e.Text
		return t.compacted()
	default:
		return nil
	}
	if err := t.compacted(); err != nil {
		return err
	}
	return t.event(ev, line)
}

// release hands on the text that was held: something said on the way, or the
// answer.
func (t *transcriptFile) release(session string, interim bool) error {
	h := t.held[session]
	if h == nil {
		return nil
	}
	delete(t.held, session)
	h.Type = journal.AssistantMessage
	if interim {
		h.Type = journal.Thought
	} else {
		h.ID = "" // the words name it, as they do for hooks
	}
	return t.event(h.Event, h.line)
}

func (t *transcriptFile) compacted() error {
	if t.compaction == nil {
		return nil
	}
	e := *t.compaction
	t.compaction = nil
	return t.event(e, t.compactionLine)
}

func (t *transcriptFile) done() error {
	if err := t.compacted(); err != nil {
		return err
	}
	for _, s := range slices.Sorted(maps.Keys(t.held)) {
		if err := t.release(s, false); err != nil {
			return err
		}
	}
	return nil
}

// FolderOf is the folder that the first session in a transcript of Claude Code
// worked in; empty when none is told near its beginning.
func FolderOf(path string) string {
	s := file(path, filepath.Base(path), 0)
	return firstFolder(&s)
}

// firstFolder is the folder of the first session in a transcript.
func firstFolder(s *source) string {
	in, err := s.open(func(int64) {})
	if err != nil {
		return ""
	}
	defer in.Close()
	b := bufio.NewReaderSize(in, 64<<10)
	const looked = 200 // lines
	for range looked {
		line, err := readLine(b)
		if o, bad := parseObject(line); bad == nil && o.text("cwd") != "" {
			return o.text("cwd")
		}
		if err != nil {
			return ""
		}
	}
	return ""
}
