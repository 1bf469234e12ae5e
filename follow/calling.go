package follow

import (
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/session"
)

// Calling is the ID of the session whose client started this process, by what its
// hooks noted of the client; empty when no session is known to be its. Of several
// it is the one with the newest event.
func (f *Sessions) Calling() string {
	caller := session.Caller()
	if caller.PID <= 1 {
		return ""
	}
	dirs, err := os.ReadDir(f.v.Project.Sessions())
	if err != nil {
		return ""
	}
	var newest *session.Head
	for _, d := range dirs {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		state, err := session.LoadHead(filepath.Join(f.v.Project.Sessions(), d.Name()))
		if err != nil || state.Process != caller || newest != nil && newest.Last.After(state.Last) {
			continue
		}
		newest = state
	}
	if newest == nil {
		return ""
	}
	return newest.ID
}

// Before is the ID of the newest session in which the user said something, but of
// the one whose client started this process; empty where there is none.
func (f *Sessions) Before() string {
	for _, st := range f.newest(f.Calling()) {
		if st.Prompts > 0 {
			return st.ID
		}
	}
	return ""
}
