package follow

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/session"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/runs"
	"orihon/window"
	"orihon/workmem"
)

// The working memory of an agent whose client builds its messages: hooks give it the
// overview when its window begins, and say what to do as the window fills.

// overviewPassage stands for the overview among what is in the window.
const overviewPassage = workmem.Dir + "/" + workmem.OverviewFile

// overviewCommand writes the overview, in any client with a shell.
const overviewCommand = "`orihon context working-memory --write " + workmem.OverviewFile + "`"

// keepsOverview reports whether the settings want an agent to keep an overview.
func (s *Session) keepsOverview() bool {
	return s.v.Config.ContextBuilder.Strategy == window.WorkingMemory
}

// Fill lets the session ask what the client's window holds, in tokens; it is asked
// where it is told to the agent.
func (s *Session) Fill(used func() int) { s.used = used }

// besides adds what an agent with a working memory is told at the beginning of a
// window and at a prompt.
func (s *Session) besides(ctx context.Context, in Injection, prompt string) Injection {
	if !s.keepsOverview() {
		return in
	}
	over, err := workmem.Look(s.dir)
	if err != nil {
		s.v.Log.Warn("session: overview left out", "session", s.start.ID, "err", err)
		return in
	}
	o, hash := &s.v.Config.ContextBuilder.Options, journal.Digest(over.Text)
	_, inWindow := s.state.Injected[overviewPassage]
	n := window.WorkingNote{Overview: over, Show: !inWindow && !over.Pristine, CompactAt: o.OverviewAt, Language: s.language(ctx, prompt)}
	if !inWindow {
		n.Command = overviewCommand
	}
	level := s.state.FillLevel
	if s.used != nil && prompt != "" { // where a window begins, the client's figures are of the one before
		n.Used, n.Limit = s.used(), o.ClientWindow
		level = window.FillLevel(float64(n.Used)/float64(max(1, n.Limit)), n.CompactAt)
	}
	if idle := s.state.Prompts - s.state.OverviewAt; prompt != "" && s.state.Overview == hash && idle > 0 && idle%o.IdleTurns == 0 {
		n.Idle = idle
	}
	if n.Used == 0 || level <= s.state.FillLevel && n.Idle == 0 {
		n.Used, n.Limit = 0, 0
	}
	const charsOfToken = 4 // of a text that has as few as can be
	n.Room = min((s.v.Config.Recall.HookChars-len(in.Text))/charsOfToken, s.v.Config.Recall.SessionTokens-s.state.InjectedTokens)
	text := n.Text()
	cost := tokens.Estimate(text)
	if err := s.update(ctx, func(st *session.State) {
		if st.Overview != hash {
			st.Overview, st.OverviewAt = hash, st.Prompts
		}
		st.FillLevel = level
		if text != "" {
			st.Inject(map[string]string{overviewPassage: hash}, cost)
		}
	}); err != nil {
		s.v.Log.Warn("session: overview left out", "session", s.start.ID, "err", err)
		return in
	}
	switch {
	case text == "":
		return in
	case in.Text != "":
		text = in.Text + "\n" + text
	}
	in.Text, in.Tokens = text, in.Tokens+cost
	return in
}

// What other tools read of a session with a working memory, beside its journal and
// derived from it.
const (
	messagesName = "messages.jsonl"
	metaName     = "meta.json"
)

// messagesMeta is meta.json.
type messagesMeta struct {
	Session       string    `json:"session"`
	Client        string    `json:"client,omitempty"`
	CWD           string    `json:"cwd,omitempty"`
	Branch        string    `json:"branch,omitempty"`
	Created       time.Time `json:"created"`
	Last          time.Time `json:"last_event"`
	Status        string    `json:"status"`
	Messages      int       `json:"messages"`
	Iterations    int       `json:"iterations"`
	WorkingMemory int       `json:"working_memory_size"`
}

// tellMessages writes the run as messages, and what they are of.
func (s *Session) tellMessages(ctx context.Context, r *runs.Run) error {
	var n int
	if err := jsonl.Rewrite(filepath.Join(s.dir, messagesName), func(w io.Writer) (err error) {
		n, err = r.WriteMessages(ctx, w)
		return err
	}); err != nil {
		return err
	}
	over, err := workmem.Look(s.dir)
	if err != nil {
		return err
	}
	st := s.state
	raw, err := json.MarshalIndent(messagesMeta{
		Session: st.ID, Client: st.Client, CWD: st.CWD, Branch: st.Branch, Created: st.Created, Last: st.Last, Status: string(st.Status),
		Messages: n, Iterations: r.View().LastIteration(), WorkingMemory: over.Size,
	}, "", " ")
	if err != nil {
		return err
	}
	return jsonl.WriteFile(filepath.Join(s.dir, metaName), append(raw, '\n'))
}
