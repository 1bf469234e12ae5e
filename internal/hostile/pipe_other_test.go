//go:build !unix

package hostile

func (s *sandbox) pipe(string) { s.t.Skip("SKIPPED: this system has no named pipes") }
