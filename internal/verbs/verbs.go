// Package verbs is what memory does over the spaces of a home: remember, recall
// and sync. It hands values from one of the rooms that know how (learn, recall,
// store, the index) to the next, which never see each other.
//
// Start at [Verbs.Remember] and [Verbs.Recall].
package verbs

import (
	"orihon/documents"
	"orihon/internal/home"
)

// Verbs are the verbs over one home. It is safe for use by several goroutines.
type Verbs struct {
	*home.Home
	documents *documents.Documents
}

// New makes the verbs of a home.
func New(h *home.Home) *Verbs { return &Verbs{h, documents.New(h)} }
