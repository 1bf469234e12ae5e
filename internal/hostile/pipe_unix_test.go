//go:build unix

package hostile

import "syscall"

// pipe makes a named pipe that nobody writes to: whoever opens it to read waits
// for ever.
func (s *sandbox) pipe(name string) {
	s.t.Helper()
	s.must(syscall.Mkfifo(s.path(name), 0o600))
}
