package store

import "os"

// QuickKinds are the kinds of the files that a Quick look at the text compares
// with what an index knows; of the others it need not be told.
func QuickKinds() []string { return []string{kindLedger, kindUsage} }

// Exists reports whether any root of the space is there, at the cost of one
// stat a root.
func (s *Store) Exists() bool {
	for i := range s.roots {
		if _, err := os.Stat(s.roots[i].Dir); err == nil {
			return true
		}
	}
	return false
}

// Ledgers are the names of the ledgers in a root.
func (s *Store) Ledgers() []string { return ledgerNames() }
