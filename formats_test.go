package orihon_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/health"
	"orihon/items"
	"orihon/memory"
)

// oldPlace is a place whose files an earlier version wrote.
func oldPlace(t *testing.T, version string) *place {
	t.Helper()
	p := newPlace(t)
	m := p.open(t)
	if err := m.Register(t.Context()); err != nil {
		t.Fatal(err)
	}
	from := filepath.Join("testdata", "backcompat", version)
	for _, dir := range []struct{ from, to string }{
		{from, m.Project().Private}, {filepath.Join(from, "shared"), m.Project().Shared},
	} {
		if err := os.MkdirAll(filepath.Dir(dir.to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir.to, os.DirFS(dir.from)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestWhatVersionOneWroteIsReadWhole(t *testing.T) {
	t.Parallel()
	p := oldPlace(t, "v1")
	m := p.open(t)
	if s, err := m.Sync(t.Context()); err != nil || len(s.Problems) > 0 {
		t.Fatalf("sync: %v, %v", s.Problems, err)
	}
	if diff := cmp.Diff([]string{"Fixed the login test in auth.go", "The port is 5432", "We deploy with make ship", "主機是 db1"}, contents(list(t, m, memory.Filter{}))); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if !finds(t, m, "how do we deploy?", "make ship") {
		t.Error("recall does not find what was written then")
	}
	if n := len(p.events(t, "s-1")); n != 3 {
		t.Errorf("%d events in the journal, want 3", n)
	}
	h, err := m.Items().History(t.Context(), "0199aa00-0000-7000-8000-000000000002")
	if err != nil || len(h.Versions) != 2 || h.Versions[1].Op != memory.VersionRetired || len(h.Decisions) != 1 {
		t.Errorf("history = %+v, %v", h, err)
	}

	done, err := m.Health().Migrate(t.Context(), false)
	if err != nil || len(done.Rewritten) > 0 {
		t.Errorf("migrate rewrote %v, %v", done.Rewritten, err)
	}
	for _, f := range done.Formats {
		if f.Name == "index" {
			continue // derived: built by this version a moment ago
		}
		if f.Newest > 1 || f.Unmarked > 0 || f.Files == 0 && f.Name != "config" {
			t.Errorf("format %+v", f)
		}
	}
}

func TestStatsCountWhatVersionOneWrote(t *testing.T) {
	t.Parallel()
	m := oldPlace(t, "v1").trusting(t)
	st, err := m.Health().Stats(t.Context(), health.StatsOptions{Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	st.Thresholds, st.Feedback = nil, health.FeedbackStats{} // the configuration's
	const first = "0199aa00-0000-7000-8000-000000000001"
	if diff := cmp.Diff(&health.Stats{
		Items: 4, Forgotten: 1, Idle: 3,
		Kinds: map[string]int{"semantic": 3, "episodic": 1}, Topics: map[string]int{"fact": 2, "architecture": 2},
		Tiers:  map[string]int{"observed": 1, "provisional": 1, "settled": 1, "none": 1},
		Scopes: map[string]int{"personal:ann": 2, "shared": 2}, Sources: map[string]int{"user": 1, "system": 1, "none": 2},
		Weeks:      []health.WeekStats{{Week: "2026-06-29", Added: 4, Total: 4}},
		Used:       health.Use{Injections: 3, Tokens: 48, Accesses: 1},
		Days:       []health.DayUse{{Day: "2026-07-02", Use: health.Use{Injections: 1, Tokens: 18}}, {Day: "2026-07-03", Use: health.Use{Injections: 2, Tokens: 30, Accesses: 1}}},
		Sessions:   []health.SessionUse{{Session: "s-1", Last: time.Date(2026, 7, 3, 10, 1, 0, 0, time.UTC), Use: health.Use{Injections: 3, Tokens: 48, Accesses: 1}}},
		Injected:   []health.ItemUse{{ID: first, Text: "We deploy with make ship", Injections: 2, Accesses: 1}},
		Redacted:   map[string]int{"aws": 1, "password": 1},
		Extractors: []items.ExtractorTrust{{Name: "user", Added: 1, Undone: map[string]int{}, Score: 5.0 / 6}},
	}, st); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	late, err := m.Health().Stats(t.Context(), health.StatsOptions{Since: time.Date(2026, 7, 3, 0, 0, 0, 0, time.UTC)})
	if err != nil || late.Used.Tokens != 30 || len(late.Redacted) != 0 || len(late.Injected) != 2 {
		t.Errorf("since the third: %+v, %v", late, err)
	}
}

func TestMigrateRefusesWhatIsNewerAndWritesNothing(t *testing.T) {
	t.Parallel()
	for name, newer := range map[string]string{
		"memory/procedural.jsonl": `{"id":"a","content":"舊的","metadata":{}}` + "\n" + `{"v":2,"id":"b"}` + "\n",
		"audit.jsonl":             `{"v":7,"op":"x"}` + "\n",
		"sessions/s-2/state.json": `{"version":2,"id":"s-2"}`,
	} {
		p := newPlace(t)
		m := p.open(t)
		remember(t, m, "We deploy with make ship")
		path := filepath.Join(p.private(t), filepath.FromSlash(name))
		write(t, path, newer)
		_, err := m.Health().Migrate(t.Context(), false)
		if !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), filepath.Base(path)) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want ErrRefused in one line that names it", name, err)
		}
		if diff := cmp.Diff(newer, read(t, path)); diff != "" {
			t.Errorf("%s was written (-before +after):\n%s", name, diff)
		}
	}
}

func TestRepairDoesNothingWhereNothingIsWrong(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "連接埠 8080 已被占用")
	if did, err := m.Health().Repair(t.Context()); err != nil || len(did) > 0 {
		t.Errorf("repair did %q, %v", did, err)
	}
	ledger := filepath.Join(p.private(t), "memory", "semantic.jsonl")
	before := read(t, ledger)
	write(t, ledger, before+`{"v":1,"id":"torn`)
	did, err := m.Health().Repair(t.Context())
	if err != nil || len(did) != 1 || !strings.Contains(did[0], "semantic.jsonl.torn-1") {
		t.Errorf("repair did %q, %v", did, err)
	}
	if diff := cmp.Diff(before, read(t, ledger)); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
}
