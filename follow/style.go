package follow

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/project"
	"orihon/items"
	"orihon/memory"
)

// How much of a project is looked at for its style, and how often it counts
// as seen again.
const (
	styleFiles   = 2000
	styleCommits = 200
	styleAgain   = 24 * time.Hour
	// styleMost is as far as observation alone leads: a person's word is worth
	// more.
	styleMost = 0.85
)

// learnStyle keeps what the project's own code and history show of its
// preferences, with the count as evidence. What the user has said about the
// same matter, or has forgotten, is left alone.
func (s *Session) learnStyle(ctx context.Context) error {
	if !s.v.Config.Capture.Enabled || !s.v.Config.Capture.Preferences {
		return nil
	}
	seen := s.sessions().style(ctx)
	if len(seen) == 0 {
		return nil
	}
	said, err := s.sessions().statedPreferences(ctx)
	if err != nil {
		return err
	}
	for _, p := range seen {
		if said[p.Category] {
			continue
		}
		if err := s.keepStyle(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// style lets the files and commits of the project vote. Without git there is
// nothing to see.
func (f *Sessions) style(ctx context.Context) []capture.Preference {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var votes capture.Style
	files, err := project.Tracked(ctx, f.v.Project.Root, styleFiles)
	if err != nil {
		f.v.Log.Debug("style: no files", "err", err)
		return nil
	}
	for _, name := range files {
		if ctx.Err() != nil {
			break
		}
		if text, err := head(f.v.Project.Root, name); err == nil {
			votes.File(name, text)
		}
	}
	subjects, err := project.Subjects(ctx, f.v.Project.Root, styleCommits)
	if err != nil {
		f.v.Log.Debug("style: no commits", "err", err)
	}
	for _, subject := range subjects {
		clean, _ := f.v.Redactor.Text(subject)
		votes.Commit(clean)
	}
	return votes.Preferences()
}

// head reads the beginning of a file in the project, not through a symlink.
func head(root, name string) (string, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	info, err := dir.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, memory.ErrRefused)
	}
	f, err := dir.Open(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, capture.MostStyleBytes))
	return string(data), err
}

// statedPreferences are the categories about which the user has said something.
func (f *Sessions) statedPreferences(ctx context.Context) (map[string]bool, error) {
	items, err := items.New(f.v.Home).List(ctx, memory.Filter{Topics: []memory.Topic{memory.Preference}})
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool)
	for i := range items {
		if items[i].Item.Metadata.Source == memory.FromUser {
			out[capture.PreferenceCategory(items[i].Item.Content)] = true
		}
	}
	return out, nil
}

// keepStyle writes one preference: new, changed, or seen again on another day.
func (s *Session) keepStyle(ctx context.Context, p capture.Preference) error {
	id := "style:" + p.Key
	known, err := items.New(s.v.Home).Get(ctx, id)
	switch {
	case err == nil && known.Retired:
		return nil
	case err == nil && known.Item.Content == p.Text:
		return s.sessions().seenAgain(ctx, known.Item, p.Evidence)
	case err != nil && !errors.Is(err, memory.ErrNotFound):
		return err
	}
	_, err = s.v.Remember(ctx, learn.Statement{
		ID: id, Text: p.Text, Topic: memory.Preference, Tags: []string{p.Category}, Evidence: []string{p.Evidence},
		Source: memory.FromSystem, Session: s.start.ID, Confidence: memory.InferredConfidence,
	})
	return err
}

// seenAgain raises the confidence of what the code still shows, once a day.
func (f *Sessions) seenAgain(ctx context.Context, it memory.Item, evidence string) error {
	meta := &it.Metadata
	now := f.v.Now().UTC()
	if now.Sub(meta.UpdatedAt) < styleAgain || meta.Confidence >= styleMost {
		return nil
	}
	const gain = 0.1
	meta.Confidence, meta.Confirmations, meta.UpdatedAt = min(styleMost, meta.Confidence+gain), meta.Confirmations+1, now
	meta.Evidence = []string{evidence}
	if err := f.v.Personal.Text.Put(ctx, it); err != nil {
		return err
	}
	return f.v.Personal.Text.Audit(ctx, memory.AuditRecord{TS: now, Op: memory.AuditConfirm, ID: it.ID, By: string(memory.FromSystem), Why: "the code still shows it: " + evidence, Score: meta.Confidence})
}
