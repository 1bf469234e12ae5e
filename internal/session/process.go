package session

import "os"

// Process is the process of a client. PIDs are used again, so the time it
// started tells two with the same number apart, where the system says.
type Process struct {
	PID   int    `json:"pid,omitempty"`       // 0 when unknown
	Start string `json:"pid_start,omitempty"` // opaque; empty when unknown
}

// Identify describes the running process with this number.
func Identify(pid int) Process { return Process{PID: pid, Start: startOf(pid)} }

// Caller finds the process a hook was started by: its parent, or the first one
// above that is not a shell, since clients run hooks by way of one.
func Caller() Process {
	pid := os.Getppid()
	for range 4 {
		up, shell := shellParent(pid)
		if !shell || up <= 1 {
			break
		}
		pid = up
	}
	return Identify(pid)
}

// Alive reports whether the process is still there. What cannot be told counts
// as alive: a state is never taken from a client that may still use it.
func (p Process) Alive() bool {
	if p.PID <= 0 {
		return true
	}
	return alive(p)
}
