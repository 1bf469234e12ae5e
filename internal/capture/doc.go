// Package capture notices what a session brings that is worth remembering:
// what the user asked to have remembered, what was decided, what failed and
// how it was mended.
//
// It only finds and extracts. Whether something is kept, and beside what, is
// the learn package's decision; nothing here writes.
//
// Start with [Explicit], which reads a prompt without a model.
package capture
