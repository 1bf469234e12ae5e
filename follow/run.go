package follow

import (
	"cmp"
	"context"

	"orihon/internal/opening"
	"orihon/runs"
	"orihon/window"
)

// Context opens the run of this session.
func (s *Session) Context(ctx context.Context) (*runs.Run, error) {
	v, err := s.log.View(ctx)
	if err != nil {
		return nil, err
	}
	return s.v.Runs().Of(s.start.ID, v), nil
}

// Opening is what a session begins with, without habits and notices, which are its
// client's: marked as data, and empty where nothing is remembered.
func (f *Sessions) Opening(ctx context.Context) (string, error) {
	core, err := f.v.Core(ctx)
	if err != nil {
		return "", err
	}
	start := f.v.Config.Recall.StartTokens
	opened, err := opening.Begin(ctx, f.v.Engine(ctx), opening.Options{
		Viewer: f.v.Viewer(), Language: f.v.Language(""), Work: f.v.Project.Branch, Tool: searchTool, Core: core,
		MaxTokens: start, KnownTokens: cmp.Or(start, -1),
	})
	return opened.Text, err
}

// onRun does something with the run of this session, unless capture is switched
// off.
func (s *Session) onRun(ctx context.Context, do func(*runs.Run, context.Context) error) error {
	if !s.v.Config.Capture.Enabled {
		return nil
	}
	r, err := s.Context(ctx)
	if err != nil {
		return err
	}
	return do(r, ctx)
}

// brief says where the session stands, from its own journal.
func (s *Session) brief(ctx context.Context, o *opening.Options) error {
	r, err := s.Context(ctx)
	if err != nil {
		return err
	}
	if _, asked := window.FirstRequest(r.View()); o.Language == "" && asked != "" {
		o.Language = s.v.Language(asked)
	}
	if r.Over, err = s.sessions().over(ctx, s.start.ID); err != nil {
		return err
	}
	o.Brief = r.Brief(0)
	// Engine.Begin gives the brief six tenths of what it may spend.
	o.MaxTokens = (runs.BriefTokens*10+5)/6 + 1
	return ctx.Err()
}
