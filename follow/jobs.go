package follow

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/session"
)

// Job is work that is pending or under way.
type Job struct {
	Kind    string    `json:"kind"`              // "session" or "sync"
	Session string    `json:"session,omitempty"` // whose work it is
	Space   string    `json:"space,omitempty"`   // whose index is synced: "project" or "user"
	Work    []string  `json:"work"`              // what is left to do, in order: "use", "log", "episode", "style", "habits", "sync", "extract", "everywhere"
	Since   time.Time `json:"since,omitzero"`    // last event of the session
	PID     int       `json:"pid,omitempty"`     // the process that is at it; 0 for none
}

// Running reports whether a process is at it.
func (j *Job) Running() bool { return j.PID != 0 }

// Jobs lists the work of this project's sessions that is pending or under way,
// and the syncs under way, oldest first. It changes nothing; [Sessions.Work] does
// the work.
func (f *Sessions) Jobs(ctx context.Context) ([]Job, error) {
	out := []Job{}
	dirs, err := os.ReadDir(f.v.Project.Sessions())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		dir := filepath.Join(f.v.Project.Sessions(), d.Name())
		state, err := session.LoadHead(dir)
		if err != nil {
			continue // nothing that could be left is known
		}
		p, running := session.Holder(workLockPath(dir))
		if len(state.Pending) == 0 && !running {
			continue
		}
		work := slices.Clone(state.Pending)
		slices.SortStableFunc(work, func(a, b string) int { return cmp.Compare(workOrder(a), workOrder(b)) })
		out = append(out, Job{Kind: "session", Session: state.ID, Work: work, Since: state.Last, PID: p.PID})
	}
	slices.SortStableFunc(out, func(a, b Job) int { return a.Since.Compare(b.Since) })
	for _, sp := range f.v.Spaces() {
		if p, running := session.Holder(sp.SyncLockPath()); running {
			out = append(out, Job{Kind: "sync", Space: sp.Name, Work: []string{workSync}, PID: p.PID})
		}
	}
	return out, nil
}

// workOrder is the place of a piece of work in [Session.Work].
func workOrder(work string) int {
	return slices.Index(allWork, work)
}
