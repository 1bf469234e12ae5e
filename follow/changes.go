package follow

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/extract"
	"orihon/internal/learn"
	"orihon/internal/revise"
	"orihon/internal/session"
	"orihon/internal/wording"
	"orihon/items"
	"orihon/memory"
)

const (
	// changes is from how likely on the agent is told that a prompt changes something:
	// docs/benchmarks.md says what is found from there, and how often it is wrong.
	changes = 0.4
	// outdates is the same where the agent is asked about what it has just kept, and
	// looks at the two anyway: of 90 such statements that end another, the two likeliest
	// hold the other for 84.
	outdates = 0.02
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
	return in.with(s.changed(ctx, cmp.Or(asked, prompt), seq, near, kept, news))
}

// changed tells the agent which of the statements near a prompt it seems to change, or
// else which may be ended by what was kept of it, and notes it, so that the agent may
// follow the user's words; nothing where the agent has no tool for that. seq is the
// prompt's place in the journal. What it has just brought into memory is no such
// statement.
func (s *Session) changed(ctx context.Context, prompt string, seq int64, near []memory.Passage, kept map[string]bool, news []memory.Item) Injection {
	if s.tool == "" || !s.v.Config.Capture.Changes || !s.v.Config.Capture.Enabled {
		return Injection{}
	}
	near = slices.DeleteFunc(slices.Clone(near), func(p memory.Passage) bool {
		return kept[p.Item.ID] || p.Item.Scope != memory.Personal(s.v.User)
	})
	found := s.corrected(ctx, prompt, seq)
	for _, it := range changedBy(prompt, near, changes) {
		if len(found) < mostChanged && !slices.ContainsFunc(found, func(o memory.Item) bool { return o.ID == it.ID }) {
			found = append(found, it)
		}
	}
	update := s.toolNamed("memory_update")
	if len(found) > 0 {
		return s.tell(ctx, wording.ChangesText(s.language(prompt), update, found), seq, found...)
	}
	for i := range news {
		if ended := changedBy(news[i].Content, near, ends); len(ended) > 0 {
			return s.tell(ctx, wording.EndsText(s.language(prompt), &news[i], ended, update, s.toolNamed("memory_delete")), seq, ended...)
		}
	}
	return Injection{}
}

// corrected are the statements told right before that a prompt corrects, at most two.
func (s *Session) corrected(ctx context.Context, prompt string, seq int64) (found []memory.Item) {
	for _, id := range s.state.JustTold(seq) {
		it, err := items.New(s.v.Home).Get(ctx, id)
		if err == nil && !it.Retired && it.Item.ValidTo.IsZero() && it.Item.Scope == memory.Personal(s.v.User) && revise.Corrects(prompt, it.Item.Content) && len(found) < mostChanged {
			found = append(found, it.Item)
		}
	}
	return found
}

// Outdated are the user's own statements that a new one may end, at most two. It is no
// decision: whoever keeps the new one is to look at them. said is the prompt that says
// the new one, "<session>/<event>", empty for none: an agent may then follow the user's
// words with what it seems to change.
func (f *Sessions) Outdated(ctx context.Context, now *memory.Item, said string) ([]memory.Item, error) {
	r, err := f.v.RecallAs(ctx, memory.Query{Text: now.Content, Kinds: []memory.Kind{memory.Semantic, memory.Procedural}})
	if err != nil {
		return nil, err
	}
	near := slices.DeleteFunc(r.Near, func(p memory.Passage) bool { return p.Item.ID == now.ID || p.Item.Scope != now.Scope })
	name, at, ok := strings.Cut(said, "/")
	if seq, err := strconv.ParseInt(at, 10, 64); ok && err == nil {
		sure := changedBy(now.Content, near, changes)
		if _, err := session.Update(ctx, filepath.Join(f.v.Project.Sessions(), name), f.options(), func(st *session.State) error {
			st.Offer(sure, seq, f.v.Now())
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return changedBy(now.Content, near, outdates), nil
}

// changedBy are the statements that a text seems to change, from a likelihood on.
func changedBy(text string, near []memory.Passage, least float64) (found []memory.Item) {
	known := make([]string, len(near))
	for i := range near {
		known[i] = near[i].Item.Content
	}
	for _, c := range revise.Against(known).Read(text) {
		if c.P >= least && len(found) < mostChanged {
			found = append(found, near[c.Known].Item)
		}
	}
	return found
}

// UserSaid reports whether a prompt of the user's seemed to change an item lately, and
// says what it is to say now: its numbers, names and most of its words stand in the
// prompt or in the item as it was. A nil one is that the item is to go.
func (f *Sessions) UserSaid(ctx context.Context, old, now *memory.Item) bool {
	if now != nil && now.Content == old.Content {
		return false
	}
	dir, seq, ok := session.Changed(f.v.Project.Sessions(), old.ID, f.v.Now())
	if !ok || now == nil {
		return ok
	}
	said, ok := messageAt(ctx, dir, seq)
	return ok && extract.Stands(now.Content, said+"\n"+old.Content)
}
