// Package projects lists the projects that a user's home knows, and says which of
// them a folder says to be.
package projects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/home"
	"orihon/internal/project"
)

// Known is a project that the user's home knows.
type Known struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Remotes []string `json:"remotes,omitempty"`
	Folders []string `json:"folders"` // linked with it
	Bytes   int64    `json:"bytes"`   // of all that is kept of it
	Current bool     `json:"current"`
	// Says is what its folder says to be, when it is kept apart from that.
	Says string `json:"says,omitempty"`
	// Key is what a folder that says to be it is known by, such as
	// "remote:host/owner/name"; only [Claimed] knows it.
	Key string `json:"-"`
}

// List lists every project known to the user, oldest first.
func List(ctx context.Context, h *home.Home) ([]Known, error) {
	records, err := project.List(h.Project.Home)
	if err != nil {
		return nil, err
	}
	out := make([]Known, 0, len(records))
	for i := range records {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, known(h, &records[i]))
	}
	return out, nil
}

func known(h *home.Home, rec *project.Record) Known {
	k := Known{
		ID: rec.ID, Name: rec.Name, Folders: rec.Paths, Current: !h.Project.Local && rec.ID == h.Project.ID,
		Bytes: project.Size(filepath.Join(project.User(h.Project.Home).Projects(), rec.ID)),
	}
	if k.Folders == nil {
		k.Folders = []string{}
	}
	for _, key := range rec.Keys {
		if name, ok := strings.CutPrefix(key, "remote:"); ok {
			k.Remotes = append(k.Remotes, name)
		}
	}
	_, k.Says, _ = rec.Apart()
	return k
}

// Claimed is the known project that the folder says to be without being linked
// with it; nil when there is none.
func Claimed(h *home.Home) *Known {
	c := h.Project.Claim
	if c == nil {
		return nil
	}
	k := Known{ID: c.ID, Name: c.Name, Folders: []string{}}
	if rec, ok := project.Known(h.Project.Home, c.ID); ok {
		k = known(h, &rec)
	}
	k.Key = c.Key
	return &k
}

// Apart says in one line that the folder is kept apart from the project it says
// to be, and how to tie it; empty when it is not, or when the user wants it so.
func Apart(h *home.Home) string {
	c := h.Project.Claim
	if c == nil || c.Settled {
		return ""
	}
	return c.String() + ": its memory is kept apart; orihon project link ties it after one yes"
}

// Moved says in one line which known project this folder may have been before it
// was moved; empty when there is none. Without a remote nothing in a folder tells:
// it is a guess by the name or the place, made while the folder has no memory of
// its own and the other's folders are all gone.
func Moved(h *home.Home) string {
	p := h.Project
	if p.Claim != nil || p.Local {
		return ""
	}
	if kept, err := os.ReadDir(p.PersonalMemory()); err == nil && len(kept) > 0 {
		return ""
	}
	records, err := project.List(p.Home)
	if err != nil {
		return ""
	}
	for i := range records {
		if rec := &records[i]; rec.ID != p.ID && near(p.Root, rec.Paths) && gone(rec.Paths) {
			return fmt.Sprintf("this folder has no memory yet, and that of the project %q is gone: if it was moved here, orihon project link %s", rec.Name, rec.ID)
		}
	}
	return ""
}

// near reports whether a folder has the name or the place of one of others.
func near(root string, others []string) bool {
	return slices.ContainsFunc(others, func(dir string) bool {
		return filepath.Base(dir) == filepath.Base(root) || filepath.Dir(dir) == filepath.Dir(root)
	})
}

func gone(dirs []string) bool {
	return !slices.ContainsFunc(dirs, func(dir string) bool {
		_, err := os.Stat(dir)
		return !errors.Is(err, fs.ErrNotExist)
	})
}
