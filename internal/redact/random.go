package redact

import (
	"math/bits"
	"slices"
	"strings"
)

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

func isHexText(v string) bool { return v != "" && hexes.all(v) }

// identity reports whether v names or checks something and opens nothing: a
// UUID, a ULID, a digest with its algorithm, a sum, a version.
func identity(v string) bool {
	if uuid(v) || version(v) || ulid(v) {
		return true
	}
	sum := func(algorithm string) bool {
		n := len(algorithm)
		return hasFoldedPrefix(v, algorithm) && len(v) > n && strings.IndexByte("-:=", v[n]) >= 0
	}
	return slices.ContainsFunc([]string{"sha1", "sha224", "sha256", "sha384", "sha512", "md5", "h1"}, sum) ||
		startsWithAny(v, "AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh")
}

// awsSecretText reports whether v can be a secret access key: 40 characters of
// base64, of all kinds.
func awsSecretText(v string) bool {
	if len(v) != 40 || strings.Count(v, "/") > 4 || !base64Set.all(v) || strings.ContainsAny(v, "=%") {
		return false
	}
	c := count(v)
	return c.lowers > 3 && c.uppers > 3 && c.digits > 0
}

func uuid(v string) bool {
	return len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-' && hexes.all(strings.ReplaceAll(v, "-", ""))
}

// ulid reports whether v is an identifier that begins with the time, in base32,
// as those of these years do.
func ulid(v string) bool {
	return len(v) == 26 && strings.HasPrefix(v, "01") && uppers.all(v)
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
