package orihon_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"orihon"
	"orihon/memory"
)

// watched runs a watch and returns what waits for its next report, and what
// ends it.
func watched(t *testing.T, m *orihon.Memory) (next func(what string) orihon.Synced, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reports, done := make(chan orihon.Synced, 100), make(chan error)
	go func() {
		done <- m.Watch(ctx, func(s orihon.Synced, err error) {
			if err != nil {
				t.Error(err)
			}
			reports <- s
		})
	}()
	next = func(what string) orihon.Synced {
		t.Helper()
		const patience = 30 * time.Second
		select {
		case s := <-reports:
			return s
		case <-time.After(patience):
			t.Fatalf("no sync %s", what)
			return orihon.Synced{}
		}
	}
	return next, func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("watch ended with %v", err)
		}
	}
}

func TestWatchSyncsAtOnceAndRecallReadsWhatChangedBeforeTheNextSync(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "We deploy with make ship")
	next, end := watched(t, m)
	defer end()
	if s := next("at the start"); s.Passages != 1 {
		t.Errorf("%d passages at the start, want 1", s.Passages)
	}
	// Long before the sync, which comes 5 s after.
	path := filepath.Join(p.private(t), "memory", "部署.md")
	write(t, path, "# 部署\n\n部署前必須先執行 npm run build\n")
	deadline := time.Now().Add(20 * time.Second)
	for !finds(t, m, "部署前要做什麼？", "npm run build") {
		if time.Now().After(deadline) {
			t.Fatal("recall never read the new file")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if s := next("after the change"); s.Passages != 2 {
		t.Errorf("%d passages after the change, want 2", s.Passages)
	}
}

func TestAWatchLeavesNothingBehind(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	before := goleak.IgnoreCurrent()
	next, end := watched(t, m)
	next("at the start")
	end()
	goleak.VerifyNone(t, before)
}

func TestAHandleThatOnlyReadsCannotWatch(t *testing.T) {
	t.Parallel()
	m := newPlace(t).open(t, readOnly)
	if err := m.Watch(t.Context(), nil); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("watch = %v, want ErrRefused", err)
	}
}
