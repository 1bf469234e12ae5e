package claudecode

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/inert"
	"orihon/internal/tokens"
)

// saved tells the user what an agent has saved, changed or forgotten by itself with
// the tools of orihon mcp, whatever name the client knows the server by; empty for
// any other call, and where nothing came of it.
func saved(tool, output string) string {
	const most = 120 // tokens
	server, name, ok := cutLast(tool, "__")
	if !ok || !strings.HasPrefix(server, "mcp__") || !strings.Contains(server, "orihon") {
		return ""
	}
	switch name {
	case "memory_add", "memory_update", "memory_delete", "memory_undo":
	default:
		return ""
	}
	var told struct{ Action, Text string }
	if json.Unmarshal([]byte(output), &told) != nil {
		told.Text = output // a client that hands on what models read
	}
	switch told.Action {
	case "confirm", "skip":
		return ""
	}
	text, _, _ := strings.Cut(strings.TrimSpace(told.Text), "\n")
	if r, _ := utf8.DecodeRuneInString(text); text == "" || unicode.IsLower(r) {
		return "" // answers begin with a capital, errors do not: those are for the agent
	}
	return "orihon: the agent: " + tokens.Fit(inert.Line(text), most)
}

// cutLast cuts a text at the last of a separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
