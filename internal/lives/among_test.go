package lives

import (
	"regexp"
	"strings"
	"testing"
)

func TestStrangersHaveOtherNamesAndValues(t *testing.T) {
	all := []Life{
		{Name: "harbour", Memories: []Memory{
			{Text: "Deploys of quayMaster go to host heron-2 on port 8443.", NeededWhen: []string{"which port is heron-2 on"}},
			{Text: "The host heron-2 belongs to Ingrid.", NeededWhen: nil},
			{Text: "We never deploy on Fridays."},
		}},
		{Name: "茶行", Memories: []Memory{{Text: "報價單用 teaBoard 產生，有效 30 天。"}}},
	}
	got := Strangers(all, 9)
	if len(got) != 9 {
		t.Fatalf("%d memories: %+v", len(got), got)
	}
	seen := make(map[string]bool)
	for i, m := range got {
		if seen[m.Text] {
			t.Errorf("twice: %s", m.Text)
		}
		seen[m.Text] = true
		if i < 4 {
			continue // as they are
		}
		for _, name := range []string{"heron-2 ", "8443", "teaBoard", "quayMaster"} {
			if strings.Contains(m.Text, name) {
				t.Errorf("%s still stands in %q", name, m.Text)
			}
		}
	}
	// A name is the same in all that a life has, and a value has as many digits.
	host := regexp.MustCompile(`host (\w+-\d) on port \d{4}\.`).FindStringSubmatch(got[4].Text)
	if host == nil || !strings.Contains(got[5].Text, "host "+host[1]) || !strings.Contains(got[4].NeededWhen[0], host[1]) {
		t.Errorf("not the same host: %q, %q, %q", got[4].Text, got[5].Text, got[4].NeededWhen)
	}
	if !strings.HasPrefix(got[4].Text, "Deploys of ") || !strings.Contains(got[7].Text, "天") {
		t.Errorf("the rest is not as it was: %q, %q", got[4].Text, got[7].Text)
	}
	if all[0].Memories[0].NeededWhen[0] != "which port is heron-2 on" {
		t.Error("the lives were changed")
	}
	if few := Strangers([]Life{{Memories: []Memory{{Text: "Nothing has a name here."}}}}, 5); len(few) != 1 {
		t.Errorf("of nothing to rename: %+v", few)
	}
}
