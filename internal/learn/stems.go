package learn

import (
	"cmp"
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
func canon(stem string) string { return cmp.Or(synonyms[stem], stem) }

var synonyms = map[string]string{
	"boss": "manag", "supervisor": "manag", "kid": "child", "children": "child", "repl": "repli", "respond": "repli", "answer": "repli",
	"db": "databas", "repo": "repositori", "conf": "config", "configur": "config", "set": "config", "retain": "keep", "retent": "keep",
	"approvers": "approv", "document": "doc", "env": "environ", "dep": "depend", "packag": "depend", "auth": "authent",
	"leader": "lead", "leads": "lead", "restrict": "limit",
}
