// Package transfer takes in what other programs remember, and gives out what is
// remembered here. Parsing is the importer's; deciding what is kept is learn's.
package transfer

import (
	"orihon/internal/verbs"
)

// Transfer imports and exports for one user in one project.
type Transfer struct{ h *verbs.Verbs }

// New makes imports and exports of a home.
func New(v *verbs.Verbs) *Transfer { return &Transfer{v} }
