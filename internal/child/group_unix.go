//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// OwnGroup has a command and all it starts killed together, for whoever runs it by
// itself.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// KillRest kills what a process that has ended left in its group.
func KillRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be nothing left
	}
}
