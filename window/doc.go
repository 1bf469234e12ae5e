// Package window decides what a model sees of a run: it turns the journal of
// the run into the messages of the next request, within a number of tokens.
// Nothing that leaves the window is lost; it stands in the journal, and
// what takes its place says how to get it back.
//
// It runs no agent, asks no model that it was not handed, and keeps no state
// that cannot be had from the journal again.
//
// # Where to start
//
// [New] makes a [Builder] of a strategy's name, [Build] asks it for messages
// and checks them, [BuildPlaced] says what each of them is. [Fold] writes the
// folded index that a model gets after its context was replaced.
// [Folder.Prepare] plans folds ahead, [Folder.Commit] writes them. Package
// window/inspect runs a strategy over a whole run and measures it.
//
//	b, err := window.New("folding", nil)
//	…
//	messages, err := window.Build(ctx, b, window.Input{System: prompt, Task: task, View: view, Limit: 100_000})
//
// [Compact] and [Reconstruct] serve callers with a list of messages and a loop of
// their own. [Fork], [ParseReport] and [StoreReport] are for sub-agents,
// [Summarize] for the standard summarisers, [AutoSummarize] calls one by itself.
// [WorkingMemoryOptions], [CustomOptions] and [PluginOptions] say what the
// strategies of those names need; package workmem has the model's own files.
//
// # Cost
//
// For a run of n iterations of which w stand in the window unfolded:
//
//	sliding_window and its kin   O(w) each time
//	folding, nothing to fold     O(w + blocks)
//	folding, an epoch            O(n) small steps once, and O(events folded)
//	Fold                         O(events)
package window
