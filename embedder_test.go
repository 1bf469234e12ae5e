package orihon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon"
	"orihon/health"
	"orihon/memory"
)

// subjects are what the statements of a store are about.
var subjects = [...][2]string{
	{"lighthouse", "beacon"}, {"harbour", "anchorage"}, {"orchard", "blossom"}, {"glacier", "crevasse"},
	{"violin", "luthier"}, {"bakery", "sourdough"}, {"saddle", "stirrup"}, {"pottery", "kiln"},
	{"天文台", "望遠鏡"}, {"茶園", "採茶"},
}

// grow writes statements from number from to number to into the project's
// ledger, as an editor would.
func (p *place) grow(t testing.TB, m *orihon.Memory, from, to int) {
	t.Helper()
	var b strings.Builder
	for i := from; i < to; i++ {
		s := subjects[i%len(subjects)]
		fmt.Fprintf(&b, `{"v":1,"id":"s-%d","kind":"semantic","topic":"fact","content":"Number %d of the %s is looked after together with the %s, round %d.","metadata":{"created_at":"2026-07-01T09:00:00Z","source":"user","confidence":0.9}}`+"\n",
			i, i, s[0], s[1], i/len(subjects))
	}
	path := filepath.Join(m.Project().Personal, "semantic.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(b.String()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustSync(t testing.TB, m *orihon.Memory) {
	t.Helper()
	done, err := m.Sync(t.Context())
	if err != nil || len(done.Problems) > 0 {
		t.Fatalf("sync: %v, problems %v", err, done.Problems)
	}
}

// embedder is that of the project's space.
func embedder(t testing.TB, m *orihon.Memory) health.EmbedderStatus {
	t.Helper()
	st, err := m.Health().Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st.Spaces[0].Embedder
}

// A statement that shares no word with the prompt is found by what it means, in a store
// of one statement as in any.
func TestEveryStoreHasVectors(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	for _, have := range []int{1, 30} {
		p.grow(t, m, have-1, have)
		mustSync(t, m)
		e := embedder(t, m)
		if e.Dimension == 0 || e.Problem != "" || e.Next != "" || !strings.HasPrefix(e.ID, "builtin/table/") {
			t.Errorf("with %d passages: %+v, want the table's vectors", have, e)
		}
	}
	remember(t, m, "Sietse, Zoltan and Qin take turns being on call")
	mustSync(t, m)
	// A second handle, as a hook has it, embeds its prompts alike.
	hook := p.open(t, readOnly)
	r, err := hook.Recall(t.Context(), memory.Query{Text: "who has the pager next", Threshold: -1})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Hits, func(h memory.Hit) bool {
		return h.Own == 0 && h.Vector > 0.15 && strings.Contains(h.Passage.Item.Content, "Zoltan")
	}) {
		t.Errorf("it was not found by its vector: %+v", r.Hits)
	}
}

func TestAnEmbedderThatCannotWorkLeavesTheOldVectors(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	p.grow(t, m, 0, 220)
	mustSync(t, m)
	was := embedder(t, m)
	m = p.open(t, set("embedder.provider", "static"), set("embedder.model", "nowhere"))
	done, err := m.Sync(t.Context())
	if err != nil || len(done.Problems) == 0 || !strings.Contains(done.Problems[0], "static") {
		t.Errorf("sync: %v, problems %v; want the embedder named", err, done.Problems)
	}
	if e := embedder(t, m); e.ID != was.ID {
		t.Errorf("%s serves, want %s", e.ID, was.ID)
	}
	// Two dozen statements say it alike, so that none is sure to be wanted.
	r, err := m.Recall(t.Context(), memory.Query{Text: "who looks after the lighthouse together with the beacon?", Threshold: -1})
	if err != nil || !slices.ContainsFunc(r.Hits, func(h memory.Hit) bool { return h.Vector > 0 }) {
		t.Errorf("nothing is found by its vector: %+v, %v", r.Hits, err)
	}
}
