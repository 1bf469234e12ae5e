// Package score says how well passages answer a search: by the words of their
// own text and of their neighbours, by their vectors, and by what calls them.
//
// It knows no database, so that every index scores the same: an index keeps
// rows, hands them over as bytes and numbers, and is told which of them to
// read whole. What is relevant is not decided here (that is recall's work), nor
// which words a text has (internal/terms).
package score
