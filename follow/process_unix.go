//go:build unix

package follow

import (
	"os/exec"
	"syscall"
)

// killGroup has the process and all it starts killed together.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
