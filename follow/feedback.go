package follow

import (
	"context"
	"errors"
	"strings"

	"orihon/internal/capture"
	"orihon/internal/session"
	"orihon/journal"
	"orihon/memory"
)

// judge notes which of the passages that prompts brought in were used by what
// the agent answered and did, and what follows for the threshold. It looks at
// what was injected since the last time; a prompt that has no answer yet waits.
func (s *Session) judge(ctx context.Context) error {
	trials, last, err := s.trials(ctx)
	if err != nil {
		return err
	}
	if last > s.state.JudgedSeq {
		// Noted first: a passage that is not judged is better than one judged
		// twice.
		if err := s.quietly(ctx, func(st *session.State) { st.JudgedSeq = last }); err != nil {
			return err
		}
	}
	for _, t := range trials {
		used, passed, err := s.sessions().verdict(ctx, &t)
		if err != nil {
			return err
		}
		for _, u := range []memory.Usage{{Op: memory.UsageAccessed, IDs: used, Judged: true}, {Op: memory.UsagePassed, IDs: passed}} {
			if len(u.IDs) == 0 {
				continue
			}
			u.TS, u.Session = s.v.Now().UTC(), s.start.ID
			if err := s.v.Personal.Text.Use(ctx, u); err != nil {
				return err
			}
		}
	}
	return s.sessions().countFeedback()
}

// trial is one prompt that brought passages in, and what became of it.
type trial struct {
	asked strings.Builder
	did   strings.Builder
	ids   []string
}

// trials reads the journal from where it was judged up to, and returns the
// prompts that were answered, with the place up to which they are complete.
func (s *Session) trials(ctx context.Context) (done []trial, last int64, err error) {
	last = s.state.JudgedSeq
	var t trial
	asked, answered := "", false
	end := func(before int64) {
		if len(t.ids) > 0 && answered {
			done = append(done, t)
			last = before
		}
		t, answered = trial{}, false
	}
	for e, err := range s.log.Events(ctx, last+1) {
		var broken *journal.Problem
		switch {
		case errors.As(err, &broken):
			continue
		case err != nil:
			return nil, last, err
		}
		switch e.Type {
		case journal.UserMessage:
			end(e.Seq - 1)
			var m journal.Message
			if s.log.Decode(e, &m) == nil {
				asked = m.Text
			}
		case journal.Recalled:
			var r journal.Recall
			// What a session begins with is not a question's answer.
			if s.log.Decode(e, &r) == nil && r.Query != "" && len(t.ids) == 0 {
				t.ids = r.Passages
				t.asked.WriteString(asked)
			}
		case journal.AssistantMessage:
			var m journal.Message
			if s.log.Decode(e, &m) == nil {
				t.did.WriteString("\n" + m.Text)
				answered = true
			}
		case journal.ActionRequest:
			var a journal.Action
			if s.log.Decode(e, &a) == nil {
				t.did.WriteString("\n")
				t.did.Write(a.Input)
			}
		}
	}
	seq, _ := s.log.Last()
	end(seq)
	return done, last, nil
}

// verdict parts the passages of a trial into used ones and others. A passage
// that is no longer there is neither.
func (f *Sessions) verdict(ctx context.Context, t *trial) (used, passed []string, err error) {
	for _, sp := range f.v.Spaces() {
		index, err := sp.Reader(ctx)
		if err != nil || index == nil {
			continue
		}
		found, err := index.Fetch(ctx, memory.Filter{Scopes: f.v.Viewer().Scopes(), Superseded: true}, t.ids...)
		if err != nil {
			return nil, nil, err
		}
		for i := range found {
			p := &found[i]
			if capture.Used(p.Item.Title+"\n"+p.Item.Content, t.asked.String(), t.did.String()) {
				used = append(used, p.ID)
			} else {
				passed = append(passed, p.ID)
			}
		}
	}
	return used, passed, nil
}

// countFeedback takes what the usage log gained into the feedback.
func (f *Sessions) countFeedback() error {
	dir := string(f.v.Personal.Dir)
	fb := session.LoadFeedback(dir)
	count := func(u memory.Usage) {
		for range u.IDs {
			switch {
			case u.Op == memory.UsageAccessed && u.Judged:
				fb.Judge(true)
			case u.Op == memory.UsagePassed:
				fb.Judge(false)
			}
		}
	}
	end, err := f.v.Personal.Text.UsesFrom(fb.Offset, count)
	if errors.Is(err, memory.ErrInvalid) { // the log was rewritten
		fb = session.Feedback{Version: fb.Version}
		end, err = f.v.Personal.Text.UsesFrom(0, count)
	}
	if err != nil || end == fb.Offset {
		return err
	}
	fb.Offset = end
	return session.SaveFeedback(dir, fb)
}
