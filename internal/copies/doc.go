// Package copies finds what is left of a text in other text, however it was
// copied: in whole or cut, quoted for a shell, JSON (also JSON in JSON), HTML,
// a URL or Markdown, with its lines folded, indented, wrapped or numbered, coloured
// for a terminal, in another case, Unicode form or Chinese script. It is for
// erasing, not for searching: it knows no synonyms.
//
// Begin with [New] and [Words.Clean]. Both sides are reduced to their letters
// and digits, with everything that quoting adds decoded or dropped by one rule
// that knows no context (letters.go). Runs that both have in common are found by
// short seeds (seeds.go) and measured in the text that is looked for (find.go).
// In JSON each string is looked at by itself, layer by layer, so that what is left
// is JSON still (layers.go).
//
// Finding costs time linear in what is looked through, and memory for a window of
// it.
package copies
