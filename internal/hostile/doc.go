// Package hostile holds tests alone: folders and archives as somebody who means
// harm would make them, and what must not happen when a person works in one.
// The tests know nothing of how Orihon works inside. They build the program,
// play a session and a person's commands with it, and look at what was printed,
// written and started.
//
// Start with [TestHostile], which goes through the table of rows; a row makes
// one folder, and the files rows_*_test.go hold them by what they try.
// TestTrace plays the same session under strace and holds every path that was
// touched, and every program that was started, against docs/SECURITY.md.
package hostile
