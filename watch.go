package orihon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/watch"
	"orihon/memory"
)

// syncDelay is the time from changes that have settled to the sync that reads
// them: an editor saves, and an agent writes, more than one file.
const syncDelay = 5 * time.Second

// Watch keeps the indexes up to date until ctx ends, and returns nil then: it
// syncs at once, 5 s after files have changed and settled, and in the
// configured interval, for what no notification tells. A recall by this handle
// that comes before the next sync reads what changed by itself. Each sync is
// reported, from one goroutine; report may be nil. Another process at it makes
// Watch try again after the same 5 s. A handle that only reads is refused with
// [memory.ErrRefused].
func (m *Memory) Watch(ctx context.Context, report func(Synced, error)) error {
	if m.home().ReadOnly {
		return fmt.Errorf("watch: %w: this handle only reads", memory.ErrRefused)
	}
	if report == nil {
		report = func(Synced, error) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	changed, ended := make(chan struct{}, 1), make(chan error, 1)
	ready := make(chan struct{})
	options := m.watchOptions()
	options.Ready = func() { close(ready) }
	go func() {
		defer close(ended)
		ended <- watch.Run(ctx, options, func() {
			for _, sp := range m.home().Spaces() {
				sp.Touch()
			}
			select {
			case changed <- struct{}{}:
			default: // one is waiting already
			}
		})
	}()
	defer func() {
		cancel()
		for range ended { // it is closed when nothing runs any more
		}
	}()

	interval := time.NewTicker(m.home().Config.Sync.Interval)
	defer interval.Stop()
	// The first sync comes once later changes are told: what changes between
	// the two would else be seen by neither.
	due := time.NewTimer(0)
	due.Stop()
	defer due.Stop()
	waiting := true
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			return err
		case <-ready:
			ready = nil
			due.Reset(0)
			continue
		case <-changed:
			// Not put off by more changes: they are read with the first.
			if !waiting {
				due.Reset(syncDelay)
				waiting = true
			}
			continue
		case <-due.C:
		case <-interval.C:
		}
		done, err := m.Sync(ctx)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil
		}
		due.Stop()
		if waiting = done.Busy; waiting {
			due.Reset(syncDelay)
		}
		report(done, err)
	}
}

// watchOptions are the folders that a sync reads, without what is derived or
// changes with every event of a session.
func (m *Memory) watchOptions() *watch.Options {
	h := m.home()
	p := h.Project
	dirs := []string{
		p.PersonalMemory(), p.Sessions(), h.Global.Dir.Memory(), h.Global.Dir.Sessions(),
		filepath.Dir(p.Core()),
	}
	for _, dir := range h.Config.Memory.ExtraDirs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Root, dir)
		}
		dirs = append(dirs, dir)
	}
	ofProject, _ := h.ClientMemories()
	for _, m := range ofProject {
		dirs = append(dirs, m.Dir)
	}
	sessions := []string{p.Sessions(), h.Global.Dir.Sessions()}
	derived := []string{h.Personal.Dir.Index(), h.Global.Dir.Index()}
	return &watch.Options{
		Dirs: dirs, Logger: h.Log,
		Ignore: func(path string) bool {
			if slices.Contains(derived, path) {
				return true
			}
			if dir := filepath.Dir(filepath.Dir(path)); slices.Contains(sessions, dir) {
				// Of a session only the journal is read; bodies come with its lines.
				return filepath.Base(path) != "journal.jsonl"
			}
			return strings.HasPrefix(filepath.Base(path), "_")
		},
	}
}
