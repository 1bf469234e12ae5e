package follow

import (
	"os"
	"path/filepath"
	"slices"
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
	newest := f.newestOf(caller)
	if newest == nil {
		return ""
	}
	return newest.ID
}

// Serve notes that this process serves tools to the client that started it: hooks of
// that client may then speak of them. release takes the note away.
func (f *Sessions) Serve() (release func()) { return session.Serve(f.v.Project.Sessions()) }

// newestOf is the state with the newest event among the sessions of a client's process:
// of the latest ones, and of all where it is none of these.
func (f *Sessions) newestOf(caller session.Process) (newest *session.Head) {
	look := func(dir string) {
		state, err := session.LoadHead(dir)
		if err == nil && state.Process == caller && (newest == nil || !newest.Last.After(state.Last)) {
			newest = state
		}
	}
	latest, err := session.Recent(f.v.Project.Sessions())
	for _, dir := range slices.Backward(latest) {
		look(dir)
	}
	if err != nil || newest != nil {
		return newest
	}
	dirs, _ := os.ReadDir(f.v.Project.Sessions())
	for _, d := range dirs {
		if d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
			look(filepath.Join(f.v.Project.Sessions(), d.Name()))
		}
	}
	return newest
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
