// Package extract asks a language model what of a text is worth keeping: whether
// a statement of the user's is, and in which words ([Extractor.Worth],
// [Extractor.Statement]), what a stretch of a conversation teaches
// ([Extractor.Knowledge]), how two statements stand to each other
// ([Extractor.Relation]), and by what they may be looked for ([Extractor.Phrases]).
//
// It chooses no model and keeps nothing. What it sends is marked as data and cannot
// end that mark; what comes back is held against a schema and then against the text
// it was taken from, and what does not hold is refused and counted, see [Call].
//
// Start with [New]; ask.go is the way of every question.
package extract
