package health

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/follow"
	"orihon/internal/project"
	"orihon/internal/session"
	"orihon/internal/space"
	"orihon/journal"
	"orihon/llm/gateway"
	"orihon/projects"
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
	// Models are the language models of the settings, Budget what the day holds for
	// them.
	Models []gateway.State `json:"models,omitempty"`
	Budget *gateway.Today  `json:"model_budget,omitempty"`
	// Claimed is the known project that the folder says to be without being
	// linked with it.
	Claimed *projects.Known `json:"claimed,omitempty"`
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
func (x *Health) Status(ctx context.Context) (Status, error) {
	p := x.h.Project
	st := Status{User: x.h.User, Project: p.Name, ID: p.ID, Root: p.Root, Home: p.Home, Problems: slices.Clone(x.h.Problems), Claimed: projects.Claimed(x.h.Home)}
	if p.LocalRefused != "" {
		st.Problems = append(st.Problems, p.LocalRefused)
	}
	if st.Models = x.h.Models().States(); len(st.Models) > 0 {
		today, err := x.h.Models().Today()
		if err != nil {
			st.Problems = append(st.Problems, err.Error())
		}
		st.Budget = &today
	}
	for _, sp := range x.h.Spaces() {
		s, err := status(ctx, sp)
		if err != nil {
			return st, err
		}
		st.Spaces = append(st.Spaces, s)
	}
	if text := follow.New(x.h).Unwell(); text != "" {
		st.Problems = append(st.Problems, strings.TrimPrefix(text, "orihon: "))
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
		if _, err := journal.Stat(dir); err == nil {
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

func status(ctx context.Context, sp *space.Space) (SpaceStatus, error) {
	s := SpaceStatus{Name: sp.Name, Dir: string(sp.Dir), Items: make(map[string]int)}
	for it, err := range sp.Text.Scan(ctx) {
		if err != nil {
			return s, err
		}
		if it.Retired {
			s.Items["forgotten"]++
		} else {
			s.Items[string(it.Item.Kind)]++
		}
	}
	s.Bytes = project.Size(sp.Dir.Memory()) + project.Size(sp.Dir.Sessions())
	s.Index = project.Size(sp.Dir.Index())
	x := sp.IndexStatus(ctx)
	s.Passages, s.Synced, s.Stale, s.Embedder = x.Passages, x.Synced, x.Stale, EmbedderStatus(x.Embedder)
	return s, nil
}

// EmbedderStatus describes the vectors of a space.
type EmbedderStatus struct {
	ID        string `json:"id"` // provider, model and dimension
	Dimension int    `json:"dimension,omitzero"`
	// Next is the embedder that vectors are being made of; empty when none.
	Next    string `json:"next,omitempty"`
	Problem string `json:"problem,omitempty"` // why prompts get no vector
}
