package orihon_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/follow"
	"orihon/journal"
	"orihon/memory"
)

// Whatever stands in what is said and done, and in the name of the session,
// the journal, the daily log, the statement and the episode are written and can
// be read.
func TestAControlCharacterCostsOnlyItself(t *testing.T) {
	for _, id := range []string{"plain", "a--b", "a\x00b", "a\nb -->c", "50%25", "é\xff"} {
		t.Run(id, func(t *testing.T) {
			p := newPlace(t)
			in := p.prompt(t, id, "p1", "Remember that the staging host is called mar\x00mot\x1b. What next\x07?")
			if !strings.Contains(in.Notice, "remembered: The staging host is called marmot") {
				t.Errorf("notice %q", in.Notice)
			}
			p.do(t, id, func(ctx context.Context, s *follow.Session) error {
				return s.Action(ctx, follow.Action{ID: "t\x00", Tool: "Ba\x00sh", Input: []byte(`{"command":"make \u0000ship \ud800"}`), Output: "bui\x00lt \xff it"})
			})
			p.do(t, id, func(ctx context.Context, s *follow.Session) error {
				return s.Answer(ctx, "p1", "The lighthouse is called ot\x00ter.")
			})
			p.end(t, id)
			id := strings.ToValidUTF8(id, "\ufffd")
			p.work(t)

			events := p.events(t, id)
			if count(events, journal.ActionResult) != 1 || count(events, journal.UserMessage) != 1 || count(events, journal.AssistantMessage) != 1 {
				t.Errorf("%d events", len(events))
			}
			m := p.open(t)
			if len(list(t, m, memory.Filter{Kinds: []memory.Kind{memory.Episodic}})) != 1 {
				t.Error("no episode")
			}
			done, err := m.Sync(t.Context())
			if err != nil || len(done.Problems) > 0 {
				t.Errorf("problems %q, %v", done.Problems, err)
			}
			logs, _ := filepath.Glob(filepath.Join(m.Project().Personal, "2026-*.md"))
			if len(logs) != 1 || !strings.Contains(read(t, logs[0]), "**AI**: The lighthouse is called otter.") {
				t.Fatalf("daily logs: %v", logs)
			}
			// While the journal is there the log is not searched, and then it is.
			lighthouse := func() (found []string) {
				r, err := m.Recall(t.Context(), memory.Query{Text: "what is the lighthouse called?", Turns: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range r.Hits {
					found = append(found, h.Passage.Source)
				}
				return found
			}
			if found := lighthouse(); strings.Contains(strings.Join(found, " "), ".md") {
				t.Errorf("found in %v, want the journal alone", found)
			}
			if err := os.RemoveAll(m.Project().Session(id)); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if found := lighthouse(); !strings.Contains(strings.Join(found, " "), ".md") {
				t.Errorf("found in %v, want the daily log", found)
			}
		})
	}
}
