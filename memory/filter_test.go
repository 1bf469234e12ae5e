package memory_test

import (
	"testing"
	"time"

	"orihon/memory"
)

var none time.Time

func turn(p *memory.Passage) { p.Population = memory.AgentTurns }

func held(from, to time.Time) func(*memory.Passage) {
	return func(p *memory.Passage) { p.Item.ValidFrom, p.Item.ValidTo = from, to }
}

func replaced(from, to time.Time) func(*memory.Passage) {
	return func(p *memory.Passage) {
		p.SupersededBy = "b"
		held(from, to)(p)
	}
}

func TestAFilterLetsThroughWhatItSays(t *testing.T) {
	type passage = memory.Passage
	scopes := []memory.Scope{memory.Global, memory.Personal("ann")}
	past, future := now.AddDate(0, -1, 0), now.AddDate(0, 1, 0)

	for _, tt := range []struct {
		name   string
		filter memory.Filter
		change func(*passage)
		want   bool
	}{
		{"an empty filter", memory.Filter{}, nil, true},
		{"another's personal scope", memory.Filter{}, func(p *passage) { p.Item.Scope = memory.Personal("bob") }, false},
		{"a scope that only begins alike", memory.Filter{}, func(p *passage) { p.Item.Scope = memory.Personal("anna") }, false},
		{"a role not held", memory.Filter{}, func(p *passage) { p.Item.Scope = memory.Role("art") }, false},
		{"no scopes", memory.Filter{Scopes: []memory.Scope{}}, nil, false},

		{"its kind among others", memory.Filter{Kinds: []memory.Kind{memory.Note, memory.Semantic}}, nil, true},
		{"another kind", memory.Filter{Kinds: []memory.Kind{memory.Note}}, nil, false},
		{"its topic", memory.Filter{Topics: []memory.Topic{memory.Pitfall}}, nil, true},
		{"another topic", memory.Filter{Topics: []memory.Topic{memory.Decision}}, nil, false},
		{"its tier", memory.Filter{Tiers: []memory.Tier{memory.Observed}}, nil, true},
		{"another tier", memory.Filter{Tiers: []memory.Tier{memory.Settled}}, nil, false},
		{"one of its tags", memory.Filter{Tags: []string{"ui", "資料庫"}}, nil, true},
		{"none of its tags", memory.Filter{Tags: []string{"ui"}}, nil, false},
		{"exactly its confidence", memory.Filter{MinConfidence: 0.6}, nil, true},
		{"more confidence", memory.Filter{MinConfidence: 0.61}, nil, false},

		{"created at since", memory.Filter{Since: now}, nil, true},
		{"created before since", memory.Filter{Since: future}, nil, false},
		{"created at until", memory.Filter{Until: now}, nil, true},
		{"created after until", memory.Filter{Until: past}, nil, false},

		{"forgotten", memory.Filter{}, func(p *passage) { p.Retired = true }, false},
		{"forgotten, asked for", memory.Filter{Retired: true}, func(p *passage) { p.Retired = true }, true},

		{"a turn", memory.Filter{}, turn, true},
		{"a turn, unwanted", memory.Filter{NoTurns: true}, turn, false},
		{"a turn of the own session", memory.Filter{NotSession: "s1"}, turn, false},
		{"a turn of another session", memory.Filter{NotSession: "s2"}, turn, true},
		{"a statement, no turns wanted", memory.Filter{NoTurns: true}, nil, true},
		{"a statement of the own session", memory.Filter{NotSession: "s1"}, nil, true},

		{"validity is not looked at without a date", memory.Filter{}, held(past, past), true},
		{"held then", memory.Filter{AsOf: now}, held(past, future), true},
		{"held from that moment", memory.Filter{AsOf: now}, held(now, future), true},
		{"ended at that moment", memory.Filter{AsOf: now}, held(past, now), false},
		{"not yet", memory.Filter{AsOf: now}, held(future, none), false},
		{"no longer", memory.Filter{AsOf: future}, held(past, now), false},
		{"without bounds", memory.Filter{AsOf: now}, nil, true},

		{"replaced", memory.Filter{}, replaced(past, now), false},
		{"replaced, asked for", memory.Filter{Superseded: true}, replaced(past, now), true},
		{"replaced later than the date", memory.Filter{AsOf: past}, replaced(past, now), true},
		{"replaced before the date", memory.Filter{AsOf: future}, replaced(past, now), false},
		{"replaced, nobody knows when", memory.Filter{AsOf: past}, replaced(past, none), false},
		{"replaced before the date, asked for", memory.Filter{AsOf: future, Superseded: true}, replaced(past, now), true},
		{"replaced and not yet begun, asked for", memory.Filter{AsOf: past, Superseded: true}, replaced(now, future), false},
		{"replaced and forgotten", memory.Filter{Superseded: true}, func(p *passage) { p.SupersededBy, p.Retired = "b", true }, false},
	} {
		p := memory.Passage{ID: "a", Item: memory.Item{
			ID: "a", Kind: memory.Semantic, Topic: memory.Pitfall, Content: "x", Scope: memory.Personal("ann"), Tier: memory.Observed,
			Metadata: memory.Metadata{CreatedAt: now, Confidence: 0.6, Tags: []string{"db", "資料庫"}, Session: "s1"},
		}}
		if tt.change != nil {
			tt.change(&p)
		}
		if tt.filter.Scopes == nil {
			tt.filter.Scopes = scopes
		}
		if got := tt.filter.Match(&p); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
