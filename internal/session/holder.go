package session

import (
	"encoding/json"
	"os"

	"orihon/internal/jsonl"
)

// Hold notes beside a lock that this process has it, and returns what takes the
// note away; call it before the lock is released. The note is for people who
// ask what goes on : to ask the lock itself would be to take it
// for a moment, and to send away who needs it just then. A note that cannot be
// written is none.
func Hold(lock string) (release func()) {
	path := lock + ".holder"
	data, err := json.Marshal(Identify(os.Getpid()))
	if err != nil || os.WriteFile(path, data, 0o600) != nil {
		return func() {}
	}
	return func() { _ = os.Remove(path) }
}

// Holder is the process that holds a lock. The note of a process that died is
// not believed.
func Holder(lock string) (p Process, held bool) {
	data, err := jsonl.ReadFile(lock + ".holder")
	if err != nil || json.Unmarshal(data, &p) != nil || p.PID <= 0 || !p.Alive() {
		return Process{}, false
	}
	return p, true
}
