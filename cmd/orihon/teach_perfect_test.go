package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon/internal/extract"
	"orihon/internal/learn"
	"orihon/llm/llmtest"
	"orihon/memory"
	"orihon/review"
)

// labelled is a session with what it says that is worth keeping.
type labelled struct {
	Project string
	Turns   []struct{ User, Agent string }
	Facts   []fact
}

type fact struct {
	Text string // as a perfect extractor puts it
	From string // where it stands: a part of what the user or the agent says
	// Everywhere says that it is about the person and not about the project.
	Everywhere bool
}

func readLabelled(t *testing.T, name string) (all []labelled) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "labelled", name))
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// in reports whether a text holds the fact, as it was said or as it is put.
func (f *fact) in(text string) bool {
	flat := func(s string) string {
		return strings.Trim(strings.ToLower(strings.Join(strings.Fields(s), " ")), ".。 ")
	}
	return strings.Contains(flat(text), flat(f.From)) || strings.Contains(flat(text), flat(f.Text))
}

// is reports whether a statement is the fact: as it is put, or its part of what was said
// with no more than what was said around it.
func (f *fact) is(statement string) bool {
	const part = 15 // letters that are too many to stand there by chance
	return f.in(statement) || learn.Same(statement, f.Text) || len(statement) >= part && strings.Contains(strings.ToLower(f.From), strings.ToLower(strings.Trim(statement, ".。 ")))
}

// perfect is the extractor that knows all labels, and answers with those of the text it
// is shown. What it is told is known it leaves out, as it is asked to.
func perfect(all []labelled) func(inquiry) llmtest.Reply {
	var facts []fact
	for _, s := range all {
		facts = append(facts, s.Facts...)
	}
	return func(q inquiry) llmtest.Reply {
		if q.step == "phrases" {
			return replied(map[string]any{"statements": []any{}})
		}
		known, text := q.parts()
		told := strings.Split(known, "\n- ")
		pieces := []any{}
		for i := range facts {
			f := &facts[i]
			if !f.in(text) && (q.step == "knowledge" || !f.is(text)) {
				continue
			}
			switch q.step {
			case "worth":
				return replied(map[string]any{"keep": true})
			case "statement":
				scope := "project"
				if f.Everywhere {
					scope = "everywhere"
				}
				return replied(map[string]any{"confidence": 0.97, "scope": scope, "triggers": []string{}, "statement": f.Text})
			}
			if !slices.ContainsFunc(told, f.is) {
				pieces = append(pieces, map[string]any{"type": "fact", "content": f.Text})
			}
		}
		switch q.step {
		case "worth":
			return replied(map[string]any{"keep": false})
		case "relation":
			return replied(map[string]any{"relation": "unrelated"})
		}
		return replied(map[string]any{"pieces": pieces})
	}
}

// With a perfect extractor in the model's place nothing is lost on the way: of sessions
// as a client plays them every labelled fact is kept once, in its scope, within the
// budget. The labels of voices.json are those of people who knew nothing of this program
// (internal/reader/train/data, internal/lives/testdata/dev), those of plain.json ours.
func perfectExtractorLosesNothing(t *testing.T, program string) {
	for wire, name := range map[string]string{"openai": "plain.json", "anthropic": "voices.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := readLabelled(t, name)
			w := teach(t, program, wire, "", perfect(all))
			byProject := make(map[string][]fact)
			for i, s := range all {
				w.enter(s.Project)
				id := fmt.Sprint("s", i)
				for j, turn := range s.Turns {
					w.turn(id, fmt.Sprint(id, "-", j), turn.User, turn.Agent)
				}
				w.end(id)
				w.settle()
				byProject[s.Project] = append(byProject[s.Project], s.Facts...)
				w.cheap(id)
			}
			for project, facts := range byProject {
				w.enter(project)
				items, waiting := w.kept()
				for i := range facts {
					w.once(&facts[i], items, waiting)
				}
			}
			t.Logf("%d questions to the model", len(w.asked))
		})
	}
}

// once reports a fact that is not there exactly once, kept in its scope or waiting for a
// person. What is about the person may be kept in the project where it was said, if
// the person is asked whether it holds everywhere.
func (w *teaching) once(f *fact, items []memory.Item, waiting []review.Pending) {
	w.t.Helper()
	scope := memory.Personal("mia")
	if f.Everywhere {
		scope = memory.Global
	}
	var found []string
	right := true
	for i := range items {
		if it := &items[i]; f.is(it.Content) {
			found = append(found, fmt.Sprintf("kept in %s %v: %q", it.Scope, it.Metadata.Tags, it.Content))
			right = it.Scope == scope
		}
	}
	for i := range waiting {
		switch q := &waiting[i]; {
		case !f.is(q.Item.Content):
		case q.Kind == memory.QuestionEverywhere:
			right = f.Everywhere
		default:
			found = append(found, fmt.Sprintf("waits (%s, %s): %q", q.Kind, q.Why, q.Item.Content))
		}
	}
	if len(found) != 1 || !right {
		w.t.Errorf("%q: want it once, in %s; it is\n%s", f.Text, scope, strings.Join(found, "\n"))
	}
}

// cheap reports what a session cost beyond its budgets, and what its hot cache has twice.
func (w *teaching) cheap(id string) {
	w.t.Helper()
	var p peeked
	w.run(&p, "peek", "--limit", "0")
	read := 0
	for _, c := range p.Calls {
		if c.Session != id {
			continue
		}
		if c.Feature == extract.Statements {
			read += c.Payload
		}
		if c.Failed || c.Most > 0 && c.Payload > c.Most {
			w.t.Errorf("%+v", c)
		}
	}
	const budget = 240
	if read > budget {
		w.t.Errorf("models read %d tokens of the user's words in %s, of %d at most", read, id, budget)
	}
	for i := range p.Hot {
		for j := range i {
			if learn.Same(p.Hot[i].Text, p.Hot[j].Text) {
				w.t.Errorf("the hot cache of %s has %q and %q", id, p.Hot[i].Text, p.Hot[j].Text)
			}
		}
	}
}
