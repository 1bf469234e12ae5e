package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
)

// served is the note that a process serves tools to a client.
type served struct {
	Server Process `json:"server"`
	Client Process `json:"client"`
}

func servedPath(sessions string, client Process) string {
	return filepath.Join(sessions, ".locks", fmt.Sprintf("tools-%d.json", client.PID))
}

// Serve notes that this process serves tools to the client that started it, so that
// the client's hooks know. release takes the note away. Notes of processes that died are
// removed.
func Serve(sessions string) (release func()) {
	client := Caller()
	path := servedPath(sessions, client)
	if client.PID <= 1 || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return func() {}
	}
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "tools-*.json"))
	for _, name := range old {
		if s, ok := readServed(name); !ok || !s.Server.Alive() {
			_ = os.Remove(name)
		}
	}
	data, err := json.Marshal(served{Identify(os.Getpid()), client})
	if err != nil || os.WriteFile(path, data, 0o600) != nil {
		return func() {}
	}
	return func() { _ = os.Remove(path) }
}

// Served reports whether a process serves tools to a client.
func Served(sessions string, client Process) bool {
	s, ok := readServed(servedPath(sessions, client))
	return ok && client.PID > 1 && s.Client == client && s.Server.Alive()
}

func readServed(path string) (s served, ok bool) {
	data, err := jsonl.ReadFile(path)
	return s, err == nil && json.Unmarshal(data, &s) == nil && s.Server.PID > 0
}
