// Package journal is the record of a session: every message, thought, action
// and result, appended and never changed. Whatever else Orihon knows of a
// session (its context, its daily log, its passages in the index) is rebuilt
// from here. The package does not redact: text arrives clean.
//
// # Format
//
// A journal is a folder:
//
//	journal.jsonl        one event a line, see [Event]
//	journal.jsonl.torn-1 a last line that a crash tore, cut off and kept aside
//	io/<sha256>          payloads over 32 KiB, stored once by the hash of their bytes
//	io/.unsynced         bodies that [Journal.Sync] has yet to wait for
//	journal.jsonl.gz     in the place of journal.jsonl, once the session has ended and
//	                     [Journal.Pack] compressed it; io/<sha256>.gz likewise
//	.lock                held while something is appended
//	.purges              how often [Journal.Purge] rewrote the journal
//
// A line holds the fields seq, ts, iter, type, id and payload in this order:
//
//	{"seq":7,"ts":"2026-08-01T09:00:00Z","iter":2,"type":"USER_MESSAGE","id":"p1","payload":{"text":"…"}}
//
// seq counts from 1. iter is the iteration: one round of thinking, acting and
// observing. It is 1 for the first event and rises with every USER_MESSAGE and
// with the first THOUGHT or ACTION_REQUEST after an ACTION_RESULT, so that
// parallel requests share one and an answer ends the last. (type, id) is the identity of an event: what a hook and a
// transcript both tell of is one event. Payloads stand byte for byte as they
// were given, unless they hold raw line breaks, which are compacted away. A
// payload that went to io/ leaves {"ref":"io/…","size":bytes,"head":"…"}.
//
// # Durability
//
// An event is acknowledged when [Journal.Append] returns: the operating system
// has it, so that a killed process loses nothing. It is on disk, safe from a
// power failure, after [Journal.Sync]. One writer at a time, by lock; any number
// of readers, without one. Torn and broken lines are reported as [Problem] and
// skipped, never fatal.
//
// # Cost
//
// For a journal of n events, an event of b bytes and a tail of 64 KiB:
//
//	Open               O(tail)
//	Append             O(b); O(tail) when others have appended since
//	AppendExact        O(n) once, then as Append
//	Events             O(n) the first time, O(new events) from where it ended
//	Telling            O(n), and the digests of all messages in memory
//	Turns              O(bytes from the offset on)
//	View               O(n) once; Update O(new events)
//	View.Search        O(text) once, then O(new text) + O(postings of the query)
//	View.ByEntity      O(text) once, then O(new text) + O(answer)
//	Changes            O(sessions) + O(bytes since three turns before the news)
//	Purge, Pack        O(n); of a compressed journal Open and the first Append, too
//
// # Questions
//
// A [View] holds a run in memory and answers by iteration, type, time, word and
// entity. [FromTranscript] and [FromMessages] make one of what other programs
// keep, so that whoever reads a View need not know where a run comes from.
//
// Start with [Open], then [Journal.Append] and [Journal.Events].
package journal
