package orihon_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

// reword lets an agent give an item other words.
func (p *place) reword(t *testing.T, id, content string) (waits string, err error) {
	t.Helper()
	m := p.open(t)
	defer m.Close()
	out, err := m.Items().ForAgent("agent-1", m.Sessions().UserSaid).Edit(t.Context(), id, func(it *memory.Item) error {
		it.Content = content
		return nil
	})
	if err == nil && waits == "" {
		_, err = m.Sessions().Changed(t.Context(), &out.Item, false)
	}
	return out.Waits, err
}

// However short the user's change is, and whatever else the rules hold against it: it
// changes the item that it is about.
func TestWhatTheUserHasJustChangedNeedsNoOtherJudgement(t *testing.T) {
	for name, tt := range map[string]struct {
		beside, known, prompt, now string
	}{
		"few words":          {"", "The stock sync runs on heron", "stock sync is on osprey now", "stock sync is on osprey now"},
		"few words, Chinese": {"", "值班是小美", "值班換成阿凱了", "值班是阿凱"},
		"another's value":    {"The label printer uses firmware 2.11.", "The label printer contract is with Okoye; the trial ends on 14 March.", "oh and the label printer trial ends on 2 April now, not 14 March", "The label printer contract is with Okoye; the trial ends on 2 April."},
		"always":             {"", "本機一律用 18081，8081 被代理佔著", "本機改用 19091，18081 給模擬器佔了", "本機一律用 19091，18081 給模擬器佔了"},
	} {
		t.Run(name, func(t *testing.T) {
			known := []string{tt.known}
			if tt.beside != "" {
				known = []string{tt.beside, tt.known}
			}
			p, ids := holds(t, known...)
			id := ids[len(ids)-1]
			if told := p.told(t, "s1", tt.prompt); !strings.Contains(told, memory.ShortID(id)) {
				t.Fatalf("told %q", told)
			}
			if waits, err := p.reword(t, id, tt.now); err != nil || waits != "" {
				t.Errorf("waits %q, %v", waits, err)
			}
			m := p.open(t)
			defer m.Close()
			if lines, _ := queue(t, m); len(lines) > 0 {
				t.Errorf("waiting: %q", lines)
			}
			for _, it := range list(t, m, memory.Filter{AsOf: p.now(), Present: true}) {
				if it.Item.Content == tt.known {
					t.Errorf("%q holds still", tt.known)
				}
			}
			if held := p.held(t); len(held) != len(known) {
				t.Errorf("held: %q", held)
			}
		})
	}
}

func TestNoAgentMakesTwoItemsSayTheSame(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	const text = "The nightly export of the warehouse writes parquet files to bucket osprey-7"
	state(t, m, orihon.Statement{Text: text})
	mine := state(t, m, orihon.Statement{Text: "The linter fails on generated files in gen/, run make gen first", Topic: memory.Pitfall, Source: memory.FromAgent, Session: "agent-1"})
	if _, err := p.reword(t, mine.ID, strings.ToLower(text)+"."); !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), "says exactly that") {
		t.Errorf("%v", err)
	}
}

// What the agent is asked to put right is not told to the user as undecided.
func TestOnlyWhatNobodyPutsRightIsUndecided(t *testing.T) {
	const known, prompt = "The upload limit of the shop is 40 MB", "Correction: the upload limit of the shop is 60 MB, not 40 MB."
	p, _ := holds(t, known)
	if got := p.prompt(t, "bare", "p1", prompt).Notice; !strings.Contains(got, "this holds: "+known) {
		t.Errorf("without the tool: %q", got)
	}
	p, ids := holds(t, known)
	m := p.open(t, readOnly)
	defer m.Close()
	s, err := m.Session(t.Context(), "s1", follow.Client{Name: "claude-code", Tool: "mcp__orihon__memory_search"})
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Prompt(t.Context(), "p1", prompt)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(in.Notice, "this holds") || !strings.Contains(in.Text, memory.ShortID(ids[0])) {
		t.Errorf("told the user %q, the agent %q", in.Notice, in.Text)
	}
	if waits, err := p.reword(t, ids[0], "The upload limit of the shop is 60 MB"); waits != "" || err != nil {
		t.Errorf("waits %q, %v", waits, err)
	}
	again := p.open(t)
	defer again.Close()
	if lines, _ := queue(t, again); len(lines) > 0 {
		t.Errorf("waiting: %q", lines)
	}
}

// What an agent's change was taken from is kept with it: neither the prompt nor what was
// done for it tells the value of before, and its question is answered.
func TestAnAgentsChangeKeepsWhatItWasTakenFrom(t *testing.T) {
	for name, tt := range map[string]struct {
		known, prompt, now, again, last, old string
	}{
		"English": {"The reading room keeps a locker for 15 minutes.", "locker back to 10 minutes, people sit on them", "The reading room keeps a locker for 10 minutes.",
			"no wait make it 12", "The reading room keeps a locker for 12 minutes.", "10 minutes"},
		"Chinese": {"閱覽室的櫃子保留 15 分鐘", "櫃子改回 10 分鐘，大家一直佔著", "閱覽室的櫃子保留 10 分鐘", "等等，改成 12 分鐘", "閱覽室的櫃子保留 12 分鐘", "10 分鐘"},
	} {
		t.Run(name, func(t *testing.T) {
			p, ids := holds(t, tt.known)
			for i, step := range [][2]string{{tt.prompt, tt.now}, {tt.again, tt.last}} {
				p.told(t, "s1", step[0])
				p.do(t, "s1", func(ctx context.Context, s *follow.Session) error {
					return s.Action(ctx, follow.Action{ID: fmt.Sprint("a", i), Tool: "Edit", Input: []byte(`{"file_path":"page.html","old_string":"a","new_string":"b"}`), Output: "ok"})
				})
				if waits, err := p.reword(t, ids[0], step[1]); err != nil || waits != "" {
					t.Fatalf("waits %q, %v", waits, err)
				}
			}
			p.end(t, "s1")
			p.work(t)
			m := p.open(t)
			defer m.Close()
			if lines, _ := queue(t, m); len(lines) > 0 {
				t.Errorf("waiting: %q", lines)
			}
			if s, err := m.Items().Get(t.Context(), ids[0]); err != nil || len(s.Item.Metadata.Evidence) != 2 {
				t.Errorf("taken from %q, %v", s.Item.Metadata.Evidence, err)
			}
			r, err := m.Recall(t.Context(), memory.Query{Text: tt.known, Turns: true, Told: true, Threshold: -1})
			if err != nil || !strings.Contains(r.Text, tt.last) || strings.Contains(r.Text, tt.old) {
				t.Errorf("told %q, %v", r.Text, err)
			}
		})
	}
}
