package follow_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/follow"
)

// Work that waits is said when it should have been done a day ago: the next session
// to begin does it.
func TestWorkThatNobodyDoesIsSaid(t *testing.T) {
	home, dir := filepath.Join(t.TempDir(), "home"), t.TempDir()
	start := time.Now()
	at := func(after time.Duration, settings map[string]string, fn func(ctx context.Context, m *orihon.Memory) error) {
		t.Helper()
		now := start.Add(after)
		m, err := orihon.Open(t.Context(), &orihon.Options{Home: home, Dir: dir, User: "ann", GitConfig: []string{}, Settings: settings, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if err := fn(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	begin := func(id string) func(ctx context.Context, m *orihon.Memory) error {
		return func(ctx context.Context, m *orihon.Memory) error {
			s, err := m.Session(ctx, id, follow.Client{Name: "test", CWD: dir})
			if err != nil {
				return err
			}
			if _, err := s.Begin(ctx, "startup"); err != nil {
				return err
			}
			_, err = s.Prompt(ctx, "p", "go on")
			return err
		}
	}
	said := func(want string) func(ctx context.Context, m *orihon.Memory) error {
		return func(_ context.Context, m *orihon.Memory) error {
			if got := m.Sessions().Unwell(); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("said %q, want %q", got, want)
			}
			return nil
		}
	}
	at(0, nil, begin("one"))
	at(100*time.Hour, nil, said("")) // nobody has come who would do it
	at(101*time.Hour, nil, begin("two"))
	at(124*time.Hour, nil, said(""))
	at(126*time.Hour, nil, said("sessions (1) have waited to be worked up since"))
	at(126*time.Hour, map[string]string{"guard.off": "health"}, said(""))
	at(126*time.Hour, map[string]string{"capture.enabled": "false"}, said(""))
	at(126*time.Hour, nil, func(ctx context.Context, m *orihon.Memory) error { return m.Sessions().Work(ctx) })
	at(200*time.Hour, nil, said(""))
}
