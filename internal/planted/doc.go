// Package planted measures how well habits are found, from outside: in scripted
// sessions of one person with a coding agent, in which habits are planted and things
// that only look like habits. It reads such sessions ([Read]), plays them through the
// built program by the client's events ([Play]), and says which habits were found
// and which instincts are none ([Score]).
//
// A file is a session: its first line says project, branch and day, each other line
// is what the person said ("u"), what the agent said ("a"), or a call with its result
// ("t", "in", "ok", "out"). AUTHOR-labels.jsonl names the places, "session:line".
package planted
