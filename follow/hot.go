package follow

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"orihon/internal/inert"
	"orihon/internal/session"
	"orihon/internal/terms"
	"orihon/internal/tokens"
	"orihon/internal/wording"
)

// Bounds of what the hot cache gives at one event.
const (
	mostHot   = 3   // entries
	hotTokens = 150 // of all
	hotShared = 2   // words that an entry and the event have in common
)

// hot is what the session taught and its window holds no more, as far as it bears on
// a text; each entry once. Before a compaction the window holds it all.
func (s *Session) hot(ctx context.Context, text string) (Injection, error) {
	left := s.v.Config.Recall.SessionTokens - s.state.InjectedTokens
	if s.state.Boundary == 0 || left <= 0 || !s.sessions().studies() {
		return Injection{}, nil
	}
	h, err := session.LoadHot(s.dir)
	if err != nil || len(h.Entries) == 0 {
		return Injection{}, err
	}
	lines, given := hottest(h.Entries, s.state.Boundary, text)
	if len(lines) == 0 {
		return Injection{}, nil
	}
	in := Injection{Text: wording.Framed(s.v.Language(terms.Lang(strings.Join(lines, "\n"))), lines...)}
	if in.Tokens = tokens.Estimate(in.Text); in.Tokens > left {
		return Injection{}, nil
	}
	if err := session.UpdateHot(ctx, s.dir, func(h *session.Hot) {
		for i := range h.Entries {
			h.Entries[i].Injected = h.Entries[i].Injected || given[h.Entries[i].Text]
		}
	}); err != nil {
		return Injection{}, err
	}
	state, _, err := session.Spend(ctx, s.dir, s.sessions().options(), session.Spent{Tokens: in.Tokens})
	if err == nil {
		s.state = state
	}
	return in, err
}

// hottest are the entries that share most words with a text, as lines to inject.
func hottest(entries []session.Entry, boundary int64, text string) (lines []string, given map[string]bool) {
	type warm struct {
		text   string
		shared int
	}
	var all []warm
	words := terms.Index(text)
	for _, e := range entries {
		if e.Injected || e.Seq > boundary {
			continue
		}
		if n := shared(terms.Query(e.Text), words); n >= hotShared {
			all = append(all, warm{e.Text, n})
		}
	}
	slices.SortStableFunc(all, func(a, b warm) int { return cmp.Compare(b.shared, a.shared) })
	given = make(map[string]bool)
	used := 0
	for _, w := range all[:min(len(all), mostHot)] {
		line := "- " + inert.Line(w.text)
		if used += tokens.Estimate(line); used > hotTokens {
			break
		}
		lines, given[w.text] = append(lines, line), true
	}
	return lines, given
}

// shared counts the words of one text that stand in another.
func shared(words, in []string) int {
	n := 0
	for _, w := range words {
		if slices.Contains(in, w) {
			n++
		}
	}
	return n
}
