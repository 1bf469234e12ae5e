//go:build unix && !linux

package session

import (
	"errors"
	"syscall"
)

// startOf is unknown here without starting another process.
func startOf(int) string { return "" }

func alive(p Process) bool { return !errors.Is(syscall.Kill(p.PID, 0), syscall.ESRCH) }

func shellParent(int) (parent int, shell bool) { return 0, false }
