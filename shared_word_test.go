package orihon_test

import (
	"strings"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

// shares is a place that remembers statements for all, and others for the user alone.
func shares(t *testing.T, shared []string, own ...string) (*place, []string) {
	t.Helper()
	p := newPlace(t)
	m := p.open(t)
	var ids []string
	for i, text := range append(shared, own...) {
		s := orihon.Statement{Text: text, Source: memory.FromUser}
		if i < len(shared) {
			s.Scope = memory.Shared
		}
		out, err := m.Remember(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out.Item.ID)
	}
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, ids
}

// One's own word ends no shared one, and the other way round; both are named.
func TestOnesOwnWordMeetsWhatTheTeamShares(t *testing.T) {
	for name, tt := range map[string]struct {
		shared, own string
		odds        bool
	}{
		"another value":     {"The heartbeat of the gateway is 12 s", "The heartbeat of the gateway is 5 s", true},
		"in Chinese":        {"閘道器的心跳間隔是 12 秒", "閘道器的心跳間隔是 5 秒", true},
		"another way":       {"Indent YAML with spaces", "Indent YAML with tabs, never spaces", true},
		"the same":          {"The heartbeat of the gateway is 12 s", "The heartbeat of the gateway is 12 s", false},
		"of something else": {"The heartbeat of the gateway is 12 s", "The lease of the test van is 5 years", false},
	} {
		for _, turned := range []bool{false, true} {
			p, ids := shares(t, []string{tt.shared})
			m := p.open(t)
			scope := memory.Scope("")
			if turned {
				p, ids = shares(t, nil, tt.shared)
				m, scope = p.open(t), memory.Shared
			}
			out, err := m.Remember(t.Context(), orihon.Statement{Text: tt.own, Source: memory.FromUser, Scope: scope})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(out.Conflicts) == 1 && out.Conflicts[0].ID == ids[0] && out.Conflicts[0].Scope != out.Item.Scope; got != tt.odds || out.Replaced != nil {
				t.Errorf("%s, turned %t: %+v", name, turned, out)
			}
			known, err := m.Items().Get(t.Context(), ids[0])
			if err != nil || !known.Item.ValidTo.IsZero() {
				t.Errorf("%s, turned %t: ended: %+v, %v", name, turned, known, err)
			}
		}
	}
}

// Where both are told, the later one comes first.
func TestOfOnesOwnWordAndTheTeamsTheLaterComesFirst(t *testing.T) {
	const older = "older than the above, which may replace it"
	for name, tt := range map[string]struct {
		shared, own, prompt string
		marked              bool
	}{
		"another value":      {"The heartbeat of the gateway is 12 s", "The heartbeat of the gateway is 5 s", "what is the heartbeat of the gateway?", true},
		"of another gateway": {"The heartbeat of gateway B is 12 s", "The heartbeat of gateway C is 5 s", "what is the heartbeat of gateway B and of gateway C?", false},
	} {
		p, _ := shares(t, []string{tt.shared}, tt.own)
		m := p.open(t, readOnly)
		r, err := m.Recall(t.Context(), memory.Query{Text: tt.prompt})
		if err != nil {
			t.Fatal(err)
		}
		s, err := m.Session(t.Context(), "s", follow.Client{Name: "claude-code"})
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.Begin(t.Context(), "startup")
		if err != nil {
			t.Fatal(err)
		}
		for where, text := range map[string]string{"recall": r.Text, "start": in.Text} {
			first, second := strings.Index(text, tt.own), strings.Index(text, tt.shared)
			if marked := strings.Contains(text, older); first < 0 || second < 0 || marked != tt.marked || marked && first > second {
				t.Errorf("%s, %s:\n%s", name, where, text)
			}
		}
	}
}

// What a prompt changes is shared: the agent learns that it is, and is given nothing else
// to change.
func TestTheAgentIsToldThatWhatAPromptChangesIsShared(t *testing.T) {
	p, ids := shares(t, []string{"The gateway boards arrive on 9 March", "閘道器的心跳間隔是 12 秒"}, "The frame is 48 bytes long", "Lunch with the vendor is on Friday")
	for prompt, of := range map[string]int{
		"the gateway boards slip to 2 april":      0,
		"閘道器的心跳間隔改成 5 秒了":                         1,
		"the frame is 64 bytes now, not 48":       2,
		"when do the gateway boards arrive again": -1,
	} {
		got := p.told(t, prompt, prompt)
		for i, id := range ids {
			if strings.Contains(got, memory.ShortID(id)) != (i == of) {
				t.Errorf("%q: of item %d: told %q", prompt, i, got)
			}
		}
		shared := strings.Contains(got, "orihon edit")
		if shared != (of == 0 || of == 1) || shared && strings.Contains(strings.ReplaceAll(got, "needed_when of mcp__orihon__memory_update", ""), "memory_update") {
			t.Errorf("%q: told %q", prompt, got)
		}
	}
}
