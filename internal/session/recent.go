package session

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
)

// mostRecent is how many sessions are listed as the latest.
const mostRecent = 64

// recent lists the folders of the sessions that began, went on or ended last, the
// latest at the end, so that a start need not look at all that ever were. It is derived:
// made anew from the folders when it is missing, and when one was put there or taken
// away by somebody who does not keep the list.
type recent struct {
	Changed time.Time `json:"changed"` // when the folder of all sessions was changed last
	Names   []string  `json:"names"`
}

// recentPath is in the folder of the locks: a file beside the sessions would change
// their folder.
func recentPath(sessions string) string { return filepath.Join(sessions, locksName, "recent") }

// Recent are the folders of the sessions that began, went on or ended last, the latest
// first.
func Recent(sessions string) ([]string, error) {
	if r, ok := readRecent(sessions); ok {
		return r.latest(sessions), nil
	}
	if _, err := os.Stat(sessions); err != nil {
		return nil, err
	}
	unlock, alone, err := jsonl.TryLock(listLock(sessions))
	if alone = alone && err == nil; alone {
		defer unlock()
	}
	r, err := makeRecent(sessions)
	if err != nil {
		return nil, err
	}
	if alone {
		_ = r.write(sessions) // where nothing can be written it is made each time
	}
	return r.latest(sessions), nil
}

// Latest notes that the session in a folder begins, goes on or ends.
func Latest(ctx context.Context, dir string) error {
	sessions, name := filepath.Split(dir)
	if r, ok := readRecent(sessions); ok && len(r.Names) > 0 && r.Names[len(r.Names)-1] == name {
		return nil
	}
	return putLatest(ctx, sessions, name, func([]string) error { return nil })
}

// putLatest lists a session's folder as the latest. Before that do is called, with the
// folders that were the latest until now; where it fails the list stays as it was. No
// other process of this program makes a folder or a list meanwhile.
func putLatest(ctx context.Context, sessions, name string, do func(others []string) error) error {
	unlock, err := jsonl.Lock(ctx, listLock(sessions))
	if err != nil {
		return err
	}
	defer unlock()
	r, ok := readRecent(sessions)
	if !ok {
		if r, err = makeRecent(sessions); err != nil {
			return err
		}
	}
	if err := do(r.latest(sessions)); err != nil {
		return err
	}
	r.Names = latest(r.Names, name, mostRecent)
	return r.write(sessions)
}

// listLock is the lock under which folders are made and listed.
func listLock(sessions string) string { return filepath.Join(sessions, locksName, "open") }

// readRecent reads the list, and reports whether it tells of all folders.
func readRecent(sessions string) (*recent, bool) {
	info, err := os.Stat(sessions)
	if err != nil {
		return nil, false
	}
	data, err := jsonl.ReadFile(recentPath(sessions))
	r := new(recent)
	if err != nil || json.Unmarshal(data, r) != nil || !r.Changed.Equal(info.ModTime()) {
		return nil, false
	}
	return r, true
}

// makeRecent looks at all folders: one changes when its state is replaced.
func makeRecent(sessions string) (*recent, error) {
	entries, err := os.ReadDir(sessions)
	if err != nil {
		return nil, err
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
	slices.SortFunc(folders, func(a, b folder) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.name, b.name)) })
	r := new(recent)
	for _, f := range last(folders, mostRecent) {
		r.Names = append(r.Names, f.name)
	}
	return r, nil
}

// write keeps the list. Call it with the lock held, in which no other process of this
// program makes a folder.
func (r *recent) write(sessions string) error {
	info, err := os.Stat(sessions)
	if err != nil {
		return err
	}
	r.Changed = info.ModTime()
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return jsonl.Place(recentPath(sessions), data)
}

// latest are the folders that are there, the latest first.
func (r *recent) latest(sessions string) []string {
	var out []string
	for _, name := range slices.Backward(r.Names) {
		if name != "" && filepath.Base(name) == name && !strings.HasPrefix(name, ".") {
			out = append(out, filepath.Join(sessions, name))
		}
	}
	return out
}
