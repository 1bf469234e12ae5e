package redact

import (
	"slices"
	"strings"
)

// provider looks at the value of something that bears the name of a service,
// as in DATADOG_API_KEY=… or "the heroku api key is …". Some services write
// their keys as UUIDs or as digits that a checksum could be: those count only
// where the name speaks of a credential, before or behind the service's.
func (sc *scan) provider(shapes []*shape, from int) {
	s := sc.s
	is := func(sh *shape) bool { return hasFoldedPrefix(s[from:], sh.beside) }
	n := slices.IndexFunc(shapes, is)
	if n < 0 {
		return
	}
	to := from + len(shapes[n].beside)
	if from > 0 && alnum.has(s[from-1]) && isLower(s[from]) && isLower(s[from-1]) {
		return // the end of another word
	}
	const most = 64
	i, stop := to, min(len(s), to+most)
	for i < stop && (wordDashDot.has(s[i]) || strings.IndexByte(" \t'\"`)(*", s[i]) >= 0 && !sc.valueAt(shapes, i+1)) {
		i++
	}
	name := strings.ToLower(s[max(0, from-24):min(i, len(s))])
	at := from - max(0, from-24)
	if n := strings.LastIndexAny(name[:at], "\n.;,{}"); n >= 0 {
		name, at = name[n+1:], at-n-1
	}
	secret := containsAny(name, "key", "token", "secret", "password", "auth", "pat", "login", "credential", "金鑰", "密鑰", "密钥", "權杖", "令牌")
	if hasListed(name[at:], opensNothing) {
		return
	}
	// What joins it to the value: a sign, or a word at the end of the name.
	if i < len(s) {
		if n := separator(s[i:min(len(s), i+joinMost)], false); n > 0 {
			i += n
		} else if s[i] == '>' {
			i++
		}
	}
	i = skipSigns(s, i, len(s), " \t'\"`\\")
	for _, sh := range shapes {
		begin, end, ok := sc.forwards(sh, i)
		if !ok || !is(sh) || i > 0 && alnum.has(s[i-1]) {
			continue
		}
		v := s[begin:end]
		if c := count(v); c.digits == 0 || placeholder(v) || markAt(v, 0) > 0 {
			continue
		}
		if secret || !isHexText(v) && !uuid(v) && randomText(v) && len(v) >= 20 {
			sc.shaped(sh.rule, begin, end)
			return
		}
	}
}

// valueAt reports whether one of the shapes begins at i.
func (sc *scan) valueAt(shapes []*shape, i int) bool {
	if i >= len(sc.s) || !alnum.has(sc.s[i]) {
		return false
	}
	return slices.ContainsFunc(shapes, func(sh *shape) bool {
		_, end, ok := sc.forwards(sh, i)
		return ok && count(sc.s[i:end]).digits > 0
	})
}
