// Package mining finds habits in sessions: what the person corrected more than once,
// steps that belong together, and what mends an error. It works by rules and by
// small models whose weights are in weights.txt, and asks nobody.
//
// It sees sessions as values ([Session]), keeps nothing, and words nothing that is
// shown to an agent but instincts. Start with [Mine].
package mining
