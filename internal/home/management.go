package home

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/project"
	"orihon/internal/space"
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

// WhySensitive says why management decides on an item.
func WhySensitive(it *memory.Item) string {
	if t := sensitiveTopic(it); t != "" {
		return "sensitive: " + string(t)
	}
	return "takes the place of something sensitive"
}

// Waits reports whether what this user writes does not take effect until
// management accepts it: a sensitive item, and whatever else takes the place of
// one. A project without management has nobody to wait for, and management
// itself does not wait. Every way to write or take out asks here.
func (h *Home) Waits(ctx context.Context, it *memory.Item) bool {
	if it.Scope != memory.Shared {
		return false
	}
	if st := h.Standing(); !st.Reviewed || st.Management {
		return false
	}
	if sensitive(it) {
		return true
	}
	for _, id := range []string{it.ID, it.Relations.Supersedes} {
		if id == "" {
			continue
		}
		if old, err := h.Personal.Text.Get(ctx, id); err == nil && sensitive(&old) {
			return true
		}
	}
	return false
}

// MayChange refuses a change that only management may make.
func (h *Home) MayChange(ctx context.Context, it *memory.Item) error {
	if !h.Waits(ctx, it) {
		return nil
	}
	what := "takes the place of a shared decision"
	if t := sensitiveTopic(it); t != "" {
		what = "is a shared " + string(t)
	}
	return fmt.Errorf("item %s: %w: it %s: %s", it.ID, memory.ErrRefused, what, h.NotManagement())
}

// Submit puts before management what waits for it of the items that a statement
// leads to, and returns those that may be written to the text past [space.Text],
// which would ask once more.
func (h *Home) Submit(ctx context.Context, text space.Text, items []memory.Item) (direct []memory.Item, err error) {
	ended := make(map[string]bool)
	for i := range items {
		ended[items[i].Relations.Supersedes] = true
	}
	for i := range items {
		it := items[i]
		if sensitive(&it) && it.Audience == "" {
			it.Audience = string(it.Topic)
		}
		if !h.Waits(ctx, &it) {
			direct = append(direct, it)
			continue
		}
		if ended[it.ID] {
			continue // it ends when management approves what takes its place
		}
		if err := h.submit(ctx, text, it); err != nil {
			return nil, err
		}
	}
	return direct, nil
}

// submit puts an item before management, once.
func (h *Home) submit(ctx context.Context, text space.Text, it memory.Item) error {
	dir := h.Project.PendingReview()
	waiting, _ := text.Submissions(ctx, dir, memory.Shared)
	if slices.ContainsFunc(waiting, func(w store.Submission) bool { return w.Item.ID == it.ID && w.Item.Content == it.Content }) {
		return nil
	}
	return text.Submit(ctx, dir, it, h.User)
}

// Standing is what the user may do on the project. Lists that cannot be read
// give nothing away.
func (h *Home) Standing() project.Standing {
	st, err := h.Project.Standing(h.User, h.Accepts)
	if err != nil {
		h.Log.Warn("roles left out", "err", err)
	}
	return st
}

// NotManagement says what is missing, and where.
func (h *Home) NotManagement() string {
	switch st := h.Standing(); {
	case st.Claims && !st.Listed:
		return fmt.Sprintf("%s is not listed under %s in %s", h.User, project.Management, h.Project.RolesFile())
	case st.Listed && !st.Claims:
		return fmt.Sprintf("%s does not say - %s", h.Project.OwnRolesFile(), project.Management)
	}
	return fmt.Sprintf("only %s decides on it: see %s", project.Management, h.Project.RolesFile())
}

// ownRoles are those of the configuration and of the user's own list.
func (h *Home) ownRoles() []string {
	out := slices.Clone(h.Config.Roles)
	for _, r := range h.Standing().Roles {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
