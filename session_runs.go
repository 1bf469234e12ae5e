package orihon

import (
	"context"

	"orihon/internal/recall"
	"orihon/journal"
	"orihon/runs"
)

// Runs opens runs: sessions of this project, transcripts and journals.
func (m *Memory) Runs() *runs.Runs {
	return runs.New(&runs.Options{
		Sessions: m.project.Sessions(), Folder: func(id string) string { return m.project.Session(m.cleanID(id)) },
		Strategy: m.cfg.Context.Strategy, Language: m.cfg.Language, HookChars: m.cfg.Recall.HookChars,
		RedactOff: m.cfg.Redact.Off, Now: m.now, Logger: m.log,
	})
}

// Context opens the run of this session.
func (s *Session) Context(ctx context.Context) (*runs.Run, error) {
	v, err := s.log.View(ctx)
	if err != nil {
		return nil, err
	}
	return s.m.Runs().Of(s.start.ID, v), nil
}

// onRun does something with the run of this session, unless capture is switched
// off.
func (s *Session) onRun(ctx context.Context, do func(*runs.Run, context.Context) error) error {
	if !s.m.cfg.Capture.Enabled {
		return nil
	}
	r, err := s.Context(ctx)
	if err != nil {
		return err
	}
	return do(r, ctx)
}

// brief says where the session stands, from its own journal.
func (s *Session) brief(ctx context.Context, o *recall.Opening) error {
	r, err := s.Context(ctx)
	if err != nil {
		return err
	}
	if asked := r.View().ByType(journal.UserMessage); o.Language == "" && len(asked) > 0 {
		o.Language = s.m.language(r.View().Text(asked[0]))
	}
	o.Brief = r.Brief(0)
	// Engine.Begin gives the brief six tenths of what it may spend.
	o.MaxTokens = (runs.BriefTokens*10+5)/6 + 1
	return ctx.Err()
}
