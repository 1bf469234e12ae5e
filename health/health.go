// Package health tells how a memory is: its status and figures, what is wrong with
// it, and which formats it holds; and it mends what can be mended.
package health

import (
	"orihon/follow"
	"orihon/internal/verbs"
)

// Health looks after the memory of one user in one project.
type Health struct {
	h        *verbs.Verbs
	sessions *follow.Sessions
}

// New looks after the memory of a home.
func New(v *verbs.Verbs) *Health { return &Health{v, follow.New(v)} }
