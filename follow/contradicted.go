package follow

import (
	"context"
	"slices"

	"orihon/internal/asks"
	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/reader"
	"orihon/internal/revise"
	"orihon/internal/wording"
	"orihon/memory"
)

// contradicted puts before the user what a prompt says against a statement of theirs, or
// against what they said by the way, where the reader alone is too doubtful to notice it
// and no agent has the tool to put it right. A short correction of what was told right
// before, and what the rules, too, find at odds with a statement, is told at once; what is
// only likely to change one waits. What the team shares is told alone: no word of one's own
// ends it. It returns what to tell.
func (s *Session) contradicted(ctx context.Context, prompt string, seq int64, near []memory.Passage, kept map[string]bool, noticed []Noticed, says *wording.Notices) (notices []string) {
	c := &s.v.Config.Capture
	if s.tool != "" || !c.Enabled || c.Notice == NoticeOff {
		return nil
	}
	for i := range noticed {
		if noticed[i].Against != "" || noticed[i].Replaced != nil || noticed[i].Kind == reader.Forget.String() {
			return nil
		}
	}
	in := &UserMessage{Session: s.start.ID, Seq: seq, At: s.v.Now(), Text: prompt}
	if told, now, ok := s.mended(ctx, prompt, seq); ok {
		said, _ := capture.Part(now, in.At)
		return s.askInstead(ctx, in, said, prompt, told, says)
	}
	var stand []*memory.Item
	var known []string
	for i := range near {
		if it := &near[i].Item; !kept[it.ID] && (it.Scope == memory.Personal(s.v.User) || it.Scope == memory.Shared) {
			stand, known = append(stand, it), append(known, it.Content)
		}
	}
	known = append(known, s.waiting(ctx, in.evidence())...)
	for _, change := range changesTold(prompt, known) {
		said, ok := capture.Part(prompt[change.From:change.To], in.At)
		if !ok {
			continue
		}
		if change.P >= changes && change.Known < len(stand) && learn.Read(known[change.Known]).Before(learn.Read(said.Text)) == learn.Contradicts {
			it := stand[change.Known]
			switch {
			case it.Scope != memory.Shared:
				return s.askInstead(ctx, in, said, said.Text, it, says)
			case len(kept) == 0: // else what was kept has told it
				notices = append(notices, sharedSays(it.Content, it.ID, says))
			}
			return notices
		}
		if unheard(&said, change.P, in) {
			out, err := s.sessions().doubt(ctx, in, said)
			if err != nil {
				s.v.Log.Warn("session: a change is not put before the user", "session", s.start.ID, "err", err)
			}
			for n := range out {
				if out[n].Verdict == Ask && out[n].Against != "" {
					notices = append(notices, out[n].stands(says))
				}
			}
			return notices
		}
	}
	return nil
}

// unheard reports whether a part of a prompt that is likely to change a statement waits
// for the user although the reader passed it over; where the reader was in two minds, in
// the reader's words. Of 75 later sayings of the pairs j that the reader missed, which are
// no part of what the model had seen, it is true of 39, and of one in twenty prompts that
// change nothing.
func unheard(said *capture.Stated, p float64, in *UserMessage) bool {
	const (
		likely  = 0.4
		doubted = 0.15 // by the reader, too
	)
	for _, read := range capture.State(in.Text, in.At) {
		if revise.Told(said.Text, read.Text) || revise.Told(read.Text, said.Text) {
			said.Text = read.Text
			return read.P < capture.StatedLikely && p >= doubted
		}
	}
	return p >= likely
}

// waiting is what was said by the way lately and waits for the user, but for what a message
// says.
func (s *Session) waiting(ctx context.Context, message string) (texts []string) {
	const latest = 24 // about as many as begin a session
	heard, err := s.heard(ctx)
	if err != nil {
		s.v.Log.Warn("session: what waits is not compared", "session", s.start.ID, "err", err)
	}
	for i := range heard.Items[:min(len(heard.Items), latest)] {
		if it := &heard.Items[i]; !slices.Contains(it.Metadata.Evidence, message) {
			texts = append(texts, it.Content)
		}
	}
	return texts
}

// mended is the statement told last right before a prompt that the prompt corrects, and
// what it says with the value that the prompt gives.
func (s *Session) mended(ctx context.Context, prompt string, seq int64) (told *memory.Item, now string, ok bool) {
	if asks.Only(prompt) || asks.Once(prompt) {
		return nil, "", false
	}
	for _, id := range slices.Backward(s.state.JustTold(seq)) {
		it, own := s.own(ctx, id)
		if now, ok := revise.Corrected(prompt, it.Content); own && ok {
			return &it, now, true
		}
	}
	return nil, "", false
}

// askInstead puts a statement of a prompt before the user, in place of what else waits of
// these words of the prompt, and tells what holds until they decide.
func (s *Session) askInstead(ctx context.Context, in *UserMessage, said capture.Stated, words string, told *memory.Item, says *wording.Notices) (notices []string) {
	out, err := s.sessions().doubt(ctx, in, said)
	if err != nil {
		s.v.Log.Warn("session: a contradiction is not put before the user", "session", s.start.ID, "err", err)
	}
	for i := range out {
		n := &out[i]
		if n.Verdict != Ask {
			continue
		}
		if n.Against == "" {
			n.Against = told.Content // the rules do not see that it takes its place
		} else if err := s.sessions().Kept(ctx, in.evidence(), words); err != nil { // one question of a sentence is enough
			s.v.Log.Warn("session: a sentence is asked about twice", "session", s.start.ID, "err", err)
		}
		notices = append(notices, n.stands(says))
	}
	return notices
}

// doubt learns one statement of a message as one that a person is to decide on.
func (f *Sessions) doubt(ctx context.Context, in *UserMessage, said capture.Stated) ([]Noticed, error) {
	if err := f.v.Register(ctx); err != nil {
		return nil, err
	}
	r := router{v: f.v, mode: NoticeAsk, scope: memory.Personal(f.v.User)}
	err := r.learn(ctx, []statement{{Stated: said, in: in, at: in.At}})
	return r.out, err
}
