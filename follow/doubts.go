package follow

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"orihon/internal/extract"
	"orihon/internal/reader"
	"orihon/internal/session"
	"orihon/internal/wording"
	"orihon/journal"
	"orihon/review"
)

// mostDoubted is how many statements of one prompt the agent is asked about.
const mostDoubted = 2

// doubted asks the agent about what a prompt says by the way, where the reader cannot tell
// whether it is to be kept: the agent understands it, and is there anyway. Nothing where
// the agent has no tool to keep it, where models are asked, or where a person decides on
// everything. seq is the prompt's place in the journal.
func (s *Session) doubted(ctx context.Context, prompt string, seq int64, noticed []Noticed) Injection {
	c := &s.v.Config.Capture
	if s.tool == "" || !c.Doubts || c.AgentSaves == 0 || c.Notice == NoticeAsk || s.sessions().consults() {
		return Injection{}
	}
	here := (&UserMessage{Session: s.start.ID, Seq: seq}).evidence()
	doubts := slices.DeleteFunc(slices.Clone(noticed), func(n Noticed) bool {
		return n.Evidence != here || n.Kind == reader.Forget.String() || n.Against != "" || n.Verdict != Ask && n.Verdict != maybe
	})
	slices.SortStableFunc(doubts, func(a, b Noticed) int { return cmp.Compare(b.Score, a.Score) })
	if len(doubts) == 0 {
		return Injection{}
	}
	var said []string
	for _, n := range doubts[:min(len(doubts), mostDoubted)] {
		said = append(said, n.Text)
	}
	return s.tell(ctx, wording.DoubtsText(s.language(prompt), s.toolNamed("memory_add"), said), seq)
}

// SaidIn finds the prompt that says what an agent keeps, among the latest ones:
// "<session>/<event>".
func (f *Sessions) SaidIn(ctx context.Context, content string) (prompt string, ok bool) {
	for _, p := range session.LatestPrompts(f.v.Project.Sessions(), f.v.Now()) {
		if text, ok := messageAt(ctx, p.Dir, p.Seq); ok && extract.Stands(content, text) {
			return fmt.Sprintf("%s/%d", filepath.Base(p.Dir), p.Seq), true
		}
	}
	return "", false
}

// Kept takes out of what waits for a person what an agent has kept of a prompt.
func (f *Sessions) Kept(ctx context.Context, prompt, content string) error {
	return review.New(f.v.Home).Overtaken(ctx, func(w *review.Pending) bool {
		return slices.Contains(w.Item.Metadata.Evidence, prompt) && extract.Stands(w.Item.Content, content)
	})
}

// messageAt is what the user said at a place in a session's journal.
func messageAt(ctx context.Context, dir string, seq int64) (string, bool) {
	log, err := journal.Open(dir, nil)
	if err != nil {
		return "", false
	}
	for e, err := range log.Events(ctx, seq) {
		var m journal.Message
		if err != nil || e.Seq != seq || e.Type != journal.UserMessage || log.Decode(e, &m) != nil {
			return "", false
		}
		return m.Text, true
	}
	return "", false
}
