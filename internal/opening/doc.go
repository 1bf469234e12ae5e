// Package opening words what a session begins with: what is most worth knowing, whatever
// the session will be about. A small memory is told whole; of a larger one the statements
// are chosen that tell most for their tokens and least of what others have told.
//
// It reads over the sources of a [recall.Engine] and writes nothing.
//
// Start with [Begin].
package opening
