// Package advice says what memory knows about exactly what an agent is about to do, or
// what has just failed: this command, path, symbol or error. A coincidence of words is
// nothing.
//
// It reads over the sources of a [recall.Engine] and writes nothing.
//
// Start with [Doing.Tells], which needs no memory, and [On].
package advice
