// Package store keeps memory as text: a [orihon/memory.Store] over folders of
// JSONL ledgers, Markdown atoms and notes, and the logs beside them (audit,
// usage). The text is the truth of record and docs/FORMAT.md describes it.
//
// It turns text into passages for an index ([Store.Changes]) but knows no
// index, and it decides nothing about what is worth keeping: that is the work
// of whoever calls [Store.Put]. A Store is one space, the user's or a
// project's, made of roots: folders with one scope each.
//
// Start with [Open]; then store.go for the four verbs of the protocol,
// ledger.go and atom.go for the two forms of an item, changes.go for the way
// into the index.
//
// Several goroutines and processes may use the same folders. Whoever changes
// text holds the lock file .store.lock in the state folder, and for a ledger
// the lock of its folder too, always in this order. Readers take no lock:
// ledgers only grow, and whole files are replaced atomically.
//
// Costs, for a space of n bytes:
//
//	Put, Get, Remove   O(n) bytes compared, only lines that name the ID are parsed
//	Scan               O(n)
//	Changes Quick      one stat a ledger, then the bytes they gained, at most
//	                   the last 512 KB of each
//	Changes Shared     also one stat a file of shared folders, and those that changed
//	Changes Full       one stat a file, then the files that changed; at most 1,000
//	                   files get an ID
//
// What a single file may cost is bounded, whatever a repository brings: limits.go
// holds the figures, and what is beyond them is left out and named as a
// [memory.Problem]. With them one file costs a sync a few seconds and 250 MB at most.
package store
