package orihon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"orihon/internal/session"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// Status describes a memory for people.
type Status struct {
	User    string        `json:"user"`
	Project string        `json:"project"`
	ID      string        `json:"project_id"`
	Root    string        `json:"root"`
	Home    string        `json:"home"`
	Spaces  []SpaceStatus `json:"spaces"`
	// Sessions counts the journals of this project, LastEvent is the latest
	// event of any of them.
	Sessions  int       `json:"sessions"`
	LastEvent time.Time `json:"last_event,omitzero"`
	Pending   int       `json:"pending_work"` // sessions that left work undone
	Problems  []string  `json:"problems,omitempty"`
	// Claimed is the known project that the folder says to be without being
	// linked with it.
	Claimed *KnownProject `json:"claimed,omitempty"`
}

// SpaceStatus describes one home of memory.
type SpaceStatus struct {
	Name     string         `json:"name"`
	Dir      string         `json:"dir"`
	Items    map[string]int `json:"items"` // by kind; what is forgotten is "forgotten"
	Bytes    int64          `json:"bytes"` // of text, journals included
	Index    int64          `json:"index_bytes"`
	Passages int            `json:"passages"`
	Synced   time.Time      `json:"synced,omitzero"`
	Stale    string         `json:"stale,omitempty"` // why the index is to be rebuilt
	Embedder EmbedderStatus `json:"embedder,omitzero"`
}

// Status looks at everything and changes nothing.
func (m *Memory) Status(ctx context.Context) (Status, error) {
	p := m.project
	st := Status{User: m.user, Project: p.Name, ID: p.ID, Root: p.Root, Home: p.Home, Problems: slices.Clone(m.problems), Claimed: m.Claimed()}
	if p.LocalRefused != "" {
		st.Problems = append(st.Problems, p.LocalRefused)
	}
	for _, sp := range []*space{m.personal, m.global} {
		s, err := sp.status(ctx)
		if err != nil {
			return st, err
		}
		st.Spaces = append(st.Spaces, s)
	}
	if c := p.Conflict; c != nil {
		st.Problems = append(st.Problems, c.String())
	}
	dirs, err := os.ReadDir(p.Sessions())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return st, err
	}
	for _, d := range dirs {
		dir := filepath.Join(p.Sessions(), d.Name())
		if d.Name()[0] == '.' || !d.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "journal.jsonl")); err == nil {
			st.Sessions++
		}
		if state, err := session.Load(dir); err == nil {
			if state.Last.After(st.LastEvent) {
				st.LastEvent = state.Last
			}
			if len(state.Pending) > 0 {
				st.Pending++
			}
		}
	}
	return st, nil
}

func (sp *space) status(ctx context.Context) (SpaceStatus, error) {
	s := SpaceStatus{Name: sp.name, Dir: string(sp.dir), Items: make(map[string]int)}
	for it, err := range sp.text.Scan(ctx) {
		if err != nil {
			return s, err
		}
		if it.Retired {
			s.Items["forgotten"]++
		} else {
			s.Items[string(it.Item.Kind)]++
		}
	}
	s.Bytes = size(sp.dir.Memory()) + size(sp.dir.Sessions())
	s.Index = size(sp.dir.Index())
	x, err := sqlite.Open(ctx, sp.indexPath(), &sqlite.Options{Embedder: sp.vectors, ReadOnly: true})
	switch {
	case errors.Is(err, memory.ErrNotFound):
		s.Stale = "not built yet"
		return s, nil
	case err != nil:
		s.Stale = err.Error()
		return s, nil
	}
	defer x.Close()
	stamp, err := x.Stamp(ctx)
	if err != nil {
		s.Stale = err.Error()
		return s, nil
	}
	s.Passages, s.Synced, s.Stale = stamp.Passages, stamp.Synced, stamp.Stale
	if state, err := x.Embedding(ctx); err == nil {
		s.Embedder = sp.vectors.describe(state)
	}
	return s, nil
}

func size(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// notices are one-line remarks about the memory itself, for a session's start.
func (m *Memory) notices(ctx context.Context) []string {
	var out []string
	if n := m.Review().count(ctx); n == 1 {
		out = append(out, "orihon: 1 statement waits for the user's decision: orihon review")
	} else if n > 1 {
		out = append(out, fmt.Sprintf("orihon: %d statements wait for the user's decision: orihon review", n))
	}
	if n := m.personal.unaccepted().sum(); n > 0 {
		out = append(out, fmt.Sprintf("orihon: statements that came with this repository wait until the user accepts them (%d): orihon review --repository", n))
	}
	if why := m.project.Refused; why != "" {
		out = append(out, "orihon: the project's folder is left out: "+why)
	}
	if c := m.project.Conflict; c != nil {
		out = append(out, "orihon: "+c.String())
	}
	if text := m.Apart(); text != "" {
		out = append(out, "orihon: "+text)
	}
	if m.project.LocalRefused != "" {
		// The reason names files, and so words that others may have chosen.
		out = append(out, "orihon: the folder's .orihon/local is not used, the user's home is: orihon status says why")
	}
	if len(m.problems) > 0 {
		out = append(out, "orihon: a setting could not be used: "+m.problems[0])
	}
	return out
}

// LateIndex reports whether recall found an index that lags behind its text,
// so that a sync is worth a process of its own.
func (m *Memory) LateIndex() bool {
	for _, sp := range []*space{m.personal, m.global} {
		sp.mu.Lock()
		late := sp.late
		sp.mu.Unlock()
		if late {
			return true
		}
	}
	return false
}
