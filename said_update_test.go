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
	was := ""
	out, err := m.Items().ForAgent("agent-1", m.Sessions().UserSaid).Edit(t.Context(), id, func(it *memory.Item) error {
		was, it.Content = it.Content, content
		return nil
	})
	if err == nil && out.Waits == "" {
		if err = m.Review().Followed(t.Context(), was, &out.Item); err == nil {
			_, err = m.Sessions().Changed(t.Context(), &out.Item, false)
		}
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

// The user's words are found where no hint named the statement, and nothing else passes
// for them.
func TestAnAgentFollowsTheUsersWordsWithoutAHint(t *testing.T) {
	unhinted := set("capture.changes", "false")
	for name, tt := range map[string]struct {
		known, prompt, now string
		said               bool
	}{
		"a person":             {"The kiosk prints on the Zebra, 203 dpi", "kiosk has the Brother now, 300 dpi", "The kiosk prints on the Brother, 300 dpi", true},
		"a value, its unit":    {"idle current is 180mA, measured without the display", "new regulator on the bench, idle current is 95mA now", "idle current is 95mA, measured without the display", true},
		"a day":                {"花店週三公休，週三不要送貨", "老闆娘講公休挪到週五 週三照送", "花店週五公休，週五不要送貨", true},
		"a day, simplified":    {"仓库盘点是每月 3 号，由老周负责", "老周说盘点挪到 5 号了", "仓库盘点是每月 5 号，由老周负责", true},
		"a day, Cantonese":     {"舖頭星期二休息", "星期二嗰日改做星期四先休", "舖頭星期四休息", true},
		"an address":           {"採購窗口是阿倫，信箱 alun@leaf.example", "阿倫換信箱了 alun.ho@leaf.example", "採購窗口是阿倫，信箱 alun.ho@leaf.example", true},
		"another value":        {"The kiosk prints on the Zebra, 203 dpi", "kiosk has the Brother now, 300 dpi", "The kiosk prints on the Brother, 600 dpi", false},
		"words of nobody":      {"The kiosk prints on the Zebra, 203 dpi", "kiosk has the Brother now, 300 dpi", "The kiosk prints on the Brother, 300 dpi, and needs no driver", false},
		"another matter":       {"Never push to main without a review", "fix the typo in the readme, thanks", "Never push to main without thanks", false},
		"a part is left out":   {"仓库盘点是每月 3 号，超过五万元的差异要写报告", "老周说盘点挪到 5 号了", "仓库盘点是每月 5 号", false},
		"only something gone":  {"Never push to main without a review", "push it to main please", "Push to main without a review", false},
		"a question":           {"The label cutoff is 17:30", "is the label cutoff 18:00?", "The label cutoff is 18:00", false},
		"for this once":        {"The labels are printed at 17:30", "just this once print the labels at 18:00", "The labels are printed at 18:00", false},
		"a neutral, Chinese":   {"提交訊息一律用英文，不要表情符號", "加個健康檢查，謝謝", "提交訊息一律用英文，要健康檢查", false},
		"a task with the name": {"The nightly export is owned by Ruta.", "add a retry to the export and run the tests", "The nightly export is run with a retry.", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, ids := holds(t, tt.known)
			p.told(t, "s1", tt.prompt, unhinted)
			waits, err := p.reword(t, ids[0], tt.now)
			if changed := err == nil && waits == ""; changed != tt.said || err != nil && !errors.Is(err, memory.ErrRefused) {
				t.Fatalf("waits %q, %v", waits, err)
			}
			m := p.open(t)
			defer m.Close()
			if lines, _ := queue(t, m); tt.said && len(lines) > 0 {
				t.Errorf("waiting: %q", lines)
			}
		})
	}
}

// A sentence that stands alone is made of several prompts, where the last one names no
// subject, and gives the date of a day.
func TestWhatGoesOnFromPromptsBeforeIsTheUsersWord(t *testing.T) {
	for name, tt := range map[string]struct {
		prompts []string
		content string
		said    int // prompts
	}{
		"corrected":            {[]string{"give the label printer 4 retries", "hm no, 7, the ribbon jams"}, "The label printer gets 7 retries", 2},
		"corrected, Chinese":   {[]string{"叫库存接口的超时给 4s 吧", "嗯 不对 9s,仓库那边慢"}, "调库存接口的超时是 9s,仓库那边慢", 2},
		"another's value":      {[]string{"the staging proxy takes 8412", "the kiosk in hall B is out of paper"}, "The kiosk in hall B takes 8412", 0},
		"a value of nobody":    {[]string{"give the label printer 4 retries", "hm no, 7, the ribbon jams"}, "The label printer gets 9 retries", 0},
		"a date":               {[]string{"阿梅下周去巡店,进货的事找老陈"}, "阿梅 2026-08-03 起去巡店,进货的事找老陈", 1},
		"a date that is wrong": {[]string{"阿梅下周去巡店,进货的事找老陈"}, "阿梅 2026-09-14 起去巡店,进货的事找老陈", 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			for _, prompt := range tt.prompts {
				p.told(t, "s1", prompt)
			}
			m := p.open(t)
			defer m.Close()
			if said := m.Sessions().ToldIn(t.Context(), tt.content); len(said) != tt.said {
				t.Errorf("told in %q", said)
			}
		})
	}
}
