package chunk

import "strings"

// flat begins a section at every line that declares something and stands at
// the left: statements of SQL, functions of a shell, keys of settings.
func (o *outline) flat(is language) {
	left := 0
	if is == json {
		left = -1 // that of the first key
	}
	bound := 0
	for i := range o.lines {
		l := &o.lines[i]
		if l.blank() || left >= 0 && l.indent != left {
			continue
		}
		text := strings.TrimSpace(l.text)
		name, ok := flatName(is, text)
		if !ok {
			continue
		}
		left = l.indent
		o.begin(o.leading(i, bound, func(j int) bool {
			above := strings.TrimSpace(o.lines[j].text)
			return o.lines[j].indent == left && (strings.HasPrefix(above, "#") || is == sql && strings.HasPrefix(above, "--") || is == json && strings.HasPrefix(above, "//"))
		}), join(nil, name), true)
		bound = i + 1
	}
}

func flatName(is language, text string) (name string, ok bool) {
	switch is {
	case sql:
		return statement(text)
	case shell:
		return function(text)
	case yaml:
		return key(strings.TrimPrefix(text, "- "))
	case toml:
		if text[0] == '[' {
			name, _, _ = strings.Cut(strings.Trim(text, "[ "), "]")
			return clip(name), true
		}
	case json:
		if text[0] == '"' {
			if name, rest, ok := strings.Cut(text[1:], `"`); ok && strings.HasPrefix(strings.TrimSpace(rest), ":") {
				return clip(name), true
			}
		}
	}
	return "", false
}

// key is the name before a colon, if it is one word or a quoted one.
func key(text string) (string, bool) {
	name, _, ok := strings.Cut(text, ":")
	name = strings.Trim(name, `"' `)
	if !ok || name == "" || strings.ContainsAny(name, "#{}[]\t") || len(name) > 80 {
		return "", false
	}
	return name, true
}

func function(text string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "function "); ok {
		name, _ := shellWord(strings.TrimSpace(rest))
		return name, name != ""
	}
	name, rest := shellWord(text)
	return name, name != "" && strings.HasPrefix(strings.TrimSpace(rest), "()")
}

func shellWord(text string) (name, rest string) {
	end := strings.IndexAny(text, " \t(){};=|&<>$\"'`#")
	if end < 0 {
		end = len(text)
	}
	return clip(text[:end]), text[end:]
}

// statement names what an SQL statement is about: the first word that is no
// word of the language.
func statement(text string) (string, bool) {
	word, rest := sqlWord(text)
	switch strings.ToUpper(word) {
	case "CREATE", "ALTER", "DROP":
	case "INSERT", "UPDATE", "DELETE", "SELECT", "WITH", "GRANT", "REVOKE", "COMMENT", "MERGE", "TRUNCATE", "BEGIN", "COMMIT", "PRAGMA", "SET":
		return "", true
	default:
		return "", false
	}
	for word != "" {
		if word, rest = sqlWord(rest); word == "" || !strings.Contains(sqlFillers, " "+strings.ToUpper(word)+" ") {
			return clip(word), true
		}
	}
	return "", true
}

// sqlFillers stand between a statement's verb and the name of its object.
const sqlFillers = " OR REPLACE TEMP TEMPORARY UNIQUE VIRTUAL MATERIALIZED GLOBAL LOCAL UNLOGGED EXTERNAL ONLY " +
	"TABLE VIEW INDEX TRIGGER FUNCTION PROCEDURE TYPE SCHEMA DATABASE EXTENSION SEQUENCE DOMAIN ROLE USER POLICY " +
	"IF NOT EXISTS CONCURRENTLY CONSTRAINT "

func sqlWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t")
	end := strings.IndexAny(text, " \t(;,")
	if end < 0 {
		end = len(text)
	}
	return strings.Trim(text[:end], "`\"[]"), text[end:]
}
