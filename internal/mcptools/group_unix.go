//go:build unix

package mcptools

import (
	"os/exec"
	"syscall"
)

// ownGroup has the server and all it starts killed together.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
