package main

import (
	"os/exec"
	"syscall"
)

// detached lets a process outlive its parent and the parent's console.
func detached(cmd *exec.Cmd) {
	const detachedProcess = 0x00000008
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}
