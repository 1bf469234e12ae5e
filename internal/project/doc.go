// Package project says which project a folder belongs to and where everything
// that Orihon keeps for it lives.
//
// A project is the same in every worktree and clone: its identity comes from
// the git remote, else from the common git folder, else from the folder's own
// path. All of it is read from files, in a fraction of a millisecond; no git
// process is started.
//
// That identity is text, and whoever could write in the folder wrote it. It is
// looked up, and believed where this machine has linked that very folder with
// the project before, where nothing is known of the project yet, or where the
// repository of a linked folder names this one as its worktree. Any other folder
// gets a project of its own until a person says yes: see [Claim] and [Link].
//
// A registry in the user's home remembers every key a project was ever known by,
// so that a project which gets a remote later keeps its ID and with it its
// memory.
//
// The package names paths and guards them; it does not read or write memory.
// Start with [Resolve], which only reads, then [Register], and the layout
// methods of [Project].
package project
