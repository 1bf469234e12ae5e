// Package memory holds the words and rules of Orihon's long-term memory: what
// an [Item] is, how far it is believed, who may see it, what a [Passage] of it
// looks like to a search, and the three protocols ([Store], [Index],
// [Embedder]) that adapters implement. What an adapter offers beyond them has
// small interfaces of its own, such as [Recent] and [AuditTrail].
//
// It does no I/O, reads no clock and imports nothing else of Orihon, so that
// every other room may depend on it. Start with [Item], then [Store] and
// [Index].
package memory
