package memory_test

import (
	"math"
	"testing"
	"time"

	"orihon/memory"
)

// now is a fixed time; the ages in these tests are counted back from it.
var now = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

const day = 24 * time.Hour

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestALevelBeginsAtItsThreshold(t *testing.T) {
	for _, tt := range []struct {
		confidence float64
		want       string
	}{
		{0, "tentative"}, {0.3, "tentative"}, {0.4999, "tentative"},
		{0.5, "moderate"}, {0.6999, "moderate"},
		{0.7, "strong"}, {0.8999, "strong"},
		{0.9, "near-certain"}, {1, "near-certain"},
	} {
		if got := memory.Level(tt.confidence); got != tt.want {
			t.Errorf("Level(%g) = %s, want %s", tt.confidence, got, tt.want)
		}
	}
}

func TestIdlenessLowersConfidenceButSilencesNothing(t *testing.T) {
	for _, tt := range []struct {
		name       string
		confidence float64
		idle       time.Duration
		want       float64
	}{
		{"fresh", 0.9, 0, 0.9},
		{"a day short of a month", 0.9, 30*day - time.Second, 0.9},
		{"a whole month", 0.9, 30 * day, 0.89},
		{"only whole months count", 0.9, 59 * day, 0.89},
		{"a year", 0.9, 365 * day, 0.78},
		{"three years stop at the injection threshold", 0.6, 3 * 365 * day, 0.5},
		{"centuries stop there too", 1, 250 * 365 * day, 0.5},
		{"just above the threshold", 0.505, 30 * day, 0.5},
		{"on the threshold it stays", 0.5, 900 * day, 0.5},
		{"below the threshold it goes on", 0.49, 300 * day, 0.39},
		{"a single observation stops at the floor", 0.3, 3000 * day, 0.2},
		{"on the floor it stays", 0.2, 3000 * day, 0.2},
		{"what was denied is not lifted to the floor", 0.1, 3000 * day, 0.1},
		{"a time that lies ahead is no idleness", 0.9, -400 * day, 0.9},
	} {
		m := memory.Metadata{Confidence: tt.confidence, CreatedAt: now.Add(-tt.idle)}
		if got := memory.Effective(m, now, memory.IdleDecay); !near(got, tt.want) {
			t.Errorf("%s: %g became %g, want %g", tt.name, tt.confidence, got, tt.want)
		}
	}
}

func TestIdlenessNeverCrossesTheInjectionThreshold(t *testing.T) {
	for c := 0; c <= 1000; c++ {
		for _, months := range []int{0, 1, 7, 40, 90, 1000} {
			before := float64(c) / 1000
			m := memory.Metadata{Confidence: before, CreatedAt: now.AddDate(0, 0, -30*months)}
			after := memory.Effective(m, now, memory.IdleDecay)
			if (before >= memory.InjectConfidence) != (after >= memory.InjectConfidence) || after > before {
				t.Fatalf("%g became %g after %d idle months", before, after, months)
			}
		}
	}
}

func TestIdlenessIsCountedFromTheLastTouch(t *testing.T) {
	old, recent := now.AddDate(-2, 0, 0), now.AddDate(0, 0, -31)
	for name, m := range map[string]memory.Metadata{
		"created":  {CreatedAt: recent},
		"updated":  {CreatedAt: old, UpdatedAt: recent},
		"accessed": {CreatedAt: old, UpdatedAt: old, LastAccessed: recent},
		"accessed, then updated": {
			CreatedAt: old, LastAccessed: old, UpdatedAt: recent,
		},
	} {
		m.Confidence = 0.9
		if got := memory.Effective(m, now, memory.IdleDecay); !near(got, 0.89) {
			t.Errorf("%s a month ago: %g, want 0.89", name, got)
		}
	}
	if got := memory.Effective(memory.Metadata{Confidence: 0.9}, now, memory.IdleDecay); got != 0.9 {
		t.Errorf("without any time: %g, want 0.9", got)
	}
}

func TestRecencyHalvesEveryThirtyDays(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    memory.Metadata
		want float64
	}{
		{"now", memory.Metadata{CreatedAt: now}, 1},
		{"fifteen days", memory.Metadata{CreatedAt: now.Add(-15 * day)}, math.Sqrt2 / 2},
		{"a month", memory.Metadata{CreatedAt: now.Add(-30 * day)}, 0.5},
		{"three months", memory.Metadata{CreatedAt: now.Add(-90 * day)}, 0.125},
		{"old but read a month ago", memory.Metadata{CreatedAt: now.Add(-900 * day), LastAccessed: now.Add(-30 * day)}, 0.5},
		{"an update alone does not refresh it", memory.Metadata{CreatedAt: now.Add(-30 * day), UpdatedAt: now}, 0.5},
		{"ahead of the clock", memory.Metadata{CreatedAt: now.Add(day)}, 1},
		{"no time at all", memory.Metadata{}, 0},
	} {
		if got := memory.Recency(tt.m, now); !near(got, tt.want) {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}

func TestAccessGrowsWithTheLogarithmAndIsBounded(t *testing.T) {
	for _, tt := range []struct {
		count int
		want  float64
	}{
		{0, 0}, {1, 0.06931471805599453}, {9, 0.23025850929940458}, {99, 0.4605170185988091},
		{22025, 0.9999988}, {22026, 1}, {math.MaxInt, 1},
		{-1, 0}, {-7, 0}, // hand edits
	} {
		if got := memory.Access(tt.count); math.IsNaN(got) || math.Abs(got-tt.want) > 1e-5 {
			t.Errorf("Access(%d) = %g, want %g", tt.count, got, tt.want)
		}
	}
}

func TestActivationHasKnownValues(t *testing.T) {
	ago := func(seconds ...int) (out []time.Time) {
		for _, s := range seconds {
			out = append(out, now.Add(-time.Duration(s)*time.Second))
		}
		return out
	}
	for _, tt := range []struct {
		name     string
		accesses []time.Time
		want     float64
	}{
		{"never", nil, -10},
		{"a second ago", ago(1), 0},
		{"a hundred seconds ago", ago(100), -2.302585092994046},                          // ln 0.1
		{"an hour ago", ago(3600), -4.0943445622221},                                     // ln 1/60
		{"four times, 100 seconds ago", ago(100, 100, 100, 100), -0.916290731874155},     // ln 0.4
		{"after 100, 400 and 10,000 seconds", ago(10000, 400, 100), -1.8325814637483102}, // ln 0.16
		{"at this moment counts as a second", ago(0), 0},
		{"ahead of the clock counts as a second", ago(-500), 0},
		{"the order does not matter", ago(100, 10000, 400), -1.8325814637483102},
		{"a day ago is still above never", ago(86400), -5.683371477396},
		{"a time that was never set is only very old", []time.Time{{}}, -11.472503269165148}, // 2^63 ns, the longest age there is
	} {
		if got := memory.Activation(tt.accesses, now); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %.15g, want %.15g", tt.name, got, tt.want)
		}
	}
}
