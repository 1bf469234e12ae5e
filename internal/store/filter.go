package store

import (
	"bytes"
	"encoding/json"
)

// lineFilter accepts the lines of a ledger that may concern the IDs, without
// parsing more of them than it must.
func lineFilter(wanted map[string]bool) func([]byte) bool {
	if len(wanted) == 1 {
		for id := range wanted {
			if plain(id) {
				raw, escape := []byte(id), []byte(`\u`)
				return func(line []byte) bool { return bytes.Contains(line, raw) || bytes.Contains(line, escape) }
			}
		}
	}
	return func(line []byte) bool {
		id, _, ok := idOf(line)
		return !ok || wanted[id]
	}
}

// plain reports whether JSON writes a string as it is, but for \u escapes.
func plain(s string) bool {
	for _, r := range s {
		if r < ' ' || r == '"' || r == '\\' || r == '/' {
			return false
		}
	}
	return true
}

// idOf reads the ID of a line, and whether the line retires it.
func idOf(line []byte) (id string, retires, ok bool) {
	const version, retire, key = `{"v":1,"id":"`, `{"v":1,"op":"retire","id":"`, `"id":`
	rest, ours := bytes.CutPrefix(line, []byte(version))
	if !ours {
		rest, retires = bytes.CutPrefix(line, []byte(retire))
	}
	if n := bytes.IndexByte(rest, '"'); (ours || retires) && n > 0 && bytes.IndexByte(rest[:n], '\\') < 0 && bytes.Count(line, []byte(key)) == 1 {
		return string(rest[:n]), retires, true
	}
	var h struct{ ID, Op string }
	if json.Unmarshal(line, &h) != nil || h.ID == "" {
		return "", false, false
	}
	return h.ID, h.Op == "retire", true
}
