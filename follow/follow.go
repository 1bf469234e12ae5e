// Package follow follows the sessions of a client: what is said and done goes into
// a session's journal, what bears on it comes back from memory, and what takes
// time is left to a process of its own.
//
// A client's adapter opens a [Session] and tells it what happens: [Session.Begin],
// [Session.Prompt], [Session.Action], [Session.Answer], [Session.End].
package follow

import "orihon/internal/verbs"

// Sessions are those of one project.
type Sessions struct{ v *verbs.Verbs }

// New follows the sessions of a home's project.
func New(v *verbs.Verbs) *Sessions { return &Sessions{v} }
