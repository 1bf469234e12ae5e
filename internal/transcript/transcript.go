// Package transcript reads the transcripts that Claude Code keeps of its
// sessions: one JSON object a line, in a format that is the client's own and
// changes with its versions. It is lenient: what it does not know becomes an
// entry of kind [Other], what cannot be read is reported and skipped.
//
// It knows neither hooks nor memory; what an entry means to them is their
// business. Start with [Read] for a file, or with a [Scanner] for lines from
// elsewhere.
package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"orihon/internal/jsonl"
)

// Kind is what an [Entry] of a transcript is.
type Kind string

// The kinds. Other is everything that nobody said: attachments, hook output,
// book-keeping, and types this package does not know.
const (
	User            Kind = "user"
	Assistant       Kind = "assistant"
	ToolUse         Kind = "tool_use"
	ToolResult      Kind = "tool_result"
	Thinking        Kind = "thinking"
	CompactBoundary Kind = "compact_boundary"
	CompactSummary  Kind = "compact_summary"
	Other           Kind = "other"
)

// Entry is one content block of a transcript.
type Entry struct {
	Kind Kind
	Type string // the line's own type, with "/subtype" for system lines
	TS   time.Time

	// Session, CWD and Branch are what the line says of its session; not every
	// line does.
	Session string
	CWD     string
	Branch  string

	UUID  string // of the line
	Block int    // position of the block within its line
	// MessageID is shared by all blocks of one answer, which stand on several
	// lines; PromptID by everything the user side added for one prompt.
	MessageID string
	PromptID  string
	ToolUseID string

	// Text is what was said, without injected reminders. It is empty for tool
	// calls and whenever Meta is set.
	Text string

	Tool    string          // name of the tool; empty when its call was not seen
	Input   json.RawMessage // of a tool use
	Output  string          // of a tool result, as text
	IsError bool            // of a tool result

	Sidechain bool   // said by a sub-agent
	AgentID   string // which one
	Meta      bool   // written by the client in somebody's name
	Model     string
	// Usage is set on the first entry of each message id only.
	Usage *Usage
	// Signature is the provider's seal on a thinking block.
	Signature string

	Trigger   string // of a compact boundary: manual or auto
	PreTokens int64  // of a compact boundary: size of the context before
}

// Usage is what one answer took, in tokens.
type Usage struct {
	Input         int64 `json:"input_tokens"`
	CacheCreation int64 `json:"cache_creation_input_tokens"`
	CacheRead     int64 `json:"cache_read_input_tokens"`
	Output        int64 `json:"output_tokens"`
}

// Problem is a run of lines that could not be read.
type Problem struct {
	Path   string
	Offset int64 // of the first line, in bytes
	Line   int   // of the first line, from 1 at the offset where reading began
	Lines  int   // how many in a row
	Why    string
}

// Read calls fn for every entry from byte offset from on, and returns where to
// go on next time: the file grows while it is read, and its last line may not
// be complete yet. Broken lines are skipped and reported; so is everything the
// client may add later, as entries of kind [Other]. An error of fn stops the
// reading and comes back as it is.
//
// Going on from an offset, Read looks back a little to recognise the answers
// and tool calls that began before it.
func Read(path string, from int64, fn func(Entry) error) (end int64, skipped []Problem, err error) {
	r := NewScanner()
	if err := r.lookBack(path, from); err != nil {
		return from, nil, err
	}
	end, err = jsonl.Read(path, from, func(raw []byte, offset int64, number int) error {
		entries, err := r.Line(raw)
		if err != nil {
			if n := len(skipped); n > 0 && skipped[n-1].Line+skipped[n-1].Lines == number {
				skipped[n-1].Lines++
			} else {
				skipped = append(skipped, Problem{Path: path, Offset: offset, Line: number, Lines: 1, Why: err.Error()})
			}
			return nil
		}
		for _, e := range entries {
			if err := fn(e); err != nil {
				return err
			}
		}
		return nil
	})
	return end, skipped, err
}

// Scanner reads the lines of one transcript in their order. It carries what a
// line needs to know of earlier ones.
type Scanner struct {
	counted map[string]bool   // message ids whose usage was handed out
	tools   map[string]string // tool names by tool use id
}

// NewScanner returns a scanner for one transcript.
func NewScanner() *Scanner {
	return &Scanner{counted: make(map[string]bool), tools: make(map[string]string)}
}

// lookBackBytes is how far before the offset an answer may have begun whose
// usage must not be counted again.
const lookBackBytes = 256 << 10

func (r *Scanner) lookBack(path string, from int64) error {
	if from <= 0 {
		return nil
	}
	f, err := jsonl.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	start := max(0, from-lookBackBytes)
	tail := make([]byte, from-start)
	n, err := f.ReadAt(tail, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for line := range strings.Lines(string(tail[:n])) {
		// The first line may be cut off, and broken ones say nothing.
		_, _ = r.Line([]byte(line))
	}
	return nil
}

// line is the part of a transcript line that matters here.
type line struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	SessionID   string          `json:"sessionId"`
	CWD         string          `json:"cwd"`
	GitBranch   string          `json:"gitBranch"`
	UUID        string          `json:"uuid"`
	Timestamp   string          `json:"timestamp"`
	PromptID    string          `json:"promptId"`
	AgentID     string          `json:"agentId"`
	IsSidechain bool            `json:"isSidechain"`
	IsMeta      bool            `json:"isMeta"`
	IsSummary   bool            `json:"isCompactSummary"`
	IsAPIError  bool            `json:"isApiErrorMessage"`
	Message     json.RawMessage `json:"message"`
	Compact     struct {
		Trigger   string `json:"trigger"`
		PreTokens int64  `json:"preTokens"`
	} `json:"compactMetadata"`
}

type message struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Usage   *Usage          `json:"usage"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// synthetic is the model of what the client says in its place: that a limit was
// reached, that no answer was asked for.
const synthetic = "<synthetic>"

// Line returns the entries of one line, at least one. It fails on what is no
// line of a transcript. raw is not kept.
func (r *Scanner) Line(raw []byte) ([]Entry, error) {
	var l line
	if err := Object(raw, &l); err != nil {
		return nil, err
	}
	e := Entry{
		Kind: Other, Type: l.Type, UUID: l.UUID, PromptID: l.PromptID,
		Session: l.SessionID, CWD: l.CWD, Branch: l.GitBranch,
		Sidechain: l.IsSidechain, AgentID: l.AgentID, Meta: l.IsMeta || l.IsAPIError,
	}
	if ts, err := time.Parse(time.RFC3339Nano, l.Timestamp); err == nil {
		e.TS = ts
	}
	switch {
	case l.Type == "system" && l.Subtype == "compact_boundary":
		e.Kind, e.Trigger, e.PreTokens = CompactBoundary, l.Compact.Trigger, l.Compact.PreTokens
		fallthrough
	case l.Type == "system":
		e.Type += "/" + l.Subtype
		return []Entry{e}, nil
	case l.Type != "user" && l.Type != "assistant":
		return []Entry{e}, nil
	}
	var m message
	if err := Object(l.Message, &m); err != nil {
		return nil, fmt.Errorf("%s line without a message", l.Type)
	}
	e.MessageID, e.Model = m.ID, m.Model
	e.Meta = e.Meta || m.Model == synthetic
	if l.Type == "user" {
		e.Kind = User
		if l.IsSummary {
			e.Kind = CompactSummary
		}
	} else {
		e.Kind = Assistant
	}
	entries := r.blocks(e, m.Content)
	if m.Usage != nil && m.ID != "" && !r.counted[m.ID] && len(entries) > 0 {
		r.counted[m.ID] = true
		entries[0].Usage = m.Usage
	}
	return entries, nil
}

// blocks makes the entries of one message, base carrying what they share.
func (r *Scanner) blocks(base Entry, content json.RawMessage) []Entry {
	var text string
	if json.Unmarshal(content, &text) == nil {
		base.say(text)
		return []Entry{base}
	}
	var list []json.RawMessage
	if json.Unmarshal(content, &list) != nil {
		base.Kind = Other
		return []Entry{base}
	}
	var entries []Entry
	for i, raw := range list {
		e, b := base, block{}
		e.Block = i
		if Object(raw, &b) != nil {
			e.Kind = Other
		}
		switch {
		case b.Type == "text":
			e.say(b.Text)
		case b.Type == "thinking":
			e.Kind = Thinking
			if !e.Meta {
				e.Text, e.Signature = b.Thinking, b.Signature
			}
		case strings.HasSuffix(b.Type, "tool_use"): // server_tool_use, mcp_tool_use too
			e.Kind, e.ToolUseID, e.Tool, e.Input = ToolUse, b.ID, b.Name, b.Input
			r.tools[b.ID] = b.Name
		case strings.HasSuffix(b.Type, "tool_result"):
			e.Kind, e.ToolUseID, e.Tool, e.IsError = ToolResult, b.ToolUseID, r.tools[b.ToolUseID], b.IsError
			e.Output = WithoutReminders(Content(b.Content))
		default:
			e.Kind = Other
		}
		entries = append(entries, e)
	}
	return entries
}

// say sets the text of an entry, unless the client wrote it in the user's name.
func (e *Entry) say(text string) {
	if e.Meta {
		return
	}
	text = WithoutReminders(text)
	if e.Kind == User {
		text, e.Meta = typed(text)
	}
	e.Text = text
}

// typed is what the user typed, given what the client made of it: "/name args"
// for a command, nothing for the output of local commands, for markers of an
// interruption and for text that was all injected.
func typed(text string) (said string, meta bool) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "",
		strings.HasPrefix(trimmed, "<local-command-"),
		strings.HasPrefix(trimmed, "<bash-stdout>"), strings.HasPrefix(trimmed, "<bash-stderr>"),
		strings.HasPrefix(trimmed, "[Request interrupted by user"):
		return "", true
	case strings.HasPrefix(trimmed, "<command-name>"), strings.HasPrefix(trimmed, "<command-message>"):
		args := strings.TrimSpace(tagged(trimmed, "command-args"))
		if args == "" {
			return "", true
		}
		return strings.TrimSpace(tagged(trimmed, "command-name") + " " + args), false
	}
	return text, false
}

// tagged is the text between <tag> and </tag>, or nothing.
func tagged(s, tag string) string {
	_, rest, _ := strings.Cut(s, "<"+tag+">")
	inner, _, found := strings.Cut(rest, "</"+tag+">")
	if !found {
		return ""
	}
	return inner
}
