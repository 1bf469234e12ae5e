package orihon_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon"
	"orihon/health"
	"orihon/memory"
)

// subjects are what the statements of a store are about; the two words of each
// stand together in them, so that one comes to mean the other.
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

func models(t testing.TB, m *orihon.Memory) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(m.Project().Personal), "index", "*.lsa"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

const hashed = "builtin/hash1/128"

func TestVectorsAreLearnedOnceThereIsEnoughAndAgainAfterAQuarterMore(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	steps := []struct {
		passages int
		trained  int // on how many passages the model then is; 0 for none
	}{{19, 0}, {20, 20}, {24, 20}, {25, 25}, {31, 25}, {32, 32}}
	have := 0
	for _, step := range steps {
		p.grow(t, m, have, step.passages)
		have = step.passages
		mustSync(t, m)
		e := embedder(t, m)
		if e.Of != step.trained || e.Problem != "" {
			t.Fatalf("with %d passages: %+v, want a model trained on %d", have, e, step.trained)
		}
		if step.trained == 0 {
			if e.ID != hashed {
				t.Errorf("with %d passages: %s, want hashed features", have, e.ID)
			}
			continue
		}
		if e.Dimension != 96 || e.Trained.IsZero() || !strings.HasPrefix(e.ID, "builtin/lsa1/96/") {
			t.Errorf("with %d passages: %+v", have, e)
		}
		if files := models(t, m); len(files) != 1 || !strings.Contains(files[0], e.ID[len("builtin/lsa1/96/"):]) {
			t.Errorf("with %d passages the models are %v, want the one of %s alone", have, files, e.ID)
		}
	}
	// A second handle, as a hook has it, embeds its prompts with the same model.
	hook := p.open(t, readOnly)
	r := recall(t, hook, "what do we know of the beacon of the lighthouse?")
	if !slices.ContainsFunc(r.Hits, func(h memory.Hit) bool { return h.Vector > 0.3 }) {
		t.Errorf("no hit was found by its vector: %+v", r.Hits)
	}
}

func TestOldVectorsServeUntilTheNewOnesAreThere(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	p.grow(t, m, 0, 240)
	mustSync(t, m)
	before := embedder(t, m)

	// The sync ends when the model is trained and nothing is embedded yet.
	p.grow(t, m, 240, 320)
	ctx, cancel := context.WithCancel(t.Context())
	stop := &stopAt{Context: ctx, cancel: cancel, done: func() bool { return len(models(t, m)) == 2 }}
	if _, err := m.Sync(stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("sync: %v, want it cancelled", err)
	}
	e := embedder(t, m)
	if e.ID != before.ID || e.Problem != "" {
		t.Fatalf("%+v serves, want the old vectors of %s", e, before.ID)
	}
	hook := p.open(t, readOnly)
	if r := recall(t, hook, "what do we know of the beacon of the lighthouse?"); len(r.Degraded) > 0 || len(r.Hits) == 0 {
		t.Errorf("degraded %v, %d hits", r.Degraded, len(r.Hits))
	}
	// The next sync goes on with the model that is there.
	waiting := models(t, m)
	mustSync(t, m)
	after := embedder(t, m)
	if after.ID == before.ID || after.Of != 320 {
		t.Errorf("%+v serves, want a model of 320 passages", after)
	}
	if files := models(t, m); len(files) != 1 || !slices.Contains(waiting, files[0]) {
		t.Errorf("models %v, want the one of %v that was not used yet", files, waiting)
	}
	// A handle that was open all the time follows.
	if r := recall(t, hook, "what do we know of the beacon of the lighthouse?"); len(r.Degraded) > 0 {
		t.Errorf("the open handle is degraded: %v", r.Degraded)
	}
}

// stopAt is a context that ends once done says so.
type stopAt struct {
	context.Context
	cancel context.CancelFunc
	done   func() bool
}

func (s *stopAt) Err() error {
	if s.Context.Err() == nil && s.done() {
		s.cancel()
	}
	return s.Context.Err()
}

func TestADamagedModelIsNamedAndTrainedAnew(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"cut off": func(path string) error { return os.Truncate(path, 1000) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"changed": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i := 200; i < len(data); i += 50 {
				data[i] ^= 1
			}
			return os.WriteFile(path, data, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			p.grow(t, m, 0, 220)
			mustSync(t, m)
			was := embedder(t, m)
			if err := spoil(models(t, m)[0]); err != nil {
				t.Fatal(err)
			}
			hook := p.open(t, readOnly)
			r := recall(t, hook, "who looks after the lighthouse together with the beacon?")
			if !slices.Equal(r.Degraded, []string{"embedder"}) || len(r.Hits) == 0 {
				t.Errorf("degraded %v with %d hits, want the embedder named and the text searched", r.Degraded, len(r.Hits))
			}
			if e := embedder(t, hook); !strings.Contains(e.Problem, ".lsa") {
				t.Errorf("the status does not name the model: %+v", e)
			}
			m = p.open(t)
			mustSync(t, m)
			if e := embedder(t, m); e.ID != was.ID || e.Problem != "" {
				t.Errorf("%+v, want %s again", e, was.ID)
			}
			if r := recall(t, m, "who looks after the lighthouse together with the beacon?"); len(r.Degraded) > 0 {
				t.Errorf("degraded %v after the sync", r.Degraded)
			}
		})
	}
}

func TestPurgeDropsWhatWasLearned(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	p.grow(t, m, 0, 230)
	mustSync(t, m)
	if len(models(t, m)) != 1 {
		t.Fatal("no model was trained")
	}
	if _, err := m.Erase().Purge(t.Context(), "s-7"); err != nil {
		t.Fatal(err)
	}
	if files := models(t, m); len(files) != 0 {
		t.Errorf("models are left: %v", files)
	}
	if e := embedder(t, m); e.ID != hashed {
		t.Errorf("%+v serves, want hashed features", e)
	}
	if r := recall(t, m, "who looks after the lighthouse together with the beacon?"); len(r.Degraded) > 0 || len(r.Hits) == 0 {
		t.Errorf("degraded %v, %d hits", r.Degraded, len(r.Hits))
	}
	mustSync(t, m)
	if e := embedder(t, m); e.Of != 229 {
		t.Errorf("%+v after the next sync, want a model of the 229 that are left", e)
	}
}

func TestAModelTrainedAfreshDoesNotDependOnWhatCameBefore(t *testing.T) {
	grown, whole := newPlace(t), newPlace(t)
	m := grown.open(t)
	for n := 0; n < 300; n += 60 {
		grown.grow(t, m, n, n+60)
		mustSync(t, m)
	}
	o := whole.open(t)
	whole.grow(t, o, 0, 300)
	mustSync(t, o)
	for _, path := range models(t, m) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	m = grown.open(t)
	mustSync(t, m)
	if diff := cmp.Diff(embedder(t, o).ID, embedder(t, m).ID); diff != "" {
		t.Fatalf("(-whole +grown):\n%s", diff)
	}
	for _, prompt := range []string{"what of the beacon?", "誰照顧天文台？", "round 7 of the kiln"} {
		a, b := recall(t, o, prompt), recall(t, m, prompt)
		if diff := cmp.Diff(scores(a), scores(b)); diff != "" {
			t.Errorf("%s (-whole +grown):\n%s", prompt, diff)
		}
	}
}

func scores(r *memory.Recollection) map[string]string {
	out := make(map[string]string)
	for _, h := range r.Hits {
		out[h.Passage.ID] = fmt.Sprintf("%.4f %.4f", h.Vector, h.Own)
	}
	return out
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
	if r := recall(t, m, "who looks after the lighthouse together with the beacon?"); len(r.Hits) == 0 {
		t.Error("nothing is found")
	}
}
