package follow

import (
	"context"
	"strings"

	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/reader"
	"orihon/internal/wording"
	"orihon/memory"
)

// contradicted puts before the user what a prompt says against a statement of theirs, where
// the reader alone is too doubtful to notice it and no agent has the tool to put it right:
// how likely it changes the statement, and the rules, both say so. It returns what to tell.
func (s *Session) contradicted(ctx context.Context, prompt string, seq int64, near []memory.Passage, kept map[string]bool, noticed []Noticed, says *wording.Notices) (notices []string) {
	const likely = 0.5
	c := &s.v.Config.Capture
	if s.tool != "" || !c.Enabled || c.Notice == NoticeOff {
		return nil
	}
	for i := range noticed {
		if noticed[i].Against != "" || noticed[i].Replaced != nil || noticed[i].Kind == reader.Forget.String() {
			return nil
		}
	}
	known := make([]string, len(near))
	for i := range near {
		known[i] = near[i].Item.Content
	}
	for _, change := range changesTold(prompt, known) {
		p := &near[change.Known]
		said := strings.Join(strings.Fields(prompt[change.From:change.To]), " ")
		if change.P < likely || kept[p.Item.ID] || p.Item.Scope != memory.Personal(s.v.User) || learn.Read(p.Item.Content).Before(learn.Read(said)) != learn.Contradicts {
			continue
		}
		out, err := s.sessions().doubt(ctx, &UserMessage{Session: s.start.ID, Seq: seq, At: s.v.Now(), Text: prompt}, said)
		if err != nil {
			s.v.Log.Warn("session: a contradiction is not put before the user", "session", s.start.ID, "err", err)
		}
		// One question of a sentence is enough.
		if err := s.sessions().Kept(ctx, (&UserMessage{Session: s.start.ID, Seq: seq}).evidence(), said); err != nil {
			s.v.Log.Warn("session: a sentence is asked about twice", "session", s.start.ID, "err", err)
		}
		for i := range out {
			if line := out[i].announce(says); line != "" {
				notices = append(notices, line)
			}
		}
		return notices
	}
	return nil
}

// doubt learns one statement of a message as one that a person is to decide on.
func (f *Sessions) doubt(ctx context.Context, in *UserMessage, text string) ([]Noticed, error) {
	if err := f.v.Register(ctx); err != nil {
		return nil, err
	}
	r := router{v: f.v, mode: NoticeAsk, scope: memory.Personal(f.v.User)}
	err := r.learn(ctx, []statement{{Stated: capture.Stated{Text: text, Topic: memory.Fact, Kind: reader.Correction, P: capture.StatedLikely}, in: in, at: in.At}})
	return r.out, err
}
