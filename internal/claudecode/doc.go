// Package claudecode speaks Claude Code's side of the contract: the events its
// hooks send and the answers they take ([Parse], [Answer]), the settings file
// that wires them ([Install], [Uninstall], [Status]), and the transcript it
// writes ([Read]).
//
// It decides nothing about memory. Everything it reads was written by another
// program whose formats move between releases: unknown fields, unknown types
// and broken lines are skipped, and only what cannot be understood at all is
// an error. Start with [Parse] and [Install].
package claudecode
