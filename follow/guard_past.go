package follow

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/guard"
	"orihon/internal/session"
)

// mostStates is how many sessions a beginning one looks at.
const mostStates = 32

// newest are the states of the sessions that changed last, but one, the one with
// the newest event first.
func (f *Sessions) newest(but string) []*session.State {
	entries, err := os.ReadDir(f.v.Project.Sessions())
	if err != nil {
		return nil
	}
	type folder struct {
		name string
		at   time.Time
	}
	var folders []folder
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			folders = append(folders, folder{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(folders, func(a, b folder) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(b.name, a.name)) })
	var out []*session.State
	for _, d := range folders[:min(len(folders), mostStates)] {
		st, err := session.Load(filepath.Join(f.v.Project.Sessions(), d.name))
		if err == nil && st.ID != but {
			out = append(out, st)
		}
	}
	slices.SortStableFunc(out, func(a, b *session.State) int { return b.Last.Compare(a.Last) })
	return out
}

// capture tells whether sessions are kept and worked up.
func (f *Sessions) capture(states []*session.State) guard.Capture {
	c := guard.Capture{Now: f.v.Now()}
	if !f.v.Config.Capture.Enabled {
		return c
	}
	const day = 24 * time.Hour
	for _, st := range states {
		if len(st.Pending) > 0 && c.Now.Sub(st.Last) >= day {
			if c.Waiting++; c.Since.IsZero() || st.Last.Before(c.Since) {
				c.Since = st.Last
			}
		}
		if info, err := os.Stat(filepath.Join(f.v.Project.Session(st.ID), "journal.jsonl")); err == nil && info.ModTime().After(c.Last) {
			c.Last = info.ModTime()
		}
	}
	if log, err := os.Stat(filepath.Join(f.v.Project.Home, "hook.log")); err == nil && log.Mode()&fs.ModeType == 0 {
		c.Failing = log.ModTime().After(c.Last) && c.Now.Sub(log.ModTime()) < day
	}
	return c
}

// Unwell says in one line that sessions of this project have not been kept for a
// day; empty while they are.
func (f *Sessions) Unwell() string {
	c := f.capture(f.newest(""))
	return c.Unwell(f.v.Language(""))
}
