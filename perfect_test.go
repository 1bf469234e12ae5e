package orihon_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"orihon/internal/extract"
	"orihon/internal/learn"
	"orihon/llm/llmtest"
	"orihon/memory"
)

// labelled is a session with what it says that is worth keeping.
type labelled struct {
	Turns []struct{ User, Agent string }
	Facts []struct {
		Text string // as a perfect extractor puts it
		From string // where it stands: a part of what the user or the agent says
		// Everywhere says that it is about the person and not about the project.
		Everywhere bool
	}
}

// perfect is the extractor that knows all labels. What it is told is known already it
// leaves out, and so do all streams.
func perfect(all []labelled) func(asked) llmtest.Reply {
	return func(q asked) llmtest.Reply {
		known, talk, told := strings.Cut(q.data, "</orihon-data>\n<orihon-data")
		if !told {
			known, talk = "", q.data
		}
		pieces := []object{}
		for _, s := range all {
			for _, f := range s.Facts {
				if !strings.Contains(talk, f.From) {
					continue
				}
				scope := map[bool]string{true: "everywhere", false: "project"}[f.Everywhere]
				switch q.step {
				case "worth":
					return says(object{"keep": true})
				case "statement":
					return says(object{"confidence": 0.97, "scope": scope, "triggers": []string{}, "statement": f.Text})
				}
				// What the reader kept stands there in the user's own words.
				if !strings.Contains(known, f.Text) && !strings.Contains(strings.ToLower(known), strings.ToLower(f.From)) {
					pieces = append(pieces, object{"type": "fact", "content": f.Text})
				}
			}
		}
		switch q.step {
		case "worth":
			return says(object{"keep": false})
		case "relation":
			return says(object{"relation": "unrelated"})
		}
		return says(object{"pieces": pieces})
	}
}

// With a perfect extractor in the model's place nothing is lost on the way: every
// labelled fact is kept once, in its scope, within the budget.
func TestAPerfectExtractorLosesNothing(t *testing.T) {
	data, err := os.ReadFile("testdata/labelled.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	got := p.models(t, perfect(all))
	for i, s := range all {
		id := string(rune('a'+i)) + "-session"
		for j, turn := range s.Turns {
			p.turn(t, id, id+string(rune('0'+j)), turn.User, turn.Agent)
			p.later(3 * time.Minute)
		}
		p.end(t, id)
		p.work(t)
	}
	m := p.open(t)
	stored, err := m.Items().List(t.Context(), memory.Filter{Kinds: []memory.Kind{memory.Semantic}})
	if err != nil {
		t.Fatal(err)
	}
	facts := 0
	for _, s := range all {
		for _, f := range s.Facts {
			facts++
			var kept []memory.Item
			for i := range stored {
				// What the reader is sure of is kept in the user's own words.
				if it := stored[i].Item; learn.Same(it.Content, f.Text) || it.Content == f.Text || strings.Contains(it.Content, f.From) {
					kept = append(kept, it)
				}
			}
			want := memory.Personal("ann")
			if f.Everywhere {
				want = memory.Global
			}
			if len(kept) != 1 || kept[0].Scope != want {
				t.Errorf("%q: kept %d times: %+v", f.Text, len(kept), kept)
			}
		}
	}
	if len(stored) != facts {
		t.Errorf("kept %d statements of %d facts", len(stored), facts)
		for i := range stored {
			t.Logf("  %s %v %s", stored[i].Item.Scope, stored[i].Item.Metadata.Tags, stored[i].Item.Content)
		}
	}
	if waiting := waitingItems(t, m); len(waiting) > 0 {
		t.Errorf("waiting: %q", waiting)
	}
	read := make(map[string]int)
	peeked, err := m.Sessions().Peek(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range peeked.Calls {
		if c.Feature == extract.Statements {
			read[c.Session] += c.Payload
		}
		if c.Failed || c.Refused > 0 || c.Most > 0 && c.Payload > c.Most {
			t.Errorf("%+v", c)
		}
	}
	for session, n := range read {
		if n > 240 {
			t.Errorf("models read %d tokens of the user's words in %s", n, session)
		}
	}
	t.Logf("%d facts, %d questions to the model, read of the users' words by session %v", facts, len(got()), read)
}
