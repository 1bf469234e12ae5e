//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// gently starts a process that yields to all others. Where niceness is a thread's,
// as on Linux, the thread that takes it on ends with the goroutine.
func gently(start func() error) error {
	const nice = 10
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice) // without it the work is only less polite
		done <- start()
	}()
	return <-done
}
