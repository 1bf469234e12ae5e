// Package redact takes secrets out of text before the first byte of it is
// written anywhere: known credential shapes, values that stand beside a
// credential's name, and spans a person marked <private>. Each secret becomes
// [redacted:<rule>], so that a reader sees what was there and why it is gone.
//
// It is not a scanner for repositories: it never verifies a key, never guesses
// from entropy alone, and leaves commit hashes, UUIDs, digests, paths and
// prose about passwords as they are.
//
// One pass of a keyword automaton finds the places worth a look; every rule is
// a small scanner that starts at such a place. Text without a keyword costs
// that pass and no copy, text with keywords costs the pass plus a bounded
// look at each, so the whole is linear in the input. Nothing is compiled or
// built before the first call.
//
// What is known of secrets stands in lists beside the code: shapes.txt has the
// shapes of tokens, commands.txt the programs that take passwords, words.txt the
// words that tell a value from what only stands in its place.
//
// Start with [Text] for plain text, [JSON] for a document, and [Private].
package redact
