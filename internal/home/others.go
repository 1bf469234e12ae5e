package home

import (
	"iter"
	"path/filepath"
	"slices"

	"orihon/internal/project"
	"orihon/internal/space"
)

// Others goes through the user's own memory of at most so many of their other projects,
// the latest made first, each with the project's name. A space is closed when the loop
// goes on. What cannot be read is left out, with a warning.
func (h *Home) Others(most int) iter.Seq2[string, *space.Space] {
	return func(yield func(string, *space.Space) bool) {
		records, err := project.List(h.Project.Home)
		if err != nil {
			h.Log.Warn("other projects left out", "err", err)
			return
		}
		slices.SortStableFunc(records, func(a, b project.Record) int { return b.Created.Compare(a.Created) })
		n := 0
		for i := range records {
			rec := &records[i]
			if rec.ID == h.Project.ID || n == most {
				continue
			}
			sp, err := h.SpaceAt(space.Project, project.Space(filepath.Join(project.User(h.Project.Home).Projects(), rec.ID)))
			if err != nil {
				h.Log.Warn("another project left out", "project", rec.ID, "err", err)
				continue
			}
			n++
			on := yield(rec.Name, sp)
			if err := sp.Close(); err != nil {
				h.Log.Warn("another project", "project", rec.ID, "err", err)
			}
			if !on {
				return
			}
		}
	}
}
