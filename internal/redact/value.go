package redact

import (
	"slices"
	"strings"
)

// judged is the most of a value that is looked at to judge it.
const judged = 256

// place is how clearly a value's surroundings say that it is data.
type place uint8

const (
	inProse place = iota // code or prose: it may be a variable, a type, a word
	inData               // a line of settings, a connection string, a form
	inQuotes
	inEnvironment // NAME=value, as environments are set
	inSentence    // behind a verb: a word still, but hardly a variable
)

// worded reports whether a word may stand there that is no value.
func (p place) worded() bool { return p == inProse || p == inSentence }

// secretValue reports whether v, which belongs to a name of the given kind,
// is a secret rather than a placeholder, a variable, a type or a word.
func secretValue(k kind, v string, p place) bool {
	v = v[:min(len(v), judged)]
	if len(v) < 4 || markAt(v, 0) > 0 || reference(v, p) || placeholder(v) || identity(v) {
		return false
	}
	c := count(v)
	letters := c.lowers + c.uppers
	if letters+c.digits == 0 && v[0] >= 0x80 {
		return false // a label in another script
	}
	switch k {
	case plural:
		return randomText(v)
	case token:
		if number := strings.TrimPrefix(v, "0x"); randomText(v) || awsSecretText(v) || isHexText(number) && len(number) >= 20 && c.digits > 0 {
			return true
		}
		if drawnText(v, &c) || grouped(v, &c) {
			return true
		}
		if p.worded() || c.spaces > 0 {
			return false
		}
		return len(v) >= 8 && c.digits > 0 && letters > 0 && !(identifier(v) && mentions(v)) ||
			c.others == 0 && c.digits == 0 && (len(v) >= 24 || p == inEnvironment && len(v) >= 12 && !mentions(v) && !describes(v))
	case secret:
		if c.spaces == 0 && c.others == 0 && c.digits == 0 && (p == inQuotes && len(v) >= 6 || p == inEnvironment && len(v) >= 8 && !describes(v)) {
			return !mentions(v)
		}
		if c.spaces > 0 {
			return false
		}
		return len(v) >= 6 && c.digits > 0 && letters > 0 && !(identifier(v) && mentions(v)) && !algorithm(v)
	}
	switch {
	case c.spaces > 0:
		return p == inQuotes && passphrase(v)
	case c.digits == len(v):
		return !p.worded() || len(v) >= 6
	case c.digits == 0 && mentions(v), algorithm(v):
		return false
	case !p.worded():
		return true
	}
	strong := c.digits > 0 || strings.ContainsAny(v, "!@#$%^&*?~")
	variable := identifier(v) && mentions(v) && (p == inProse || strings.Contains(v, "_") || c.lowers == 0)
	return len(v) >= 6 && strong && letters > 0 && !variable
}

// reference reports whether v only leads to a value: a variable, a template,
// a call, a path, an address, a member of something.
func reference(v string, p place) bool {
	switch v[0] {
	case '<', '{', '[', '(', '@':
		return true
	case '\\':
		if strings.HasPrefix(v, `\u`) { // escaped, and so no ASCII
			return true
		}
	case '!':
		if p.worded() && count(v).others == 1 && count(v).digits == 0 {
			return true // a tag of YAML
		}
	case '$':
		if startsWithAny(v, "${", "$(", "$$", "$2", "$argon2") || identifier(v[1:]) || call(v[1:]) || dotted(v[1:]) {
			return true
		}
	case '%':
		if strings.HasSuffix(v, "%") || len(v) <= 3 || v[1] == '(' {
			return true
		}
	case '&', '*':
		if identifier(v[1:]) && p.worded() {
			return true
		}
	}
	if containsAny(v, "${", "{{", "#{", "$(", "<%", "://", "::", "->", "%s", "%v", "\\(") {
		return true
	}
	if path(v) || call(v) || p != inQuotes && dotted(v) {
		return true
	}
	objects := []string{"process.env", "os.environ", "os.getenv", "import.meta", "env.", "vault:", "secret:", "arn:", "op:"}
	return slices.ContainsFunc(objects, func(object string) bool { return len(v) > len(object) && hasFoldedPrefix(v, object) })
}

// call reports whether v begins like a call or an index: name( or a.b[. In no
// program a letter or digit stands right behind what is closed.
func call(v string) bool {
	for i := range len(v) {
		switch b := v[i]; {
		case b == '(' || b == '[':
			end := strings.LastIndexAny(v, ")]")
			return i > 0 && (end < i || end+1 == len(v) || !alnum.has(v[end+1]))
		case !alnum.has(b) && b != '_' && b != '.' && b != '!' && b != ':':
			return false
		}
	}
	return false
}

// dotted reports whether v is a chain of names: at least two, joined by dots,
// none of them like a token.
func dotted(v string) bool {
	names := 0
	for part := range strings.SplitSeq(v, ".") {
		part = strings.TrimRight(part, "?!")
		if !identifier(part) || randomText(part) {
			return false
		}
		names++
	}
	return names > 1
}

func identifier(v string) bool {
	return v != "" && !isDigit(v[0]) && wordDash.all(v)
}

// path reports whether v is the path of a file. A slash alone does not make
// one: base64 has them too.
func path(v string) bool {
	rooted := startsWithAny(v, "/", "./", "../", "~/") || len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	if !rooted && !strings.Contains(v, "/") || awsSecretText(v) {
		return false
	}
	parts := 0
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '/' || r == '\\' }) {
		if randomText(part) || strings.ContainsAny(part, "+!#^&") {
			return false
		}
		parts++
	}
	return rooted || parts > 2 || strings.Contains(v, ".") && parts == 2
}

// valueRule names what was found under a name.
func valueRule(v string) rule {
	if awsSecretText(v) {
		return awsSecretKey
	}
	return credential
}

// drawnText reports whether v, which is given to a name directly, is drawn from
// letters and digits: looser than randomText, since nothing else stands there.
func drawnText(v string, c *counts) bool {
	return len(v) >= 20 && c.lowers >= 3 && c.uppers >= 3 && c.digits > 0 && scattered(v, c) && !mentions(v)
}

// scattered reports whether no word stands among the letters and digits of v, which are
// mixed.
func scattered(v string, c *counts) bool {
	run, longest := 0, 0
	for i := range len(v) {
		if run++; !isLower(v[i]) {
			run = 0
		}
		longest = max(longest, run)
	}
	return c.others == 0 && (longest < 7 || c.digits*5 >= len(v)) && c.changes*100 >= 18*len(v)
}

// grouped reports whether v is groups of capitals and digits, as keys of
// licences are.
func grouped(v string, c *counts) bool {
	if c.lowers > 0 || c.digits == 0 || c.uppers == 0 || len(v) < 15 {
		return false
	}
	parts := 0
	for part := range strings.SplitSeq(v, "-") {
		if parts++; len(part) < 4 || len(part) > 8 || count(part).others > 0 {
			return false
		}
	}
	return parts >= 3
}
