//go:build !unix

package orihon_test

import "testing"

// addPipe adds nothing: this system has no named pipes in its folders.
func addPipe(map[string]func(*testing.T, string) func(string) bool) {}
