package orihon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/store"
	"orihon/memory"
)

// sensitiveTopics are what management decides on when it is shared.
var sensitiveTopics = []memory.Topic{memory.Architecture, memory.Decision}

// sensitive reports whether only management decides on an item.
func sensitive(it *memory.Item) bool {
	return it.Scope == memory.Shared && sensitiveTopic(it) != ""
}

// sensitiveTopic is what makes an item sensitive once it is shared: its topic,
// or one of those that its audience names. Empty for any other.
func sensitiveTopic(it *memory.Item) memory.Topic {
	for _, word := range append(strings.FieldsFunc(strings.ToLower(it.Audience), func(r rune) bool { return r == ',' || r == ' ' }), string(it.Topic)) {
		if t := memory.Topic(word); slices.Contains(sensitiveTopics, t) {
			return t
		}
	}
	return ""
}

func whySensitive(it *memory.Item) string {
	if t := sensitiveTopic(it); t != "" {
		return "sensitive: " + string(t)
	}
	return "takes the place of something sensitive"
}

// waits reports whether what this user writes does not take effect until
// management accepts it: a sensitive item, and whatever else takes the place of
// one. A project without management has nobody to wait for, and management
// itself does not wait. Every way to write or take out asks here.
func (m *Memory) waits(ctx context.Context, it *memory.Item) bool {
	if it.Scope != memory.Shared {
		return false
	}
	if st := m.standing(); !st.Reviewed || st.Management {
		return false
	}
	if sensitive(it) {
		return true
	}
	for _, id := range []string{it.ID, it.Relations.Supersedes} {
		if id == "" {
			continue
		}
		if old, err := m.personal.text.Get(ctx, id); err == nil && sensitive(&old) {
			return true
		}
	}
	return false
}

// mayChange refuses a change that only management may make.
func (m *Memory) mayChange(ctx context.Context, it *memory.Item) error {
	if !m.waits(ctx, it) {
		return nil
	}
	what := "takes the place of a shared decision"
	if t := sensitiveTopic(it); t != "" {
		what = "is a shared " + string(t)
	}
	return fmt.Errorf("item %s: %w: it %s: %s", it.ID, memory.ErrRefused, what, m.notManagement())
}

// managed is the text of a space as this user may write it: what only
// management decides on is refused, whoever calls.
type managed struct {
	*store.Store
	m *Memory
}

// Put implements [memory.Store].
func (s managed) Put(ctx context.Context, items ...memory.Item) error {
	for i := range items {
		if err := s.m.mayChange(ctx, &items[i]); err != nil {
			return err
		}
	}
	return s.Store.Put(ctx, items...)
}

// Remove implements [memory.Store].
func (s managed) Remove(ctx context.Context, id, reason string, at time.Time) error {
	if it, err := s.Get(ctx, id); err == nil {
		if err := s.m.mayChange(ctx, &it); err != nil {
			return err
		}
	}
	return s.Store.Remove(ctx, id, reason, at)
}

// reviewed is a store that puts what waits before management instead of
// refusing it: for statements, which are new.
type reviewed struct {
	managed
}

// Put implements [memory.Store].
func (s reviewed) Put(ctx context.Context, items ...memory.Item) error {
	m := s.m
	ended := make(map[string]bool)
	for i := range items {
		ended[items[i].Relations.Supersedes] = true
	}
	var direct []memory.Item
	for i := range items {
		it := items[i]
		if sensitive(&it) && it.Audience == "" {
			it.Audience = string(it.Topic)
		}
		if !m.waits(ctx, &it) {
			direct = append(direct, it)
			continue
		}
		if ended[it.ID] {
			continue // it ends when management approves what takes its place
		}
		if err := s.submit(ctx, it); err != nil {
			return err
		}
	}
	if len(direct) == 0 {
		return nil
	}
	return s.managed.Put(ctx, direct...)
}

// submit puts an item before management, once.
func (s reviewed) submit(ctx context.Context, it memory.Item) error {
	dir := s.m.project.PendingReview()
	waiting, _ := s.Submissions(ctx, dir, memory.Shared)
	if slices.ContainsFunc(waiting, func(w store.Submission) bool { return w.Item.ID == it.ID && w.Item.Content == it.Content }) {
		return nil
	}
	return s.Submit(ctx, dir, it, s.m.user)
}
