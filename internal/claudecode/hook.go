package claudecode

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"orihon"
	"orihon/follow"
	"orihon/internal/jsonl"
	"orihon/internal/transcript"
)

// Handler answers the client's events.
type Handler struct {
	// Open opens the memory of the project that a folder belongs to.
	Open func(ctx context.Context, dir string) (*orihon.Memory, error)
	// Detach starts a process that outlives the hook and does what is left; nil
	// leaves the work for later.
	Detach func(left *Left) error
	Logger *slog.Logger // nil discards
	// Plugin is the folder of the plugin whose hook runs; empty for one of the
	// settings.
	Plugin string
}

// Left is work that a hook leaves to a process of its own.
type Left struct {
	Dir                 string
	Session, Transcript string        // to catch up with; may be empty
	Rest                time.Duration // how long that process is to wait for more
}

// turnRest is the rest after an answer. The end of the session often follows at once,
// and the work behind both is done in one go.
const turnRest = 500 * time.Millisecond

// clientName is what sessions of this client are noted under.
const clientName = "claude-code"

// Run reads one event from in and writes the answer to out. It never breaks
// its client: whatever goes wrong is returned for the log, and nothing is
// written then but, where a session starts, that it has gone wrong for a day.
func (h *Handler) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	e, err := Parse(in)
	if err != nil {
		return err
	}
	answer, err := h.handle(ctx, e)
	_, werr := out.Write(answer.Encode(e.Name))
	return errors.Join(err, werr)
}

func (h *Handler) handle(ctx context.Context, e Event) (Answer, error) {
	if !handled(e) {
		return Answer{}, nil
	}
	m, err := h.Open(ctx, e.CWD)
	if err != nil {
		return Answer{}, fmt.Errorf("%s in %s: %w", e.Name, e.CWD, err)
	}
	defer m.Close()
	answer, err := h.tell(ctx, m, e)
	if err == nil {
		return answer, nil
	}
	if e.Name == SessionStart {
		answer.Context = m.Sessions().Unwell()
	}
	// Sessions.Unwell looks for the folder.
	return answer, fmt.Errorf("%s in %s: %w", e.Name, m.Project().Root, err)
}

// tell tells the event's session of it, and leaves the work behind it to others.
func (h *Handler) tell(ctx context.Context, m *orihon.Memory, e Event) (Answer, error) {
	ms, _, _ := m.Setting("hooks.timeout_ms")
	within, err := time.ParseDuration(ms + "ms")
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	s, err := m.Session(ctx, e.SessionID, follow.Client{Name: clientName, CWD: e.CWD, Tool: h.searchTool(e, m.Project().Root)})
	if err != nil {
		return Answer{}, err
	}
	if e.TranscriptPath != "" {
		s.Fill(func() int { return windowTokens(e.TranscriptPath) })
	}
	answer, err := h.answer(ctx, s, e)
	if err != nil {
		return Answer{}, err
	}
	if h.Detach != nil && (m.LateIndex() || wantsWork(e.Name)) {
		h.detach(m, &e)
	}
	return answer, nil
}

// detach leaves the work behind an event to another process: one that is at such work
// already, or a new one.
func (h *Handler) detach(m *orihon.Memory, e *Event) {
	left := Left{Dir: e.CWD, Session: e.SessionID}
	switch e.Name {
	case SessionEnd:
		left.Transcript = e.TranscriptPath
	case Stop:
		left.Rest = turnRest
	}
	if left.Transcript == "" && m.Sessions().Attended() {
		return
	}
	if err := h.Detach(&left); err != nil && h.Logger != nil {
		h.Logger.Warn("hook: work left for later", "session", e.SessionID, "err", err)
	}
}

// handled reports whether an event does anything here, before anything is
// opened for it.
func handled(e Event) bool {
	switch e.Name {
	case SessionStart, UserPromptSubmit, PostToolUse, PostToolUseFailure, SubagentStart, Stop, PreCompact, SessionEnd:
		return e.SessionID != ""
	case PreToolUse:
		return e.SessionID != "" && follow.Acts(action(e))
	case SubagentStop:
		// The client's own summariser around a compaction has no type.
		return e.SessionID != "" && e.AgentType != ""
	}
	return false
}

// wantsWork reports whether an event leaves work for a process of its own.
func wantsWork(n Name) bool {
	return n == SessionStart || n == Stop || n == PreCompact || n == SessionEnd
}

func (h *Handler) answer(ctx context.Context, s *follow.Session, e Event) (Answer, error) {
	switch e.Name {
	case SessionStart:
		in, err := s.Begin(ctx, e.Source)
		return Answer{Context: in.Text}, err
	case UserPromptSubmit:
		in, err := s.Prompt(ctx, e.PromptID, e.Prompt)
		return Answer{Context: in.Text, SystemMessage: in.Notice}, err
	case PreToolUse:
		in, err := s.Acting(ctx, action(e))
		return Answer{Context: in.Text, Deny: in.Refuse}, err
	case PostToolUse, PostToolUseFailure:
		a := action(e)
		_, a.Output, a.Error = ToolText(e)
		if err := s.Action(ctx, a); err != nil {
			return Answer{}, err
		}
		reminder := s.Reminder().Text
		hot, err := s.Remembered(ctx, a)
		if err != nil && h.Logger != nil {
			h.Logger.Warn("hook: hot cache left out", "session", e.SessionID, "err", err)
		}
		reminder = below(hot.Text, reminder)
		if !a.Error {
			return Answer{Context: reminder, SystemMessage: saved(a.Tool, a.Output)}, nil
		}
		in, err := s.Failed(ctx, a)
		return Answer{Context: below(in.Text, reminder)}, err
	case SubagentStart:
		in, err := s.Subagent(ctx, e.AgentID, e.AgentType)
		return Answer{Context: in.Text}, err
	case Stop:
		if err := hear(ctx, s, e.TranscriptPath); err != nil && h.Logger != nil {
			h.Logger.Warn("hook: what was said between the calls comes later", "session", e.SessionID, "err", err)
		}
		if err := s.Answer(ctx, e.PromptID, e.LastAssistantMessage); err != nil {
			return Answer{}, err
		}
		return stop(ctx, s, e, "")
	case SubagentStop:
		if err := s.Report(ctx, e.AgentID, e.AgentType, e.LastAssistantMessage); err != nil {
			return Answer{}, err
		}
		return stop(ctx, s, e, e.AgentID)
	case PreCompact:
		if err := catchUpEnd(ctx, s, e.TranscriptPath); err != nil && h.Logger != nil {
			h.Logger.Warn("hook: transcript left out", "session", e.SessionID, "err", err)
		}
		return Answer{}, s.Compact(ctx, e.Trigger, "")
	case SessionEnd:
		return Answer{}, s.End(ctx, e.Reason)
	}
	return Answer{}, nil
}

// stop asks whether an agent may stop.
func stop(ctx context.Context, s *follow.Session, e Event, agent string) (Answer, error) {
	h, err := s.Stop(ctx, agent, e.StopHookActive)
	return Answer{Block: h.Reason, SystemMessage: h.Notice}, err
}

// below is a text with another one below it.
func below(text, under string) string {
	if text == "" || under == "" {
		return text + under
	}
	return text + "\n" + under
}

// action is the tool call of an event, as far as it is known before it ran.
func action(e Event) follow.Action {
	return follow.Action{ID: e.ToolUseID, Agent: e.AgentID, Tool: e.ToolName, Input: e.ToolInput, DurationMS: int64(e.DurationMS)}
}

// CatchUp tells a session what its transcript says and no hook has told. A
// path that is empty is nothing to tell.
func CatchUp(ctx context.Context, s *follow.Session, path string) error {
	if path == "" {
		return nil
	}
	return catchUpFrom(ctx, s, path, 0)
}

// mostCaughtUp is how much of a transcript a hook reads, in bytes: many times
// what a client's window holds. What lies before was told by hooks, or is told
// when the session ends.
const mostCaughtUp = 8 << 20

// catchUpEnd is [CatchUp] with the end of a transcript, for a hook that must be
// done in time.
func catchUpEnd(ctx context.Context, s *follow.Session, path string) error {
	info, err := os.Stat(path)
	if path == "" || err == nil && info.Size() <= mostCaughtUp {
		return CatchUp(ctx, s, path)
	}
	if err != nil {
		return err
	}
	from, err := nextLine(path, info.Size()-mostCaughtUp)
	if err != nil {
		return err
	}
	return catchUpFrom(ctx, s, path, from)
}

// mostHeard is how much of the end of a turn is read for what the agent said in it, in
// bytes; of a longer one the rest is told by [CatchUp].
const mostHeard = 1 << 20

// hear tells a session what the agent said between its calls since the transcript was
// read last, so that it stands before the answer. A transcript that the client has not
// begun to write yet says nothing; what it will say comes with the next reading.
func hear(ctx context.Context, s *follow.Session, path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	t, from := newTeller(s), s.Heard()
	t.waits = true // what stands before the prompt is the answer to the one before
	if info.Size() < from {
		from = 0 // another file
	}
	if info.Size()-from > mostHeard {
		t.waits = from == 0
		if from, err = nextLine(path, info.Size()-mostHeard); err != nil {
			return err
		}
	}
	end, _, err := transcript.Read(path, from, t.entry)
	if err != nil {
		return err
	}
	return s.Hear(ctx, end, t.told...)
}

// lastAnswers is how much of the end of a transcript is looked through for what the
// last answer took, in bytes.
const lastAnswers = 256 << 10

// windowTokens is what the window held with the last answer, in tokens; 0 where the
// transcript does not say.
func windowTokens(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	var from int64
	if info.Size() > lastAnswers {
		if from, err = nextLine(path, info.Size()-lastAnswers); err != nil {
			return 0
		}
	}
	var used int64
	// What cannot be read says nothing.
	_, _, _ = transcript.Read(path, from, func(e transcript.Entry) error {
		if e.Kind == transcript.CompactBoundary || e.Kind == transcript.CompactSummary {
			used = 0 // what it held is gone
		}
		if u := e.Usage; u != nil && !e.Sidechain {
			used = u.Input + u.CacheCreation + u.CacheRead + u.Output
		}
		return nil
	})
	return int(used)
}

// nextLine is where the first line behind an offset begins.
func nextLine(path string, offset int64) (int64, error) {
	f, err := jsonl.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.NewSectionReader(f, offset, 1<<62-offset)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return offset + int64(len(line)), nil
}

func catchUpFrom(ctx context.Context, s *follow.Session, path string, from int64) error {
	t := newTeller(s)
	// What is said before the first prompt cannot be told apart: its prompt is
	// its identity.
	t.waits = from > 0
	if _, _, err := transcript.Read(path, from, t.entry); err != nil {
		return err
	}
	t.flush(false)
	// Of what was broken off, as when the client ended, nobody tells a result.
	for _, id := range slices.Sorted(maps.Keys(t.actions)) {
		t.actions[id].Open = true
		t.told = append(t.told, *t.actions[id])
	}
	return s.Tell(ctx, t.told...)
}

// teller turns entries of a transcript into what a session is told.
type teller struct {
	told    []follow.TranscriptEntry
	prompt  string                  // the one under way
	last    *follow.TranscriptEntry // a text of which it is not known yet whether it is the answer
	actions map[string]*follow.TranscriptEntry
	waits   bool // no prompt was seen yet
	// elsewhere reports whether a folder is another project's; known are its answers.
	elsewhere func(folder string) bool
	known     map[string]bool
}

func newTeller(s *follow.Session) *teller {
	return &teller{actions: make(map[string]*follow.TranscriptEntry), elsewhere: s.Elsewhere, known: make(map[string]bool)}
}

func (t *teller) entry(e transcript.Entry) error {
	if e.Sidechain || e.Meta {
		return nil
	}
	if _, asked := t.known[e.CWD]; !asked && e.CWD != "" {
		t.known[e.CWD] = t.elsewhere(e.CWD)
	}
	if t.known[e.CWD] {
		// What a session said before it came here is the other project's.
		t.flush(false)
		t.waits = true
		return nil
	}
	switch e.Kind {
	case transcript.User:
		t.waits = false
		t.flush(false)
		t.prompt = e.PromptID
		// Commands of the client itself are no conversation.
		if !strings.HasPrefix(e.Text, "/") {
			t.told = append(t.told, follow.TranscriptEntry{At: e.TS, Prompt: e.PromptID, ID: e.UUID, User: true, Text: e.Text})
		}
	case transcript.Assistant:
		if t.waits {
			return nil
		}
		t.flush(true)
		t.last = &follow.TranscriptEntry{At: e.TS, Prompt: t.prompt, ID: e.UUID, Text: e.Text}
	case transcript.ToolUse:
		t.flush(true)
		t.actions[e.ToolUseID] = &follow.TranscriptEntry{At: e.TS, Action: &follow.Action{ID: e.ToolUseID, Tool: e.Tool, Input: e.Input}}
	case transcript.ToolResult:
		if told := t.actions[e.ToolUseID]; told != nil {
			told.Action.Output, told.Action.Error = e.Output, e.IsError
			t.told = append(t.told, *told)
			delete(t.actions, e.ToolUseID)
		}
	}
	return nil
}

func (t *teller) flush(interim bool) {
	if t.last != nil {
		t.last.Interim = interim
		t.told = append(t.told, *t.last)
		t.last = nil
	}
}
