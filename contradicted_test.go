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
