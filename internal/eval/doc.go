// Package eval measures the product through its own doors: how well recall
// finds, on data sets of conversations with questions, and how fast the
// program is, on made-up homes.
//
// A conversation becomes a home of its own. Turns with a session are appended
// to that session's journal, secrets and private spans taken out, as hooks
// append them; turns without one are statements and are remembered one by one
// with [orihon.Memory.Remember]. One sync builds the index, and every question
// goes through [orihon.Memory.Recall], the function the hook asks, twice:
//
//   - for ranking with the threshold and the budget off, 200 candidates for
//     each way of finding and at most 200 passages. The intent, which only
//     moves the threshold and prefers kinds that no turn has, is off with them;
//   - for injection with the settings in effect. Only what the hook decides by
//     itself is fixed: past conversations are searched for every question.
//
// So journals, their reading, neighbours, speakers, populations, index, fusion,
// relevance, twins and wording are all in the figures. The client's events,
// what is learned of a conversation (explicit statements, episodes), what a
// session has seen already and the limit of a session are not.
//
// With [Options.Dense], rankings by embedding models whose vectors nobody has
// here take the place of the vector leg, to see what fusion makes of them.
//
// The package sets no target and tunes nothing. Start with [Read] and [Run];
// [Measure] is for speed.
package eval
