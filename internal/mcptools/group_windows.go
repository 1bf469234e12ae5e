package mcptools

import "os/exec"

// ownGroup leaves the server alone to be killed: its children outlive it on
// Windows.
func ownGroup(*exec.Cmd) {}
