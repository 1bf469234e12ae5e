package follow

import (
	"context"
	"slices"
	"strings"
	"time"

	"orihon/internal/capture"
	"orihon/internal/extract"
	"orihon/internal/reader"
	"orihon/internal/recall"
	"orihon/internal/revise"
	"orihon/internal/session"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/memory"
)

const (
	// likelyChange is from how likely on the agent is told that a prompt changes
	// something: docs/benchmarks.md says what is found from there, and how often it is
	// wrong.
	likelyChange = 0.4
	mostChanged  = 2 // by one prompt
)

// changed tells the agent which of the statements near a prompt it seems to change, and
// notes it, so that the agent may follow the user's words; where the agent has no tool
// for that it is noted alone, see [changes]. seq is the prompt's place in the journal.
// What it has just brought into memory is no such statement.
func (s *Session) changed(ctx context.Context, prompt string, seq int64, near []memory.Passage, kept map[string]bool) Injection {
	near = slices.DeleteFunc(slices.Clone(near), func(p memory.Passage) bool {
		return kept[p.Item.ID] || p.Item.Scope != memory.Personal(s.v.User)
	})
	if len(near) == 0 || !s.v.Config.Capture.Changes || !s.v.Config.Capture.Enabled {
		return Injection{}
	}
	known := make([]string, len(near))
	for i := range near {
		known[i] = near[i].Item.Content
	}
	var found []memory.Item
	for _, c := range revise.Against(known).Read(prompt) {
		if c.P >= likelyChange && len(found) < mostChanged {
			found = append(found, near[c.Known].Item)
		}
	}
	if len(found) == 0 {
		return Injection{}
	}
	var in Injection
	if s.tool != "" {
		in.Text = recall.ChangesText(s.v.Language(prompt), strings.Replace(s.tool, "memory_search", "memory_update", 1), found)
		in.Tokens = tokens.Estimate(in.Text)
	}
	err := s.update(ctx, func(st *session.State) {
		st.InjectedTokens += in.Tokens
		for i := range found {
			st.Change(session.Change{Item: found[i].ID, Seq: seq, At: s.v.Now().UTC(), Told: s.tool != ""})
		}
	})
	if err != nil {
		s.v.Log.Warn("session: a change is not told", "session", s.start.ID, "err", err)
		return Injection{}
	}
	return in
}

// changes are the items that messages seem to change, by the number of the message.
type changes map[int64][]memory.Item

// untold are the changes of which no agent was told, of items that are still as they
// were.
func (s *Session) untold(ctx context.Context) changes {
	out := make(changes)
	for _, c := range s.state.Changes {
		if c.Told {
			continue
		}
		it, err := s.v.Personal.Text.Get(ctx, c.Item)
		if err == nil && it.ValidTo.IsZero() && it.Metadata.UpdatedAt.Before(c.At) {
			out[c.Seq] = append(out[c.Seq], it)
		}
	}
	return out
}

// end says of what a message states which items are over by it. What nobody heard in it
// that ends one is returned as a statement, for a person to judge.
func (c changes) end(heard []statement, in *UserMessage, text string, at time.Time) (unheard []statement) {
	items := c[in.Seq]
	known := make([]string, len(items))
	for i := range items {
		known[i] = items[i].Content
	}
	for _, found := range revise.Against(known).Read(text) {
		if found.P < likelyChange {
			break
		}
		part, id := text[found.From:found.To], items[found.Known].ID
		if i := slices.IndexFunc(heard, func(s statement) bool { return s.Kind != reader.Forget && overlap(s.Text, part) }); i >= 0 {
			heard[i].ends = append(heard[i].ends, id)
		} else if s, ok := capture.Revised(text, part, found.P, at); ok {
			unheard = append(unheard, statement{Stated: s, in: in, at: at, ends: []string{id}})
		}
	}
	return unheard
}

// overlap reports whether two parts of a message say the same for the most part.
func overlap(a, b string) bool {
	x, y := terms.Index(a), terms.Index(b)
	return 2*shared(x, y) > min(len(x), len(y))
}

// UserSaid reports whether a prompt of the user's seemed to change an item lately, and
// says what it is to say now: its numbers, names and most of its words stand in the
// prompt or in the item as it was.
func (f *Sessions) UserSaid(ctx context.Context, old, now *memory.Item) bool {
	if now.Content == old.Content {
		return false
	}
	dir, seq, ok := session.Changed(f.v.Project.Sessions(), old.ID, f.v.Now())
	if !ok {
		return false
	}
	log, err := journal.Open(dir, nil)
	if err != nil {
		return false
	}
	for e, err := range log.Events(ctx, seq) {
		var m journal.Message
		if err != nil || e.Seq != seq || e.Type != journal.UserMessage || log.Decode(e, &m) != nil {
			return false
		}
		return extract.Stands(now.Content, m.Text+"\n"+old.Content)
	}
	return false
}
