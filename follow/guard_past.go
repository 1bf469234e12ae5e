package follow

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"orihon/guard"
	"orihon/internal/jsonl"
	"orihon/internal/session"
	"orihon/journal"
)

// mostStates is how many sessions a beginning one looks at.
const mostStates = 32

// newest are the states of the latest sessions, but one, the one with the newest event
// first.
func (f *Sessions) newest(but string) []*session.Head {
	dirs, err := session.Recent(f.v.Project.Sessions())
	if err != nil {
		return nil
	}
	var out []*session.Head
	for _, dir := range dirs[:min(len(dirs), mostStates)] {
		st, err := session.LoadHead(dir)
		if err == nil && st.ID != but {
			out = append(out, st)
		}
	}
	slices.SortStableFunc(out, func(a, b *session.Head) int { return b.Last.Compare(a.Last) })
	return out
}

// capture tells whether sessions are kept and worked up.
func (f *Sessions) capture(states []*session.Head) guard.Capture {
	c := guard.Capture{Now: f.v.Now()}
	if !f.v.Config.Capture.Enabled {
		return c
	}
	var kept time.Time
	for _, st := range states {
		if len(st.Pending) > 0 && passedOver(st, states, c.Now) {
			if c.Waiting++; c.Since.IsZero() || st.Last.Before(c.Since) {
				c.Since = st.Last
			}
		}
		if info, err := journal.Stat(f.v.Project.Session(st.ID)); err == nil && info.ModTime().After(kept) {
			kept = info.ModTime()
		}
	}
	c.Failing = f.failing(kept)
	return c
}

// passedOver reports whether the work that a session left should have been done a
// day ago: the next session to begin does it.
func passedOver(st *session.Head, states []*session.Head, now time.Time) bool {
	return slices.ContainsFunc(states, func(next *session.Head) bool {
		return next.Created.After(st.Last) && now.Sub(next.Created) >= 24*time.Hour
	})
}

// failing is when a hook for this project failed first behind a time, by the end of
// the hooks' log; zero for never.
func (f *Sessions) failing(behind time.Time) time.Time {
	const most = 256 << 10 // bytes
	path := filepath.Join(f.v.Project.Home, "hook.log")
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || !info.ModTime().After(behind) {
		return time.Time{}
	}
	log, err := jsonl.Open(path)
	if err != nil {
		return time.Time{}
	}
	defer log.Close()
	of := " in " + strings.Trim(strconv.Quote(f.v.Project.Root), `"`)
	lines := bufio.NewScanner(io.NewSectionReader(log, max(0, info.Size()-most), most))
	for lines.Scan() {
		// time=2026-11-22T08:00:00Z level=ERROR msg="Stop in /a/folder: …"
		stamp, rest, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "time="), " level=ERROR ")
		if _, text, ok := strings.Cut(rest, of); !ok || !strings.HasPrefix(text, ":") {
			continue
		}
		if at, err := time.Parse(time.RFC3339, stamp); err == nil && at.After(behind) {
			return at
		}
	}
	return time.Time{}
}

// Unwell says in one line that sessions of this project have not been kept for a
// day; empty while they are, and where the rule is switched off.
func (f *Sessions) Unwell() string {
	if slices.Contains(f.v.Config.Guard.Off, guard.HealthRule) {
		return ""
	}
	c := f.capture(f.newest(""))
	return c.Unwell(f.v.Language(""))
}
