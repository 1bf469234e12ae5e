// Package checkpoint says whether a stretch of work made things better: it keeps a
// commit alive under a name, with what the project measured there, and holds later
// work against it.
//
// It watches nothing and runs nothing by itself. A measure runs the project's own
// code, and is taken only where a person asks for it; what cannot be measured is
// unknown, never guessed. Git never sees the repository, see package project.
//
// Start with [Checkpoints.Create].
package checkpoint
