package redact

import (
	"math/bits"
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
)

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
		if p == inProse || c.spaces > 0 {
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
		return p != inProse || len(v) >= 6
	case c.digits == 0 && mentions(v), algorithm(v):
		return false
	case p != inProse:
		return true
	}
	strong := c.digits > 0 || strings.ContainsAny(v, "!@#$%^&*?~")
	return len(v) >= 6 && strong && letters > 0 && !(identifier(v) && mentions(v))
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
		if p == inProse && count(v).others == 1 && count(v).digits == 0 {
			return true // a tag of YAML
		}
	case '$':
		if strings.HasPrefix(v, "${") || strings.HasPrefix(v, "$(") || strings.HasPrefix(v, "$$") || identifier(v[1:]) || call(v[1:]) || strings.HasPrefix(v, "$2") || strings.HasPrefix(v, "$argon2") || dotted(v[1:]) {
			return true
		}
	case '%':
		if strings.HasSuffix(v, "%") || len(v) <= 3 || v[1] == '(' {
			return true
		}
	case '&', '*':
		if identifier(v[1:]) && p == inProse {
			return true
		}
	}
	for _, sign := range [...]string{"${", "{{", "#{", "$(", "<%", "://", "::", "->", "%s", "%v", "\\("} {
		if strings.Contains(v, sign) {
			return true
		}
	}
	if path(v) || call(v) {
		return true
	}
	for _, object := range [...]string{"process.env", "os.environ", "os.getenv", "import.meta", "env.", "vault:", "secret:", "arn:", "op:"} {
		if len(v) > len(object) && strings.EqualFold(v[:len(object)], object) {
			return true
		}
	}
	return p != inQuotes && dotted(v)
}

// call reports whether v begins like a call or an index: name( or a.b[.
func call(v string) bool {
	for i := range len(v) {
		switch b := v[i]; {
		case b == '(' || b == '[':
			return i > 0
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
	if v == "" || isDigit(v[0]) {
		return false
	}
	for i := range len(v) {
		if !alnum.has(v[i]) && v[i] != '_' && v[i] != '-' {
			return false
		}
	}
	return true
}

// path reports whether v is the path of a file. A slash alone does not make
// one: base64 has them too.
func path(v string) bool {
	rooted := strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") ||
		strings.HasPrefix(v, "~/") || len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	if !rooted && !strings.Contains(v, "/") {
		return false
	}
	if awsSecretText(v) {
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

// identity reports whether v names or checks something and opens nothing: a
// UUID, a ULID, a digest with its algorithm, a sum, a version.
func identity(v string) bool {
	if uuid(v) || version(v) || ulid(v) {
		return true
	}
	for _, algorithm := range [...]string{"sha1", "sha224", "sha256", "sha384", "sha512", "md5", "h1"} {
		if n := len(algorithm); len(v) > n && strings.EqualFold(v[:n], algorithm) && (v[n] == '-' || v[n] == ':' || v[n] == '=') {
			return true
		}
	}
	return strings.HasPrefix(v, "AAAAB3NzaC1") || strings.HasPrefix(v, "AAAAC3NzaC1") || strings.HasPrefix(v, "AAAAE2VjZHNh")
}

// awsSecretText reports whether v can be a secret access key: 40 characters of
// base64, of all kinds.
func awsSecretText(v string) bool {
	if len(v) != 40 || strings.Count(v, "/") > 4 {
		return false
	}
	for i := range len(v) {
		if !base64Set.has(v[i]) || v[i] == '=' || v[i] == '%' {
			return false
		}
	}
	c := count(v)
	return c.lowers > 3 && c.uppers > 3 && c.digits > 0
}

func uuid(v string) bool {
	if len(v) != 36 || v[8] != '-' || v[13] != '-' || v[18] != '-' || v[23] != '-' {
		return false
	}
	for i := range len(v) {
		if v[i] != '-' && !isHex(v[i]) {
			return false
		}
	}
	return true
}

// ulid reports whether v is an identifier that begins with the time, in base32,
// as those of these years do.
func ulid(v string) bool {
	if len(v) != 26 || !strings.HasPrefix(v, "01") {
		return false
	}
	for i := range len(v) {
		if !isUpper(v[i]) && !isDigit(v[i]) {
			return false
		}
	}
	return true
}

func version(v string) bool {
	v = strings.TrimLeft(strings.TrimPrefix(v, "v"), "^~=<>")
	if v == "" || !isDigit(v[0]) {
		return false
	}
	dots := 0
	for i := 0; i < len(v); i++ {
		switch {
		case v[i] == '.':
			dots++
		case (v[i] == '-' || v[i] == '+') && dots > 0:
			return !randomText(v[i+1:])
		case !isDigit(v[i]):
			return false
		}
	}
	return dots > 0
}

// placeholder reports whether v stands for a value that is not there.
func placeholder(v string) bool {
	same, repeat := true, 1
	for i := 1; i < len(v); i++ {
		if v[i] != v[0] {
			same = false
		}
		if v[i] == v[i-1] {
			if repeat++; repeat >= 4 && strings.IndexByte("xX*.•_-#?", v[i]) >= 0 {
				return true
			}
		} else {
			repeat = 1
		}
	}
	if same || strings.HasPrefix(v, "...") || strings.HasPrefix(v, "…") {
		return true
	}
	var buf [64]byte
	if len(v) > len(buf) {
		return false
	}
	for i := range len(v) {
		buf[i] = lower(v[i])
	}
	low := strings.Trim(string(buf[:len(v)]), "\"'`.,:;!?*_ ")
	if listed(low, placeholderWord) {
		return true
	}
	if !strings.ContainsAny(low, "0123456789") {
		for _, word := range [...]string{"example", "your", "placeholder", "changeme", "change-me", "change_me", "replace", "insert", "dummy", "enter-", "enter_", "redacted", "goes-here", "goes_here", "todo"} {
			if strings.Contains(low, word) && (word != "your" || strings.HasPrefix(low, word)) {
				return true
			}
		}
	}
	for _, word := range [...]string{"your-", "your_", "my-example", "example-", "example_", "<your"} {
		if strings.HasPrefix(low, word) {
			return true
		}
	}
	return false
}

// mentions reports whether v itself speaks of credentials, as names do.
func mentions(v string) bool {
	low := strings.ToLower(v)
	for _, word := range [...]string{"password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "credential", "pwd"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// algorithm reports whether v is the name of an algorithm, an encoding or a
// type, which often stand beside a password and have digits too.
func algorithm(v string) bool {
	var buf [24]byte
	n := 0
	for i := range len(v) {
		if v[i] == '-' || v[i] == '_' {
			continue
		}
		if n == len(buf) {
			return false
		}
		buf[n] = lower(v[i])
		n++
	}
	return listed(string(buf[:n]), algorithmWord)
}

// passphrase reports whether the words of v are chosen words and not a
// sentence: three to ten plain words, none of which sentences need.
func passphrase(v string) bool {
	words := 0
	for word := range strings.FieldsSeq(v) {
		for i := range len(word) {
			if !alnum.has(word[i]) && word[i] != '-' {
				return false
			}
		}
		if len(word) < 3 {
			return false
		}
		if low := strings.ToLower(word); listed(low, sentenceWord) || strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "ing") {
			return false
		}
		words++
	}
	return words >= 3 && words <= 10 && !mentions(v)
}

// randomText reports whether v looks like drawn from an alphabet rather than
// written by somebody: at least 16 characters, digits among letters, often
// changing between the two or between cases, many different characters.
// Hexadecimal digits alone do not count: hashes are made of them.
func randomText(v string) bool {
	if len(v) < 16 || isHexText(v) || uuid(v) || identity(v) || resource(v) {
		return false
	}
	c := count(v)
	if c.spaces > 0 || c.digits == 0 && (c.uppers < 4 || c.lowers < 4) || c.lowers+c.uppers < 3 {
		return false
	}
	need := 30
	if c.digits == 0 {
		need = 45
	}
	if c.others*4 > len(v) {
		return false
	}
	return c.changes*100 >= need*len(v) && c.distinct() >= 10
}

// resource reports whether v is put together of words and hexadecimal digits, as
// ids of clouds and traces are: i-0ab12…, Root=1-0ab12…-….
func resource(v string) bool {
	if number, ok := strings.CutPrefix(v, "0x"); ok && isHexText(number) {
		return true
	}
	parts, hexes := 0, 0
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '=' || r == '_' }) {
		c := count(part)
		switch parts++; {
		case c.digits > 0 && isHexText(part):
			if len(part) >= 8 {
				hexes++
			}
		case c.lowers+c.uppers < len(part) || len(part) > 12:
			return false
		}
	}
	return parts > 1 && hexes > 0
}

// drawnText reports whether v, which is given to a name directly, is drawn from
// letters and digits: looser than randomText, since nothing else stands there.
func drawnText(v string, c *counts) bool {
	if c.others > 0 || len(v) < 20 || c.lowers < 3 || c.uppers < 3 || c.digits == 0 || mentions(v) {
		return false
	}
	run, longest := 0, 0
	for i := range len(v) {
		if run++; !isLower(v[i]) {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest < 7 && c.changes*100 >= 18*len(v)
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

// counts is what a text is made of.
type counts struct {
	lowers, uppers, digits, spaces int
	others                         int // neither letter nor digit nor space
	changes                        int // neighbours of different kinds
	seen                           [4]uint64
}

func (c *counts) distinct() int {
	n := 0
	for _, w := range c.seen {
		n += bits.OnesCount64(w)
	}
	return n
}

func count(v string) counts {
	var c counts
	last := byte(0)
	for i := range len(v) {
		b, sort := v[i], byte('o')
		switch {
		case isLower(b):
			c.lowers++
			sort = 'l'
		case isUpper(b):
			c.uppers++
			sort = 'u'
		case isDigit(b):
			c.digits++
			sort = 'd'
		case b == ' ' || b == '\t':
			c.spaces++
		default:
			c.others++
		}
		// A capital and the small letters behind it are one word.
		if last != 0 && sort != last && sort != 'o' && last != 'o' && (last != 'u' || sort != 'l' || i >= 2 && isUpper(v[i-2])) {
			c.changes++
		} else if last == 'u' && sort == 'l' && i >= 2 && isLower(v[i-2]) && i+1 < len(v) && !isLower(v[i+1]) {
			c.changes++
		}
		last = sort
		c.seen[b>>6] |= 1 << (b & 63)
	}
	return c
}

func isHexText(v string) bool {
	for i := range len(v) {
		if !isHex(v[i]) {
			return false
		}
	}
	return v != ""
}
