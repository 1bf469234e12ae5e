// Package wording puts what memory knows into words for an agent: passages with their
// date and origin, between marks that say that they are data, in English and both
// Chinese scripts.
//
// Everything that memory tells goes through here, so that nothing stored can speak in
// the words of the frame. It decides nothing: who tells what is up to recall, opening
// and advice.
//
// Start with [Style.In], [View.Sections] and [Frame].
package wording
