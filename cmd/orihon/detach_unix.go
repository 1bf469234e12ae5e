//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detached lets a process outlive its parent and the parent's terminal.
func detached(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
