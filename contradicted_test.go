package orihon_test

import (
	"strings"
	"testing"

	"orihon/memory"
)

// Who says another value in a few words is told what holds, and decides, also where no
// agent has the tools.
func TestAnotherValueIsPutBeforeTheUser(t *testing.T) {
	for name, tt := range map[string]struct {
		known, prompt string
		asks          bool
	}{
		"Chinese":         {"老王的分機是 2411", "老王的分機改成 2422 了", true},
		"a count":         {"webhook 重試次數是 5 次", "webhook 重試次數改成 8 次了", true},
		"English":         {"The label cutoff is 17:30", "the label cutoff was changed to 18:00", true},
		"another person":  {"老王的分機是 2411", "小美的分機是 2318", false},
		"a question":      {"The label cutoff is 17:30", "is the label cutoff 18:00?", false},
		"another setting": {"The read timeout is 30s", "the write timeout is 60s", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := holds(t, tt.known)
			got := p.prompt(t, "s1", "p1", tt.prompt).Notice
			m := p.open(t)
			defer m.Close()
			waiting, _, err := m.Review().List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			replaces := 0
			for i := range waiting {
				if waiting[i].Kind == memory.QuestionConflict {
					replaces++
				}
			}
			if strings.Contains(got, tt.known) != tt.asks || (replaces == 1) != tt.asks {
				t.Errorf("notice %q, %d of %d ask whether it replaces", got, replaces, len(waiting))
			}
		})
	}
}

// What likely changes something is not lost because an order stands behind it: it waits,
// and the next session is told.
func TestAChangeBeforeAnOrderWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		told, prompt, waits string
	}{
		"of what was kept":            {"remember: the ferry to the island leaves at 7", "the ferry leaves at 8 now, fix the timetable page and the sign", "leaves at 8"},
		"of what was said by the way": {"fyi the invoice run is on the 3rd of the month", "we moved the invoice run to the 5th, change the cron job + the readme", "the 5th"},
		"Chinese":                     {"记住:快递单用 A5 纸打", "快递单不用 A5 了,改用 A6 纸,模板和说明都改一下", "A6"},
		"a plain order":               {"remember: the ferry to the island leaves at 7", "sort the timetable by island and fix the sign", ""},
		"a question":                  {"remember: the ferry to the island leaves at 7", "does the ferry leave at 8 now? the page says so", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.prompt(t, "s1", "p1", tt.told)
			p.end(t, "s1")
			p.work(t)
			p.prompt(t, "s2", "p2", tt.prompt)
			m := p.open(t)
			defer m.Close()
			waiting, _, err := m.Review().List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for i := range waiting {
				texts = append(texts, waiting[i].Item.Content)
			}
			all := strings.Join(texts, "\n")
			if tt.waits == "" && strings.Contains(all, "ferry") || !strings.Contains(all, tt.waits) {
				t.Errorf("waiting: %q", texts)
			}
			p.end(t, "s2")
			if started := p.begin(t, "s3", "startup").Text; !strings.Contains(started, tt.waits) {
				t.Errorf("the next session begins with %q", started)
			}
		})
	}
}
