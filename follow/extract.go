package follow

import (
	"context"

	"orihon/internal/session"
	"orihon/internal/wording"
)

// extract asks models about what was said since the last time.
func (s *Session) extract(ctx context.Context) error {
	if s.sessions().consults() {
		if err := s.consult(ctx); err != nil {
			return err
		}
	}
	if s.sessions().studies() {
		return s.study(ctx, s.sessions().consultation(s).x)
	}
	return nil
}

// consult settles what of the user's words the reader was not sure of. What it kept
// is announced when somebody is there.
func (s *Session) consult(ctx context.Context) error {
	turns, next, err := s.log.Turns(ctx, s.state.Extracted.Said)
	if err != nil || len(turns) == 0 {
		return err
	}
	noticed, err := s.sessions().Notice(ctx, heardIn(s.start.ID, turns), &NoticeOptions{Models: true, part: partDoubtful, session: s})
	if err != nil {
		return err
	}
	var news []string
	for i := range noticed {
		if n := &noticed[i]; n.announce(wording.NoticesIn("")) != "" {
			news = append(news, n.Item.ID)
		}
	}
	if err := session.AddNews(ctx, s.v.Project.Sessions(), news...); err != nil {
		return err
	}
	return s.quietly(ctx, func(st *session.State) { st.Extracted.Said = next })
}
