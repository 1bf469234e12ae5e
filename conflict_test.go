package orihon_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"orihon"
	"orihon/memory"
)

func TestWhatIsSaidLaterIsRecalledAndWhatItReplacedIsNot(t *testing.T) {
	for _, tt := range []struct {
		scope           memory.Scope
		first, second   string
		prompt          string
		current, former string
	}{
		{"", "The deploy timeout is 30 seconds", "The deploy timeout is 60 seconds", "what is the deploy timeout?", "60 seconds", "30 seconds"},
		{"", "Use tabs for indentation", "Use spaces for indentation", "which indentation do we use?", "Use spaces", "Use tabs"},
		{memory.Global, "回答一律用英文", "以後回答用中文", "回答用什麼語言？", "用中文", "用英文"},
		{memory.Shared, "登入逾時是 30 秒", "登录超时是 60 秒", "登入逾時是多久？", "60 秒", "30 秒"},
		{memory.Shared, "The default branch is main", "The default branch is develop", "what is the default branch?", "develop", "main"},
	} {
		m := newPlace(t).open(t)
		first := state(t, m, orihon.Statement{Text: tt.first, Scope: tt.scope})
		out, err := m.Remember(t.Context(), orihon.Statement{Text: tt.second, Scope: tt.scope})
		if err != nil {
			t.Fatal(err)
		}
		if out.Action != "supersede" || out.Replaced == nil || out.Item.Relations.Supersedes != first.ID {
			t.Errorf("%q, then %q: %s (%s), supersedes %q", tt.first, tt.second, out.Action, out.Why, out.Item.Relations.Supersedes)
			continue
		}
		text := recall(t, m, tt.prompt).Text
		if !strings.Contains(text, tt.current) || strings.Contains(text, tt.former) && !strings.Contains(text, tt.second) {
			t.Errorf("%q brings %s", tt.prompt, text)
		}
		old, err := m.Items().Get(t.Context(), first.ID)
		if err != nil || old.Item.ValidTo.IsZero() {
			t.Errorf("%q: %+v, %v; want it ended", tt.first, old.Item, err)
		}
	}
}

func TestAnAgentOverwritesNothing(t *testing.T) {
	m := newPlace(t).open(t)
	state(t, m, orihon.Statement{Text: "The staging database listens on port 5432"})
	out, err := m.Remember(t.Context(), orihon.Statement{Text: "The staging database listens on port 5439", Source: memory.FromAgent, Explicit: true})
	if err != nil || out.Action != "pending" || len(out.Conflicts) != 1 {
		t.Errorf("%s %+v, %v", out.Action, out.Conflicts, err)
	}
	if got := list(t, m, memory.Filter{}); len(got) != 1 || !got[0].Item.ValidTo.IsZero() {
		t.Errorf("stored %+v", got)
	}
}

func TestManyOfOneFormReplaceNothing(t *testing.T) {
	m := newPlace(t).open(t)
	for _, text := range []string{
		"Service billing is owned by team 101", "Service search is owned by team 102", "Service s3 is owned by team 103",
		"Host alpha listens on port 7001", "Host gamma listens on port 7002", "規則三是提交前要跑測試", "規則七是部署前要備份",
		"Everybody knows rule 3", "Everybody knows rule 7", "Filler number 5 of a long list", "Filler number 6 of a long list",
	} {
		out, err := m.Remember(t.Context(), orihon.Statement{Text: text})
		if err != nil || out.Action != "add" {
			t.Errorf("%q: %s (%s), %v", text, out.Action, out.Why, err)
		}
	}
}

func TestManyAreRememberedAtOnceAndKnowOfEachOther(t *testing.T) {
	m := newPlace(t).open(t)
	state(t, m, orihon.Statement{Text: "The deploy timeout is 30 seconds"})
	var said []orihon.Statement
	for i := range 40 {
		said = append(said, orihon.Statement{Text: fmt.Sprintf([]string{
			"Service s%d listens on port %d behind the gateway", "The handler of topic t%d retries %d times", "組件 c%d 由第 %d 組負責，部署前要先備份", "Table x%d is partitioned into %d parts",
		}[i%4], i, 1000+i)})
	}
	said = append(said, orihon.Statement{Text: "The deploy timeout is 60 seconds"}, orihon.Statement{Text: "The deploy timeout is 90 seconds"})
	out, err := m.RememberAll(t.Context(), said)
	if err != nil || len(out) != len(said) {
		t.Fatalf("%d outcomes, %v", len(out), err)
	}
	for _, o := range out[:40] {
		if o.Action != "add" {
			t.Errorf("%q: %s (%s)", o.Item.Content, o.Action, o.Why)
		}
	}
	if a, b := out[40], out[41]; a.Action != "supersede" || b.Action != "supersede" || b.Item.Relations.Supersedes != a.Item.ID {
		t.Errorf("%s, then %s over %q; want a chain", a.Action, b.Action, b.Item.Relations.Supersedes)
	}
	if !finds(t, m, "what is the deploy timeout?", "90 seconds") {
		t.Error("the last one is not recalled")
	}
	if _, err := m.RememberAll(t.Context(), []orihon.Statement{{Text: "a"}, {Text: "b", Scope: memory.Global}}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("two scopes: %v, want ErrInvalid", err)
	}
}
