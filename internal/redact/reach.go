package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// given judges the value that begins at i and that a sentence, or what looks like
// code, gives to a password, and is where it ends. clear says that it is no code:
// then signs that code has within expressions do not speak against a value.
func (sc *scan) given(i int, p place, clear bool) (to int, ok bool) {
	s := sc.s
	near := trimEnd(s, i, sc.run(i, loose), ".:!?")
	far := max(near, sc.reach(i))
	switch {
	case near > i && secretValue(password, s[i:near], p):
		return far, true
	case clear && near-i >= 4 && digits.all(s[i:near]) && sc.clauseEnds(near):
		return near, true
	case !clear || far == near || !secretValue(password, s[i:far], p):
		return near, false
	}
	c := count(s[i:min(far, i+judged)])
	return far, c.digits > 0 && c.lowers+c.uppers > 0
}

// reach is the end of a value of a sentence that begins at i. A password may hold
// every sign: a blank, a quote, a tag or another script ends it. What belongs to
// the text around is no part of it: another assignment behind a sign, a bracket
// that was opened before, the signs of the sentence.
func (sc *scan) reach(i int) int {
	s := sc.s
	to := sc.run(i, spoken)
	for to < len(s) && to-i < judged {
		r, n := utf8.DecodeRuneInString(s[to:])
		inner := r == '\'' && to > i && alnum.has(s[to-1]) && to+1 < len(s) && alnum.has(s[to+1])
		if !inner && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			break
		}
		to = sc.run(to+n, spoken)
	}
	if to-i > judged {
		return i // nobody says that much
	}
	var open []byte // the brackets that close what is open
	for j := i; j < to; j++ {
		switch b := s[j]; b {
		case '(':
			open = append(open, ')')
		case '[':
			if markAt(s, j) > 0 {
				return j
			}
			open = append(open, ']')
		case '{':
			open = append(open, '}')
		case ')', ']', '}':
			if n := len(open) - 1; n >= 0 && open[n] == b {
				open = open[:n]
			} else if j+1 == to || !alnum.has(s[j+1]) {
				to = j
			}
		case ',', ';', '&', '|':
			if j > i && (s[j-1] == b || assigns(s[j+1:to])) {
				to = j
			}
		case '<':
			if tag := s[j+1 : to]; tag != "" && (tag[0] == '/' || strings.IndexByte(tag, '>') > 0) {
				to = j
			}
		}
	}
	return trimEnd(s, i, to, ".,:;!?&|([{")
}

// clauseEnds reports whether nothing of a sentence's clause is left behind a place.
func (sc *scan) clauseEnds(at int) bool {
	rest := strings.TrimLeft(sc.line(at, 64), " \r")
	r, n := utf8.DecodeRuneInString(rest)
	return rest == "" || strings.ContainsRune(".,;!?)", r) && !(len(rest) > n && alnum.has(rest[n])) || r >= 0x80 && unicode.IsPunct(r)
}

// assigns reports whether a text begins with a name and the sign of an assignment.
func assigns(s string) bool {
	n := 0
	for n < len(s) && (wordDashDot.has(s[n]) || s[n] == '$') {
		n++
	}
	return n > 0 && n < len(s) && (s[n] == '=' || s[n] == ':')
}
