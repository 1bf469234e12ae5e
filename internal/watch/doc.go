// Package watch tells a long-lived process that files have changed and come to
// rest again.
//
// It knows folders, not what stands in them: it never opens a file, and it says
// only that something changed, not what. What is to be done about it, and how
// soon, is the caller's business. Where the system cannot notify (too many
// folders for its limits, a file system without support) it looks at sizes and
// times in intervals instead.
//
// Start with [Run].
package watch
