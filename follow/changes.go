package follow

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/asks"
	"orihon/internal/learn"
	"orihon/internal/revise"
	"orihon/internal/session"
	"orihon/internal/tokens"
	"orihon/internal/wording"
	"orihon/items"
	"orihon/memory"
)

const (
	// changes is from how likely on the agent is told that a prompt changes something,
	// briefly the same for a prompt of few tokens, of which less can be told:
	// docs/benchmarks.md says what is found from there, and how often it is wrong.
	changes, briefly, few = 0.5, 0.3, 20
	// outdates is the same where the agent is asked about what it has just kept, and
	// looks at the two anyway.
	outdates = 0.07
	// ends is the same where a prompt's hook has kept something, and nobody has asked.
	ends        = 0.2
	mostChanged = 2 // by one prompt
)

// revised tells the agent what a prompt ends: what it asks to forget, or else which
// statements it seems to change. What it asks to remember is read as it was kept.
func (s *Session) revised(ctx context.Context, prompt string, seq int64, near []memory.Passage, kept map[string]bool, news []memory.Item, noticed []Noticed) Injection {
	in, asks := s.dropped(ctx, prompt, seq, noticed)
	if asks {
		return in
	}
	asked := ""
	for i := range news {
		if news[i].Metadata.Source == memory.FromUser {
			asked += news[i].Content + "\n"
		}
	}
	if asked != "" {
		// What it was held against by the rules, and found to be about something else, is not.
		said := learn.Read(asked)
		near = slices.DeleteFunc(slices.Clone(near), func(p memory.Passage) bool {
			return learn.Read(p.Item.Content).Before(said) == learn.Unrelated
		})
	}
	return in.with(s.changed(ctx, cmp.Or(asked, prompt), seq, near, kept, news, noticed))
}

// changed tells the agent which of the statements near a prompt it seems to change, or
// else which may be ended by what was kept of it, and notes it, so that the agent may
// follow the user's words; nothing where the agent has no tool for that. seq is the
// prompt's place in the journal. What it has just brought into memory is no such
// statement.
func (s *Session) changed(ctx context.Context, prompt string, seq int64, near []memory.Passage, kept map[string]bool, news []memory.Item, noticed []Noticed) Injection {
	if s.tool == "" || !s.v.Config.Capture.Changes || !s.v.Config.Capture.Enabled {
		return Injection{}
	}
	near = slices.DeleteFunc(slices.Clone(near), func(p memory.Passage) bool {
		return kept[p.Item.ID] || p.Item.Scope != memory.Personal(s.v.User) && p.Item.Scope != memory.Shared
	})
	language, update := s.language(ctx, prompt), s.toolNamed("memory_update")
	own, shared := apart(changedBy(prompt, near, changing(prompt)))
	own = joined(s.contested(ctx, noticed, s.corrected(ctx, prompt, seq)), own)
	var in Injection
	if len(own) > 0 {
		in = s.tell(ctx, wording.ChangesText(language, update, own), seq, own...)
	}
	if len(shared) > 0 {
		in = in.with(s.tell(ctx, wording.SharedText(language, shared), seq))
	}
	if len(own)+len(shared) > 0 {
		return in
	}
	for i := range news {
		// What the team shares otherwise, the user was told of when it was kept.
		if ended, _ := apart(changedBy(news[i].Content, near, ends)); len(ended) > 0 {
			return s.tell(ctx, wording.EndsText(language, &news[i], ended, update, s.toolNamed("memory_delete")), seq, ended...)
		}
	}
	return Injection{}
}

// apart parts the statements that a text seems to change, the likeliest first, into the
// user's own, which an agent may change at their word, and those that are shared, which it
// may not. Of their own those behind a shared one count that are of its matter: the text
// means the shared one, and others are only near.
func apart(found []memory.Item) (own, shared []memory.Item) {
	for i := range found {
		it := &found[i]
		switch {
		case it.Scope == memory.Shared:
			shared = append(shared, *it)
		case len(shared) == 0 || learn.Read(shared[0].Content).Before(learn.Read(it.Content)) != learn.Unrelated:
			own = append(own, *it)
		}
	}
	return own, shared
}

// corrected are the statements told right before that a prompt corrects, at most two.
func (s *Session) corrected(ctx context.Context, prompt string, seq int64) (found []memory.Item) {
	if asks.Only(prompt) {
		return nil
	}
	for _, id := range s.state.JustTold(seq) {
		if it, ok := s.own(ctx, id); ok && revise.Corrects(prompt, it.Content) && len(found) < mostChanged {
			found = append(found, it)
		}
	}
	return found
}

// contested adds to statements that a prompt changes those that the rules find at odds
// with what it says by the way.
func (s *Session) contested(ctx context.Context, noticed []Noticed, found []memory.Item) []memory.Item {
	for i := range noticed {
		id := noticed[i].against
		if id == "" || len(found) >= mostChanged || slices.ContainsFunc(found, func(o memory.Item) bool { return o.ID == id }) {
			continue
		}
		if it, ok := s.own(ctx, id); ok {
			found = append(found, it)
		}
	}
	return found
}

// own is a statement that holds in the user's own memory of this project.
func (s *Session) own(ctx context.Context, id string) (memory.Item, bool) {
	it, err := items.New(s.v.Home).Get(ctx, id)
	return it.Item, err == nil && !it.Retired && it.Item.ValidTo.IsZero() && it.Item.Scope == memory.Personal(s.v.User)
}

// unsettled tells the user what holds until they decide, where the agent was not told at
// the same prompt to put it right.
func (s *Session) unsettled(noticed []Noticed, seq int64, says *wording.Notices) (notices []string) {
	for i := range noticed {
		n := &noticed[i]
		told := func(c session.Change) bool { return c.Item == n.against && c.Seq == seq }
		if n.Against != "" && !slices.ContainsFunc(s.state.Changes, told) {
			notices = append(notices, n.stands(says))
		}
	}
	return notices
}

// Outdated are the user's own statements that a new one may end, at most two. It is no
// decision: whoever keeps the new one is to look at them. said is the prompt that says
// the new one, "<session>/<event>", empty for none: an agent may then follow the user's
// words with what it seems to change. against are those that the rules find at odds with
// it: they come first.
func (f *Sessions) Outdated(ctx context.Context, now *memory.Item, said string, against ...memory.Item) ([]memory.Item, error) {
	return f.outdated(ctx, now, said, outdates, against...)
}

func (f *Sessions) outdated(ctx context.Context, now *memory.Item, said string, least float64, against ...memory.Item) ([]memory.Item, error) {
	r, err := f.v.RecallAs(ctx, memory.Query{Text: now.Content, Kinds: []memory.Kind{memory.Semantic, memory.Procedural}})
	if err != nil {
		return nil, err
	}
	near := slices.DeleteFunc(r.Near, func(p memory.Passage) bool { return p.Item.ID == now.ID || p.Item.Scope != now.Scope })
	name, at, ok := strings.Cut(said, "/")
	if seq, err := strconv.ParseInt(at, 10, 64); ok && err == nil {
		sure := joined(against, changedBy(now.Content, near, changes))
		if _, err := session.Update(ctx, filepath.Join(f.v.Project.Sessions(), name), f.options(), func(st *session.State) error {
			st.Offer(sure, seq, f.v.Now())
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return joined(against, changedBy(now.Content, near, least)), nil
}

// joined are items and others that are not among them, as many as are named at a time.
func joined(first, more []memory.Item) []memory.Item {
	out := slices.Clone(first)
	for _, it := range more {
		if !slices.ContainsFunc(first, func(o memory.Item) bool { return o.ID == it.ID }) {
			out = append(out, it)
		}
	}
	return out[:min(len(out), mostChanged)]
}

// changing is how likely a prompt must change a statement for the agent to be told.
func changing(prompt string) float64 {
	if tokens.Estimate(prompt) <= few {
		return briefly
	}
	return changes
}

// changedBy are the statements that a text seems to change, from a likelihood on.
func changedBy(text string, near []memory.Passage, least float64) (found []memory.Item) {
	known := make([]string, len(near))
	for i := range near {
		known[i] = near[i].Item.Content
	}
	for _, c := range changesTold(text, known) {
		if c.P >= least && len(found) < mostChanged {
			found = append(found, near[c.Known].Item)
		}
	}
	return found
}

// changesTold are the changes that a text makes to statements, the likeliest first. A
// question makes none, nor does an exception for one occasion, nor a part of a text that is
// either.
func changesTold(text string, known []string) []revise.Change {
	if asks.Only(text) || asks.Once(text) {
		return nil
	}
	return slices.DeleteFunc(revise.Against(known).Read(text), func(c revise.Change) bool {
		part, sign := text[c.From:c.To], strings.TrimSpace(text[c.To:])
		return strings.HasPrefix(sign, "?") || strings.HasPrefix(sign, "？") || asks.Only(part) || asks.Once(part)
	})
}
