package orihon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"orihon"
	"orihon/memory"
)

func TestAClosedHandleLeavesNoGoroutineBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	p := newPlace(t)
	for _, change := range [][]func(*orihon.Options){nil, {readOnly}} {
		m := p.open(t, change...)
		remember(t, m, "The staging host is called marmot")
		recall(t, m, "what is the staging host called?")
		s := session(t, m, "s")
		if _, err := s.Prompt(t.Context(), "a", "what is the staging host called?"); err != nil {
			t.Fatal(err)
		}
		if err := s.End(t.Context(), "other"); err != nil {
			t.Fatal(err)
		}
		if err := m.Sessions().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	goleak.VerifyNone(t, before)
}

// kept is what a model of memory holds of an item.
type kept struct {
	Text      string
	Scope     memory.Scope
	Version   int
	Forgotten bool
}

func TestItemsAreWhatTheirLinesSayWhateverHappened(t *testing.T) {
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		p := &place{home: filepath.Join(dir, fmt.Sprint(run), "home"), dir: filepath.Join(dir, fmt.Sprint(run), "project")}
		if err := os.MkdirAll(p.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		m := p.open(t)
		model := make(map[string]kept)
		var ids []string
		anyID := func() string { return rapid.SampledFrom(ids).Draw(t, "id") }
		compare := func() {
			got := make(map[string]kept)
			for _, s := range list(t, m, memory.Filter{Retired: true}) {
				if _, twice := got[s.Item.ID]; twice {
					t.Errorf("item %s is listed twice", s.Item.ID)
				}
				got[s.Item.ID] = kept{s.Item.Content, s.Item.Scope, model[s.Item.ID].Version, s.Retired}
			}
			if diff := cmp.Diff(model, got); diff != "" {
				t.Errorf("memory differs from the model (-model +memory):\n%s", diff)
			}
		}
		steps := rapid.IntRange(1, 25).Draw(t, "steps")
		for i := range steps {
			op := rapid.SampledFrom([]string{"add", "add", "again", "version", "forget", "restore", "purge", "reopen", "sync", "tear"}).Draw(t, "op")
			if len(ids) == 0 {
				op = "add"
			}
			switch op {
			case "add":
				scope := rapid.SampledFrom([]memory.Scope{memory.Global, memory.Personal("ann")}).Draw(t, "scope")
				text := fmt.Sprintf("Host z%d listens on port %d 主機", i, 1000+i)
				// Items of an ID of their own get versions below.
				id := fmt.Sprintf("item-%d", i)
				state(t, m, orihon.Statement{ID: id, Text: text, Scope: scope})
				ids, model[id] = append(ids, id), kept{Text: text, Scope: scope}
			case "again":
				// What is known is confirmed, what was forgotten is new.
				if k := model[anyID()]; !k.Forgotten {
					state(t, m, orihon.Statement{Text: k.Text, Scope: k.Scope})
				}
			case "version":
				id := anyID()
				if k := model[id]; !k.Forgotten {
					k.Version++
					k.Text = fmt.Sprintf("Host %s moved %d times 搬遷", id, k.Version)
					state(t, m, orihon.Statement{ID: id, Text: k.Text, Scope: k.Scope})
					model[id] = k
				}
			case "forget", "restore":
				id := anyID()
				k := model[id]
				var err error
				if k.Forgotten = op == "forget"; k.Forgotten {
					_, err = m.Items().Forget(t.Context(), id, "")
				} else {
					_, err = m.Items().Restore(t.Context(), id)
				}
				if err != nil {
					t.Errorf("%s %s: %v", op, id, err)
				}
				model[id] = k
			case "purge":
				id := anyID()
				if _, err := m.Erase().Purge(t.Context(), id); err != nil {
					t.Errorf("purge %s: %v", id, err)
				}
				delete(model, id)
				ids = deleted(ids, id)
			case "reopen":
				m.Close()
				change := rapid.SampledFrom([]func(*orihon.Options){readOnly, func(*orihon.Options) {}}).Draw(t, "kind")
				m = p.open(t, change)
			case "sync":
				if _, err := m.Sync(t.Context()); err != nil {
					t.Errorf("sync: %v", err)
				}
			case "tear":
				// As a crash in the middle of a line leaves it.
				for _, ledger := range []string{m.Project().Personal, filepath.Join(p.home, "memory")} {
					ledger = filepath.Join(ledger, "semantic.jsonl")
					if data, err := os.ReadFile(ledger); err == nil {
						write(t, ledger, string(data)+`{"v":1,"id":"torn","content":"half a`)
					}
				}
			}
			compare()
		}
		if _, err := m.Sync(t.Context()); err != nil {
			t.Errorf("sync: %v", err)
		}
		for id, k := range model {
			found := false
			r := recall(t, m, k.Text)
			for i := range r.Hits {
				found = found || r.Hits[i].Passage.ID == id
			}
			if found == k.Forgotten {
				t.Errorf("recall of %s is %v, forgotten is %v", id, found, k.Forgotten)
			}
		}
	})
}

func deleted(ids []string, id string) []string {
	var out []string
	for _, other := range ids {
		if other != id {
			out = append(out, other)
		}
	}
	return out
}
