// Package activity tells what an agent did with its tools: which call reads or
// edits files, runs commands, or asks version control; what a shell line is
// about; and what came of it all. Whoever sums up, folds or watches a run asks
// here, so that all of them see the same work.
//
// [New] reads a call, [Log] pairs calls with their results, and [Touched],
// [Attempts], [NewOutcomes], [Commits] and [Items] look over the calls of a
// run. [ParseLine] cuts a shell line into commands; it expands and runs
// nothing. The names of tools, and of the members of their inputs, stand in
// tools.go and nowhere else.
//
// It knows no journal and no client, says nothing in words, and keeps nothing.
// Everything it reads was written by others and may be broken or hostile.
package activity
