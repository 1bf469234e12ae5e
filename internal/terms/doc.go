// Package terms turns text into the words that search and triggers compare:
// English and Chinese prose, code identifiers, and any mixture of them.
//
// [Index] gives what a full-text index stores, [Query] what is asked of it;
// every term of a query is one that Index gives for the same text. The terms
// consist of lower-case letters and digits alone, so that they may be joined by
// spaces and handed to SQLite's tokenizer "unicode61 remove_diacritics 0",
// which neither splits nor changes them. [Words] and [Prepared.Contains] are for
// triggers and aliases, which are compared unstemmed; [Sentences] cuts prose.
//
// It knows no scores: what is rare is the index's to say. Start with [Index].
package terms
