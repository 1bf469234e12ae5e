// Package guard watches over a session by rules: an [Event] and what is
// remembered of the session come in, a [Decision] comes out. A rule says
// nothing, says one line to the agent, or blocks with a reason.
//
// It does no I/O, knows no client and no journal, and imports nothing of ours:
// whoever follows a session tells it what happened in its own words and carries
// out what it decides. One file holds one rule; [Rules] lists them with their
// reasons, their settings and what they cost. What counts as a failure stands
// in words.txt, what the agent is told in wording.txt.
//
// A false alarm is worse than silence: a rule that cannot tell says nothing.
// Each rule has a memory of its own, which it alone reads and writes, so that
// one that fails, does not come to an end, or finds its memory broken costs its
// own verdict and no other.
//
// An event costs what is linear in its texts, of which at most 64 KiB are read,
// and in the bounded lists of the rules. Start with [New] and [Guard.Judge].
package guard
