package follow

import (
	"context"
	"fmt"

	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/memory"
)

// keep remembers what the prompt asks to remember, and says what it did. What
// it kept stands in the window already, in the user's own words; news are the items that
// are new, noticed is what it says by the way.
func (s *Session) keep(ctx context.Context, text string) (kept map[string]bool, news []memory.Item, noticed []Noticed, notices []string) {
	if !s.v.Config.Capture.Enabled {
		return nil, nil, nil, nil
	}
	kept = make(map[string]bool)
	var asked []capture.Statement
	if s.v.Config.Capture.Explicit {
		asked = capture.Explicit(capture.Typed(capture.Said{Text: text}))
	}
	for _, st := range asked[:min(len(asked), capture.MaxStatements)] {
		if st.Redacted() {
			notices = append(notices, "orihon: not remembered, since it holds a secret: "+st.Text)
			continue
		}
		seq, _ := s.log.Last()
		out, err := s.v.Remember(ctx, learn.Statement{
			Text: st.Text, Kind: st.Kind, Topic: st.Topic, Source: memory.FromUser, Session: s.start.ID,
			Evidence: []string{fmt.Sprintf("%s/%d", s.start.ID, seq)}, Tags: categories(st),
		})
		if err == nil {
			kept[out.Item.ID] = true
			if out.Action == learn.Added || out.Action == learn.Superseded {
				news = append(news, out.Item)
			}
		}
		switch {
		case err != nil:
			s.v.Log.Warn("session: statement not kept", "session", s.start.ID, "rule", st.Rule, "err", err)
			notices = append(notices, "orihon: not remembered: "+err.Error())
		case out.Action == "confirm" || out.Action == "skip":
			notices = append(notices, "orihon: known already: "+out.Item.Content)
		case out.Action == "ask":
			notices = append(notices, "orihon: not remembered: "+out.Item.Content+": "+out.Why)
		case out.Replaced != nil:
			notices = append(notices, "orihon: remembered: "+out.Item.Content+" (replaces: "+out.Replaced.Content+")")
		default:
			notices = append(notices, "orihon: remembered: "+out.Item.Content)
		}
		if st.Cut && err == nil {
			notices = append(notices, "orihon: that was shortened; a file under memory/shared holds more")
		}
	}
	if len(asked) > capture.MaxStatements {
		notices = append(notices, fmt.Sprintf("orihon: of one prompt no more than %d points are remembered: give the rest in another", capture.MaxStatements))
	}
	notices = append(notices, s.sessions().news(ctx)...)
	noticed, err := s.notice(ctx, mostHeard)
	if err != nil {
		s.v.Log.Warn("session: not looked through", "session", s.start.ID, "err", err)
	}
	for i := range noticed {
		n := &noticed[i]
		if n.inItsWords() {
			// What was known already may be asked for in words that restate half of it.
			kept[n.Item.ID] = true
			news = append(news, *n.Item)
		}
		if line := n.announce(); line != "" {
			notices = append(notices, line)
		}
	}
	return kept, news, noticed, notices
}

// mostHeard is how many messages a prompt's hook looks through; more of them, as of
// a session that was resumed, are left to the work behind it.
const mostHeard = 8

// categories tags a preference with what it is about.
func categories(st capture.Statement) []string {
	if c := capture.PreferenceCategory(st.Text); c != "" && st.Topic == memory.Preference {
		return []string{c}
	}
	return nil
}
