package learn_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/learn"
	"orihon/memory"
)

// What is told in a second session in other words is one item, seen twice.
func TestToldAgainInOtherWords(t *testing.T) {
	for _, tt := range []struct {
		name, first, second string
		want                learn.Action
		asked               int
	}{
		{"all of it is known", "The invoices worker parks Stripe webhooks in the dead letter queue once they were retried five times",
			"stripe webhooks, retried five times, are parked in the dead letter queue by the invoices worker", learn.Confirmed, 0},
		{"it says more", "Stripe webhooks go to the dead letter queue after five retries",
			"the invoices worker parks stripe webhooks in the dead letter queue after five retries, and Noor empties it on Mondays by hand", learn.Added, 1},
		{"another number", "Stripe webhooks go to the dead letter queue after five retries of the invoices worker",
			"stripe webhooks land in the dead letter queue after nine retries of the invoices worker", learn.Superseded, 0},
		{"another thing", "The invoices worker retries Stripe webhooks five times", "The thumbnails worker runs on the small machine", learn.Added, 0},
	} {
		d := newDesk(t)
		sure := learn.Manner{Sure: true}
		first := d.notice(t, tt.first, "s1", sure)
		out := d.notice(t, tt.second, "s2", sure)
		if out.Action != tt.want || len(d.proposals) != tt.asked {
			t.Errorf("%s: %s (%s) with %d questions, want %s with %d", tt.name, out.Action, out.Why, len(d.proposals), tt.want, tt.asked)
		}
		if tt.want == learn.Confirmed && (out.Item.ID != first.Item.ID || out.Item.Content != tt.first || out.Item.Metadata.Confirmations != 1 || out.Item.Metadata.Evidence[1] != "s2/1") {
			t.Errorf("%s: %+v", tt.name, out.Item)
		}
		if tt.asked > 0 && (d.proposals[0].Kind != memory.QuestionMerge || d.proposals[0].Other != first.Item.ID || d.proposals[0].Item.ID != out.Item.ID) {
			t.Errorf("%s: asked %+v", tt.name, d.proposals[0])
		}
		if tt.asked > 0 {
			if again := d.notice(t, tt.second, "s2", sure); again.Action != learn.Skipped {
				t.Errorf("%s: in the same session %s", tt.name, again.Action)
			}
		}
	}
}

// Whoever corrects a part of a long statement does not say it again: "the same" would
// keep the older one and drop the correction.
func TestACorrectionIsNotTakenForTheSame(t *testing.T) {
	for _, tt := range [][2]string{
		{"The release branch is cut every Thursday, and never merge to it on a Friday.", "Actually, the release branch is cut on Wednesdays now, not Thursdays."},
		{"部署前必須先執行 npm run build，而且要先通知維運組的小陳。", "更正：部署前要先執行 pnpm build，不是 npm run build"},
	} {
		d := newDesk(t)
		if _, err := d.learner.Learn(t.Context(), learn.Statement{Text: tt[0], Scope: memory.Personal("ann"), Session: "s1"}); err != nil {
			t.Fatal(err)
		}
		d.notice(t, tt[1], "s2", learn.Manner{Sure: true})
		if len(d.proposals) != 1 || d.proposals[0].Kind != memory.QuestionConflict {
			t.Errorf("%q: asked %+v, want whether it replaces", tt[1], d.proposals)
		}
	}
}

// Authors on whom the marks were not chosen put each memory in two ways, among many
// that are near: what is taken for the same is.
func TestTheSameInOtherWordsIsTold(t *testing.T) {
	sure, perhaps, wrong, all := 0, 0, 0, 0
	for _, life := range []string{"a07", "a13"} {
		files, err := os.ReadDir("../lives/testdata/dev")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasPrefix(f.Name(), life) || filepath.Ext(f.Name()) != ".json" {
				continue
			}
			raw, err := os.ReadFile("../lives/testdata/dev/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			var l struct{ Memories []struct{ Text, Said string } }
			if err := json.Unmarshal(raw, &l); err != nil {
				t.Fatal(err)
			}
			for i := range l.Memories[:min(len(l.Memories), 30)] {
				all++
				for j := range l.Memories {
					same, like := learn.Restates(l.Memories[j].Text, l.Memories[i].Said)
					switch {
					case i == j && same:
						sure++
					case i == j && like:
						perhaps++
					case i != j && same:
						wrong++
						t.Logf("not the same: %q, %q", l.Memories[j].Text, l.Memories[i].Said)
					}
				}
			}
		}
	}
	t.Logf("%d pairs: %d sure, %d perhaps, %d wrong", all, sure, perhaps, wrong)
	if wrong > 0 || sure < 11 || sure+perhaps < 60 {
		t.Errorf("%d pairs: %d sure, %d perhaps, %d wrong", all, sure, perhaps, wrong)
	}
}

// Rules that are worded alike are not the same rule.
func TestLikeWordingIsNotTheSame(t *testing.T) {
	for _, file := range []string{"dev", "standing", "wordings", "narratives"} {
		raw, err := os.ReadFile("testdata/contradictions/" + file + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			var p struct{ Old, New, Label string }
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Fatal(err)
			}
			if same, _ := learn.Restates(p.Old, p.New); same && (p.Label == "contradicts" || p.Label == "unrelated") {
				t.Errorf("%s: taken for the same: %q, %q", p.Label, p.Old, p.New)
			}
		}
	}
}
