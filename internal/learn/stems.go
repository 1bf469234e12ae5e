package learn

import (
	"unicode/utf8"

	"orihon/internal/terms"
)

// stem is the stem of an English word, the word itself where it has none.
func stem(w string) string {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf || !('a' <= w[i] && w[i] <= 'z') {
			return w
		}
	}
	if t := terms.Index(w); len(t) > 0 {
		return t[len(t)-1]
	}
	return w
}

// canon gives words of the same meaning one form.
func canon(stem string) string {
	switch stem {
	case "boss", "supervisor":
		return "manag"
	case "kid", "children", "child":
		return "child"
	case "repl", "repli", "respond", "answer":
		return "repli"
	case "db":
		return "databas"
	case "repo", "repositori":
		return "repositori"
	case "conf", "configur", "set", "config":
		return "config"
	case "retain", "retent":
		return "keep"
	case "approv", "approvers":
		return "approv"
	case "doc", "document":
		return "doc"
	case "env":
		return "environ"
	case "dep", "depend", "packag":
		return "depend"
	case "authent", "auth":
		return "authent"
	case "lead", "leader", "leads":
		return "lead"
	case "restrict", "limit":
		return "limit"
	}
	return stem
}
