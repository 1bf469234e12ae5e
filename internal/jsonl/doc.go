// Package jsonl is the one implementation of line-delimited JSON files under
// Orihon's ledgers, logs and journals: append, repair, read, and the locks and
// atomic replacement they need. It does not look into the lines; what they mean
// is their owner's business.
//
// A file is a sequence of lines that end in a newline. [Append] writes whole
// lines with one O_APPEND write under the folder's lock, so that several
// processes never tear or lose each other's lines. A crash can leave at most
// one line without its newline, the torn tail; the next Append (or [Repair])
// moves it into a file beside, named <name>.torn-<n>. A tail that is a whole
// JSON object, as an editor leaves it that writes no final newline, is not torn:
// it gets its newline and stays.
//
// Lines are acknowledged when Append returns: handed to the operating system,
// so that they outlive a killed process, and on disk when Options.Sync is set,
// so that they outlive a power failure.
//
// Cost, for a file of n bytes and lines of b bytes:
//
//	Append     O(b), whatever n is; O(torn tail) once after a crash
//	Read       O(n − from) time, O(longest line) memory
//	Repair     O(torn tail)
//	WriteFile  O(len(data))
//
// Start with [Append] and [Read].
package jsonl
