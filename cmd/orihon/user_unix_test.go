//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// asUser makes a command run as another user.
func asUser(cmd *exec.Cmd, id uint32) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
}
