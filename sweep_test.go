package orihon_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/internal/store"
	"orihon/memory"
)

// after is a handle of a time after the start.
func (p *place) after(t tb, days int) *orihon.Memory {
	return p.open(t, func(o *orihon.Options) {
		o.Now = func() time.Time { return p.now().AddDate(0, 0, days) }
	})
}

func inferred(t tb, m *orihon.Memory, text string) memory.Item {
	t.Helper()
	return state(t, m, orihon.Statement{Text: text, Source: memory.FromAgent, Confidence: memory.InferredConfidence, Explicit: true})
}

func swept(t tb, m *orihon.Memory, dry bool) []string {
	t.Helper()
	s, err := m.Items().Sweep(t.Context(), dry)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(s.Left))
	for i := range s.Left {
		out[i] = s.Left[i].Item.Content
	}
	slices.Sort(out)
	return out
}

func TestASweepPutsAwayWhatNobodyUses(t *testing.T) {
	const port, logo = "The gateway of the lab listens on port 8080", "商標是藍色的，字是白色的"
	p := newPlace(t)
	m := p.open(t)
	inferred(t, m, port)
	said := remember(t, m, "Backups run every night at three")
	used := inferred(t, m, logo)
	write(t, filepath.Join(p.private(t), "memory", "two.md"),
		"---\nid: two\nconfidence: 0.5\ncreated_at: 2026-08-01\n---\n- The printer stands in room five.\n- The scanner stands in room six.\n")
	write(t, filepath.Join(p.dir, ".orihon", "memory", "shared", "team.md"),
		"---\nid: team\nconfidence: 0.5\ncreated_at: 2026-08-01\n---\n- The coffee machine belongs to everybody.\n")
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := m.Items().Read(t.Context(), used.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got := swept(t, p.after(t, 29), false); len(got) > 0 {
		t.Errorf("after 29 days: %q", got)
	}
	m = p.after(t, 31)
	if got := swept(t, m, true); len(got) != 2 {
		t.Errorf("would leave: %q", got)
	}
	if !finds(t, m, "which port does the gateway of the lab listen on?", "8080") {
		t.Error("a dry run put something away")
	}
	if got := swept(t, m, false); len(got) != 2 || got[1] != port || !strings.Contains(got[0], "printer") {
		t.Errorf("left: %q", got)
	}
	for prompt, want := range map[string]bool{"which port does the gateway of the lab listen on?": false, "where does the printer stand?": false, "when do backups run?": true, "商標是什麼顏色": true, "whose is the coffee machine?": true} {
		if got := recall(t, m, prompt).Text != ""; got != want {
			t.Errorf("%q finds something: %v", prompt, got)
		}
	}
	read(t, filepath.Join(p.private(t), "memory", "archive", "2026_09", "two.md"))
	audits, err := m.Items().Audits(t.Context(), &memory.AuditFilter{Op: "archive"})
	if err != nil || len(audits) != 2 || audits[0].By != "sweep" || !strings.HasPrefix(audits[0].Why, "never accessed in") {
		t.Errorf("audited: %+v, %v", audits, err)
	}
	if got := swept(t, m, false); len(got) > 0 {
		t.Errorf("swept twice: %q", got)
	}
	// A true statement stays however old it is.
	m = p.after(t, 400)
	if got := swept(t, m, false); len(got) > 0 {
		t.Errorf("after 400 days: %q", got)
	}
	if in := p.prompt(t, "s", "p", "when do backups run at night?", func(o *orihon.Options) { o.Now = func() time.Time { return p.now().AddDate(0, 0, 400) } }); !strings.Contains(in.Text, said.Content) {
		t.Errorf("injected after 400 days: %q", in.Text)
	}
}

// What is rebuilt from the text knows as little of the archive.
func TestARebuiltIndexHasNothingOfTheArchive(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	it := remember(t, m, "The gateway listens on port 8080")
	if _, err := m.Items().Archive(t.Context(), "", it.ID); err != nil {
		t.Fatal(err)
	}
	for _, fresh := range []bool{false, true} {
		if fresh {
			removeAll(t, filepath.Join(p.private(t), "index"))
		}
		m := p.open(t)
		if finds(t, m, "gateway port", "8080") {
			t.Errorf("it is recalled, fresh index %v", fresh)
		}
		hits, err := m.Items().SearchArchive(t.Context(), "gateway port", memory.Filter{}, 0)
		if err != nil || len(hits) != 1 || hits[0].Item.ID != it.ID || hits[0].Vector.Model == "" {
			t.Errorf("archive search: %+v, %v", hits, err)
		}
	}
}

func TestTheWorkerSweepsOnceAWeek(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	inferred(t, m, "The gateway of the lab listens on port 8080")
	work := func(day int) int {
		t.Helper()
		m := p.after(t, day)
		defer m.Close()
		if err := m.Sessions().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		gone, err := m.Items().Archived(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(gone)
	}
	for _, step := range []struct{ day, archived int }{{1, 0}, {29, 0}, {31, 0}, {35, 0}, {37, 1}} {
		if got := work(step.day); got != step.archived {
			t.Errorf("on day %d %d are archived, want %d", step.day, got, step.archived)
		}
	}
}

// More than ten thousand items are swept every day, not every week.
func TestALargeMemoryIsSweptDaily(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "The beginning")
	var ledger strings.Builder
	for i := range 10_001 {
		line, err := json.Marshal(memory.Item{
			ID: "x" + strings.Repeat("0", 4) + string(rune('a'+i%26)) + time.Duration(i).String(), Kind: memory.Procedural, Content: "Step " + time.Duration(i).String(), Scope: memory.Personal("ann"),
			Metadata: memory.Metadata{CreatedAt: start, Confidence: 0.5},
		})
		if err != nil {
			t.Fatal(err)
		}
		ledger.Write(append(line, '\n'))
	}
	write(t, filepath.Join(p.private(t), "memory", "procedural.jsonl"), ledger.String())
	inferred(t, m, "The gateway of the lab listens on port 8080")
	for _, step := range []struct{ day, archived int }{{29, 0}, {31, 1}} {
		m := p.after(t, step.day)
		if err := m.Sessions().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		gone, err := m.Items().Archived(t.Context())
		if err != nil || len(gone) != step.archived {
			t.Errorf("on day %d %d are archived, want %d, %v", step.day, len(gone), step.archived, err)
		}
	}
}

// Idleness orders, it does not silence: what was injected once still is.
func TestIdleDecayAloneSilencesNothing(t *testing.T) {
	p := newPlace(t)
	it := remember(t, p.open(t), "The gateway listens on port 8080")
	for _, days := range []int{30, 400, 4000, 40_000} {
		m := p.after(t, days)
		if c := memory.Effective(it.Metadata, p.now().AddDate(0, 0, days), 1); c < memory.InjectConfidence {
			t.Errorf("after %d days it is believed %g", days, c)
		}
		if !finds(t, m, "which port does the gateway listen on?", "8080") {
			t.Errorf("after %d days it is not injected", days)
		}
	}
}

func use(t tb, p *place, id string) {
	t.Helper()
	s, err := store.Open(&store.Options{State: p.private(t)})
	if err == nil {
		err = s.Use(context.Background(), memory.Usage{Op: memory.UsageAccessed, IDs: []string{id}, TS: p.now()})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasBroughtBackIsNotSweptAtOnce(t *testing.T) {
	p := newPlace(t)
	it := inferred(t, p.open(t), "The gateway of the lab listens on port 8080")
	use(t, p, it.ID)
	if got := swept(t, p.after(t, 59), false); len(got) > 0 {
		t.Errorf("after 59 days: %q", got)
	}
	m := p.after(t, 61)
	if got := swept(t, m, false); len(got) != 1 {
		t.Fatalf("after 61 days: %q", got)
	}
	if _, err := m.Items().Restore(t.Context(), it.ID); err != nil {
		t.Fatal(err)
	}
	if got := swept(t, p.after(t, 100), false); len(got) > 0 {
		t.Errorf("brought back, it leaves after 39 days: %q", got)
	}
	if got := swept(t, p.after(t, 123), false); len(got) != 1 {
		t.Errorf("brought back, it stays for 62 days")
	}
}

func removeAll(t tb, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}
