package plugin

import "syscall"

// Confine bounds the address space of this process, in bytes. It cannot be
// undone; only a process that does nothing but run plugins calls it. Go reserves
// some hundred megabytes more than it uses.
func Confine(memory uint64) error {
	limit := syscall.Rlimit{Cur: memory, Max: memory}
	return syscall.Setrlimit(syscall.RLIMIT_AS, &limit)
}
