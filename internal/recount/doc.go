// Package recount counts again, from the raw lines of a transcript, what was asked in
// a session and what came of it: files, commands, errors, the outcome. It shares no
// code with the program and has simple rules of its own; its tests replay transcripts
// as hooks through the built program and hold every episode against the count.
//
// It is tests alone. Start with recount_test.go.
package recount
