package mining

import "strings"

// shown is an observation in one short line.
func shown(o *Observation) string {
	switch {
	case o.Input.Command != "":
		return oneLine(o.Input.Command, 160)
	case o.Input.File != "":
		return o.Tool + " " + oneLine(o.Input.File, 160)
	}
	return strings.TrimSpace(o.Tool + " " + oneLine(o.Input.About, 120))
}

func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Clip is as much of a text as n bytes hold, its end where last is set, cut between
// two characters.
func Clip(s string, n int, last bool) string {
	if len(s) <= n {
		return s
	}
	if last {
		return strings.ToValidUTF8(s[len(s)-n:], "")
	}
	return strings.ToValidUTF8(s[:n], "")
}
