package memory

import "strings"

// shortestID is the least of an ID that names what it is of, in bytes.
const shortestID = 4

// Abbreviates reports whether a text is as much of an ID as names it: the
// beginning or the end of it, of at least four bytes.
func Abbreviates(text, id string) bool {
	return len(text) >= shortestID && (strings.HasPrefix(id, text) || strings.HasSuffix(id, text))
}
