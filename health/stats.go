package health

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"orihon/items"
	"orihon/memory"
)

// Stats is memory and its use in figures.
type Stats struct {
	Items     int            `json:"items"` // live ones
	Forgotten int            `json:"forgotten"`
	Archived  int            `json:"archived"`
	Kinds     map[string]int `json:"kinds"`
	Topics    map[string]int `json:"topics"`
	Tiers     map[string]int `json:"tiers"`
	Scopes    map[string]int `json:"scopes"`
	Sources   map[string]int `json:"sources"`
	Weeks     []WeekStats    `json:"weeks"` // in which items were added, oldest first

	Used     Use          `json:"used"`
	Days     []DayUse     `json:"days"`     // oldest first
	Sessions []SessionUse `json:"sessions"` // those that cost most tokens first
	Injected []ItemUse    `json:"most_injected"`
	// Idle items were never accessed, though some may have been injected.
	Idle int `json:"never_accessed"`

	Thresholds map[string]string `json:"thresholds"` // what decides on injection, as configured
	Feedback   FeedbackStats     `json:"feedback"`
	Redacted   map[string]int    `json:"redacted"` // statements a rule took a secret out of

	// Extractors are those that remembered something, and the trust in them.
	Extractors []items.ExtractorTrust `json:"extractors"`
}

// FeedbackStats says how the threshold follows from what was used. A passage
// counts as used when its words or identifiers came back in what the agent
// answered or did.
type FeedbackStats struct {
	Adaptive  bool    `json:"adaptive"`
	Judged    int     `json:"judged"` // passages put before an agent by a prompt that was answered
	Used      int     `json:"used"`
	Recent    int     `json:"recent"` // the latest of them, which decide
	Share     float64 `json:"share"`  // of the recent ones that were used
	Threshold float64 `json:"threshold"`
	Shift     float64 `json:"shift"` // what feedback added to it
}

func (x *Health) feedbackStats() FeedbackStats {
	f := x.h.Feedback()
	return FeedbackStats{
		Adaptive: x.h.Config.Recall.Adaptive, Judged: f.Judged, Used: f.Used, Recent: len(f.Recent), Share: f.Share(),
		Threshold: x.h.Config.Recall.Threshold + f.Shift, Shift: f.Shift,
	}
}

// WeekStats is the growth in the week that begins on a Monday.
type WeekStats struct {
	Week  string `json:"week"` // the Monday, YYYY-MM-DD
	Added int    `json:"added"`
	Total int    `json:"total"` // at its end, of the items that are live today
}

// Use is how often, and at what price, memory was used.
type Use struct {
	Injections int `json:"injections"` // passages put before an agent
	Tokens     int `json:"tokens"`
	Accesses   int `json:"accesses"` // passages used, or read on purpose
}

// DayUse is the use on one day.
type DayUse struct {
	Day string `json:"day"` // YYYY-MM-DD
	Use
}

// SessionUse is the use in one session.
type SessionUse struct {
	Session string    `json:"session"`
	Last    time.Time `json:"last"`
	Use
}

// ItemUse is the use of one item.
type ItemUse struct {
	ID         string `json:"id"`
	Text       string `json:"text,omitempty"` // empty when it is not an item, such as a note
	Injections int    `json:"injections"`
	Accesses   int    `json:"accesses"`
}

// StatsOptions of [Health.Stats]; the zero value counts everything.
type StatsOptions struct {
	Since time.Time // uses and redactions from here on
	Top   int       // bounds the lists of sessions and items; 0 is 10
}

// Stats counts what the user may see.
func (x *Health) Stats(ctx context.Context, o StatsOptions) (*Stats, error) {
	if o.Top <= 0 {
		o.Top = 10
	}
	st := &Stats{
		Kinds: map[string]int{}, Topics: map[string]int{}, Tiers: map[string]int{}, Scopes: map[string]int{}, Sources: map[string]int{},
		Weeks: []WeekStats{}, Days: []DayUse{}, Sessions: []SessionUse{}, Injected: []ItemUse{}, Redacted: map[string]int{},
		Thresholds: x.thresholds(), Feedback: x.feedbackStats(),
	}
	stored, err := items.New(x.h.Home).List(ctx, memory.Filter{Retired: true, Superseded: true})
	if err != nil {
		return nil, err
	}
	st.count(stored, x.h.Now().Location())
	if err := x.countUses(ctx, st, o, stored); err != nil {
		return nil, err
	}
	if st.Extractors, err = items.New(x.h.Home).Extractors(ctx); err != nil {
		return nil, err
	}
	records, err := items.New(x.h.Home).Audits(ctx, &memory.AuditFilter{Op: memory.AuditRedact, Since: o.Since})
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if rules, ok := strings.CutPrefix(r.Why, memory.RedactedWhy); ok {
			for rule := range strings.SplitSeq(rules, ", ") {
				st.Redacted[rule]++
			}
		}
	}
	return st, nil
}

// thresholds are the figures that decide what is injected.
func (x *Health) thresholds() map[string]string {
	out := make(map[string]string)
	for _, key := range []string{
		"recall.threshold", "recall.threshold_min", "recall.max_tokens", "recall.budget_short", "recall.budget_medium",
		"recall.budget_long", "recall.session_tokens", "decay.per_month",
	} {
		if v, err := x.h.Config.Get(key); err == nil {
			out[key] = v
		}
	}
	return out
}

// count counts the items themselves.
func (st *Stats) count(items []memory.Stored, zone *time.Location) {
	weeks := make(map[string]int)
	for i := range items {
		it := &items[i].Item
		switch {
		case items[i].Archived:
			st.Archived++
			continue
		case items[i].Retired:
			st.Forgotten++
			continue
		}
		st.Items++
		for _, c := range []struct {
			in   map[string]int
			what string
		}{
			{st.Kinds, string(it.Kind)}, {st.Topics, string(it.Topic)}, {st.Tiers, string(it.Tier)},
			{st.Scopes, string(it.Scope)}, {st.Sources, string(it.Metadata.Source)},
		} {
			c.in[cmp.Or(c.what, "none")]++
		}
		if at := it.Metadata.CreatedAt; !at.IsZero() {
			at = at.In(zone)
			const days = 7
			monday := at.AddDate(0, 0, -((int(at.Weekday()) + days - 1) % days))
			weeks[monday.Format(time.DateOnly)]++
		}
	}
	total := st.Items
	for _, n := range weeks {
		total -= n // what has no date was always there
	}
	for _, week := range slices.Sorted(maps.Keys(weeks)) {
		total += weeks[week]
		st.Weeks = append(st.Weeks, WeekStats{week, weeks[week], total})
	}
}

// countUses counts the usage logs of both spaces.
func (x *Health) countUses(ctx context.Context, st *Stats, o StatsOptions, stored []memory.Stored) error {
	days, sessions, uses := make(map[string]*DayUse), make(map[string]*SessionUse), make(map[string]*ItemUse)
	for _, sp := range x.h.Spaces() {
		for u, err := range sp.Text.Uses(ctx, o.Since) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				x.h.Log.Warn("stats: line left out", "err", err)
				continue
			}
			one := useOf(&u)
			st.Used.add(one)
			day := u.TS.In(x.h.Now().Location()).Format(time.DateOnly)
			entry(days, day, DayUse{Day: day}).add(one)
			if u.Session != "" {
				s := entry(sessions, u.Session, SessionUse{Session: u.Session})
				s.add(one)
				if u.TS.After(s.Last) {
					s.Last = u.TS
				}
			}
			for _, id := range u.IDs {
				it := entry(uses, id, ItemUse{ID: id})
				switch u.Op {
				case memory.UsageInjected:
					it.Injections++
				case memory.UsageAccessed:
					it.Accesses++
				}
			}
		}
	}
	for i := range stored {
		if stored[i].Retired {
			continue
		}
		it := &stored[i].Item
		u := entry(uses, it.ID, ItemUse{ID: it.ID})
		u.Text = cmp.Or(it.Title, it.Content)
		if u.Accesses == 0 && it.Metadata.AccessCount == 0 {
			st.Idle++
		}
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		st.Days = append(st.Days, *days[day])
	}
	for _, s := range sessions {
		st.Sessions = append(st.Sessions, *s)
	}
	slices.SortFunc(st.Sessions, func(a, b SessionUse) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), b.Last.Compare(a.Last), cmp.Compare(a.Session, b.Session))
	})
	for _, u := range uses {
		if u.Injections > 0 {
			st.Injected = append(st.Injected, *u)
		}
	}
	slices.SortFunc(st.Injected, func(a, b ItemUse) int {
		return cmp.Or(cmp.Compare(b.Injections, a.Injections), cmp.Compare(a.ID, b.ID))
	})
	st.Sessions, st.Injected = st.Sessions[:min(o.Top, len(st.Sessions))], st.Injected[:min(o.Top, len(st.Injected))]
	return nil
}

func useOf(u *memory.Usage) Use {
	switch u.Op {
	case memory.UsageInjected:
		return Use{Injections: len(u.IDs), Tokens: u.Tokens}
	case memory.UsageAccessed:
		return Use{Accesses: len(u.IDs)}
	}
	return Use{}
}

func (u *Use) add(v Use) {
	u.Injections += v.Injections
	u.Tokens += v.Tokens
	u.Accesses += v.Accesses
}

// entry is the value of a key, begun as first.
func entry[T any](in map[string]*T, key string, first T) *T {
	if in[key] == nil {
		in[key] = &first
	}
	return in[key]
}
