package follow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/items"
	"orihon/memory"
)

// mostElsewhere is how many of the user's other projects are looked at, the latest
// made first.
const mostElsewhere = 20

// proposeEverywhere puts before the person what this session left that seems to hold
// in all their projects: what another one says as well, and what tells of their own
// ways. Nothing is moved unasked.
func (s *Session) proposeEverywhere(ctx context.Context) error {
	if !s.v.Config.Capture.Enabled {
		return nil
	}
	left, known, err := s.left(ctx)
	if err != nil || len(left) == 0 {
		return err
	}
	elsewhere, c := s.elsewhere(ctx), s.sessions().consultation(s)
	var asked []memory.Question
	for i := range left {
		it := left[i].Clone()
		if slices.ContainsFunc(known, func(k string) bool { return learn.Same(k, it.Content) }) {
			continue
		}
		q := memory.Question{Kind: memory.QuestionEverywhere, Other: it.ID, At: s.v.Now().UTC(), Session: s.start.ID}
		var also []string
		for _, p := range elsewhere {
			if slices.ContainsFunc(p.says, func(text string) bool { return learn.Same(text, it.Content) }) {
				also = append(also, p.name)
			}
		}
		switch {
		case len(also) > 0:
			q.Why = "said as well in " + strings.Join(also, ", ")
		case capture.Reaches(it.Content, it.Topic):
			q.Why = "it speaks of all projects, or of everywhere"
		case capture.Everywhere(it.Content):
			q.Why = "it tells of your own ways and names nothing of this project"
		case it.Topic == memory.Preference && c.everywhere(ctx, it.Content):
			q.Why = "it is about you and not about this project, a model says"
		default:
			continue
		}
		it.ID, it.Scope = s.v.NewID(), memory.Global
		q.Item = it
		asked = append(asked, q)
	}
	if len(asked) == 0 {
		return nil
	}
	asked = asked[:min(len(asked), mostAsked)]
	if _, err := s.v.Global.Text.Propose(ctx, asked...); err != nil {
		return fmt.Errorf("what may hold everywhere: %w", err)
	}
	return nil
}

// left are the statements of the user's that this session left in their own scope, and
// what is known to hold everywhere.
func (s *Session) left(ctx context.Context) (left []memory.Item, everywhere []string, err error) {
	all, err := items.New(s.v.Home).List(ctx, memory.Filter{
		Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, Scopes: []memory.Scope{memory.Personal(s.v.User), memory.Global}, AsOf: s.v.Now(), Present: true,
	})
	for i := range all {
		switch it := &all[i].Item; {
		case it.Scope == memory.Global:
			everywhere = append(everywhere, it.Content)
		case it.Metadata.Session == s.start.ID && said(it):
			left = append(left, *it)
		}
	}
	return left, everywhere, err
}

// said reports whether an item is what the user said.
func said(it *memory.Item) bool {
	return it.Metadata.Source == memory.FromUser || slices.Contains(it.Metadata.Tags, memory.NoticedTag)
}

// other is another project of the user's, and what was said in it.
type other struct {
	name string
	says []string
}

// elsewhere are the user's other projects.
func (s *Session) elsewhere(ctx context.Context) (out []other) {
	for name, sp := range s.v.Others(mostElsewhere) {
		o := other{name: name}
		for stored, err := range sp.Text.Scan(ctx) {
			if it := &stored.Item; err == nil && !stored.Retired && it.ValidTo.IsZero() && it.Kind != memory.Episodic && it.Kind != memory.Note && said(it) {
				o.says = append(o.says, it.Content)
			}
		}
		out = append(out, o)
	}
	return out
}
