// Package session keeps the run-time state of sessions: what stands in a
// client's window, which files were touched, how far the journal has been
// written on elsewhere, and whether the client is still there.
//
// The state is state.json in the session's folder. It is a cache of what the
// journal tells: it is replaced atomically but not synced to disk, and a broken
// one is set aside and begun afresh. Knowledge does not belong here.
//
// Every change goes through [Update], which holds the session's lock, so that
// the hooks of one session, which run at the same time, lose nothing. Locks are
// files in .locks beside the session folders: these are renamed and removed,
// and a lock must outlast its folder. One lock serves several sessions, so an
// update must not begin another one. There as well is the list of the latest
// sessions ([Recent]), so that a start costs the same however many sessions lie
// there; it is derived and may be deleted at will.
//
// Start with [Open], which says which state an event belongs to, then
// [Update] and the methods of [State]. [Sweep] cleans up.
package session
