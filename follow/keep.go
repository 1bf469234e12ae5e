package follow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/wording"
	"orihon/items"
	"orihon/memory"
)

// keep remembers what the prompt asks to remember, and says what it did. What
// it kept stands in the window already, in the user's own words; news are the items that
// are new, noticed is what it says by the way.
func (s *Session) keep(ctx context.Context, text string, says *wording.Notices) (kept map[string]bool, news []memory.Item, noticed []Noticed, notices []string) {
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
			notices = append(notices, "orihon: "+fmt.Sprintf(says.Secret, st.Text))
			continue
		}
		out, err := s.keepOne(ctx, &st)
		if err == nil {
			kept[out.Item.ID] = true
			if out.Action == learn.Added || out.Action == learn.Superseded {
				news = append(news, out.Item)
			}
		} else {
			s.v.Log.Warn("session: statement not kept", "session", s.start.ID, "rule", st.Rule, "err", err)
		}
		notices = append(notices, became(&st, &out, err, says))
		notices = append(notices, sharedOtherwise(out.Conflicts, says)...)
		if st.Cut && err == nil {
			notices = append(notices, "orihon: that was shortened; a file under memory/shared holds more")
		}
	}
	if len(asked) > capture.MaxStatements {
		notices = append(notices, fmt.Sprintf("orihon: of one prompt no more than %d points are remembered: give the rest in another", capture.MaxStatements))
	}
	notices = append(notices, s.sessions().news(ctx, says)...)
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
		if line := n.announce(says); line != "" && n.Against == "" { // of that see [Session.unsettled]
			notices = append(notices, line)
		}
		notices = append(notices, sharedOtherwise(n.beside, says)...)
	}
	return kept, news, noticed, notices
}

// keepOne remembers a statement where it holds. What this project says already and is
// now said for all moves there.
func (s *Session) keepOne(ctx context.Context, st *capture.Statement) (learn.Outcome, error) {
	scope := memory.Personal(s.v.User)
	if st.Everywhere {
		scope = memory.Global
		own := items.New(s.v.Home)
		here, err := own.List(ctx, memory.Filter{Scopes: []memory.Scope{memory.Personal(s.v.User)}, AsOf: s.v.Now(), Present: true})
		if err != nil {
			return learn.Outcome{}, err
		}
		for i := range here {
			if it := &here[i].Item; said(it) && learn.Same(it.Content, st.Text) {
				moved, err := own.Move(ctx, it.ID, scope)
				if errors.Is(err, memory.ErrRefused) {
					break
				}
				return learn.Outcome{Action: learn.Added, Item: moved}, err
			}
		}
	}
	seq, _ := s.log.Last()
	return s.v.Remember(ctx, learn.Statement{
		Text: st.Text, Kind: st.Kind, Topic: st.Topic, Scope: scope, Source: memory.FromUser, Session: s.start.ID,
		Evidence: []string{fmt.Sprintf("%s/%d", s.start.ID, seq)}, Tags: categories(*st),
	})
}

// became tells the user what became of a statement that they asked to remember.
func became(st *capture.Statement, out *learn.Outcome, err error, says *wording.Notices) string {
	if err != nil {
		return "orihon: not remembered: " + err.Error()
	}
	text, where := out.Item.Content, ""
	if st.Everywhere {
		where = says.Everywhere
	}
	switch out.Action {
	case learn.Confirmed, learn.Skipped:
		return "orihon: " + fmt.Sprintf(says.Known, where, text) + ownAlone(st, &out.Item, says)
	case learn.Asked:
		return "orihon: not remembered: " + text + ": " + out.Why
	}
	line := "orihon: " + fmt.Sprintf(says.Remembered, where, text)
	var notes []string
	if out.Replaced != nil {
		notes = append(notes, fmt.Sprintf(says.Replaces, out.Replaced.Content))
	}
	for _, c := range out.Conflicts {
		notes = append(notes, fmt.Sprintf(says.Beside, c.Content))
	}
	if len(notes) > 0 {
		line += says.Open + strings.Join(notes, says.Between) + says.Close
	}
	if st.Everywhere {
		id := memory.ShortID(out.Item.ID)
		line += says.Open + fmt.Sprintf(says.TakeBack, id) + says.Between + fmt.Sprintf(says.OnlyHere, id) + says.Close
	}
	return line + ownAlone(st, &out.Item, says)
}

// ownAlone says of what the team is to have how the user shares it; empty of all else, and
// of what is shared.
func ownAlone(st *capture.Statement, it *memory.Item, says *wording.Notices) string {
	if !st.Team || !it.Scope.Private() {
		return ""
	}
	return says.Open + fmt.Sprintf(says.OwnAlone, memory.ShortID(it.ID)) + says.Close
}

// sharedOtherwise tells the user what the team shares otherwise than what was kept: no
// word of one's own ends it.
func sharedOtherwise(found []learn.Conflict, says *wording.Notices) (notices []string) {
	for i := range found {
		if c := &found[i]; c.Scope == memory.Shared {
			notices = append(notices, sharedSays(c.Content, c.ID, says))
		}
	}
	return notices
}

func sharedSays(text, id string, says *wording.Notices) string {
	return "orihon: " + fmt.Sprintf(says.Shared, text) + says.Open + fmt.Sprintf(says.ForAll, memory.ShortID(id)) + says.Close
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
