package orihon

import (
	"encoding/json"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
	"orihon/internal/session"
)

// workLockPath is the lock of whoever does what a session has left for later.
func workLockPath(session string) string { return filepath.Join(session, ".work.lock") }

// syncLockPath is the lock of whoever brings the index up to date.
func (sp *space) syncLockPath() string { return sp.indexPath() + ".sync" }

// hold notes beside a lock that this process has it, and returns what takes the
// note away; call it before the lock is released. The note is for people who
// ask what goes on ([Memory.Jobs]): to ask the lock itself would be to take it
// for a moment, and to send away who needs it just then. A note that cannot be
// written is none.
func hold(lock string) (release func()) {
	path := lock + ".holder"
	data, err := json.Marshal(session.Identify(os.Getpid()))
	if err != nil || os.WriteFile(path, data, 0o600) != nil {
		return func() {}
	}
	return func() { _ = os.Remove(path) }
}

// holder is the process that holds a lock. The note of a process that died is
// not believed.
func holder(lock string) (p session.Process, held bool) {
	data, err := jsonl.ReadFile(lock + ".holder")
	if err != nil || json.Unmarshal(data, &p) != nil || p.PID <= 0 || !p.Alive() {
		return session.Process{}, false
	}
	return p, true
}
