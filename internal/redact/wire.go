package redact

import "strings"

// address takes the password of scheme://user:password@host and leaves the
// rest.
func (sc *scan) address(from, to int) {
	s := sc.s
	if from == 0 || !alnum.has(s[from-1]) {
		return
	}
	colon, at := -1, -1
	for i := to; i < len(s) && i < to+300; i++ {
		b := s[i]
		if b == '@' {
			at = i
			continue
		}
		if b == ':' && colon < 0 {
			colon = i
			continue
		}
		if b <= ' ' || strings.IndexByte("\"'<>`\\", b) >= 0 {
			break
		}
		if b == '/' || b == '?' || b == '#' {
			// An unescaped slash in the password, unless a port or a path
			// without any password came before it.
			if at >= 0 || colon < 0 || digits.all(s[colon+1:i]) {
				break
			}
			n := strings.IndexAny(s[i:min(len(s), to+300)], "@ \t\n\"'<>`")
			if n < 0 || s[i+n] != '@' {
				break
			}
		}
	}
	if colon < 0 || at <= colon+1 {
		return
	}
	v := s[colon+1 : at]
	if v == s[to:colon] { // a default that hides nothing
		return
	}
	if markAt(v, 0) > 0 || v[0] == '$' && (identifier(v[1:]) || strings.HasPrefix(v, "${") || strings.HasPrefix(v, "$(")) ||
		strings.IndexByte("<{[*%", v[0]) >= 0 && (v[0] != '%' || !isHex(v[min(1, len(v)-1)])) || strings.Contains(v, "${") || strings.Contains(v, "{{") || len(v) >= 3 && placeholderURL(v) {
		return
	}
	sc.shaped(urlPassword, colon+1, at)
}

// userAtHost takes the password of user:password@host:port without a scheme, and of
// the user/password@host:port of Oracle. What stands behind the @ must be nothing
// but a machine: of names alone mail and packages are made.
func (sc *scan) userAtHost(at, to int) {
	s := sc.s
	const most = 96
	from := at
	for from > 0 && at-from < most && s[from-1] > ' ' && s[from-1] < 0x7f && strings.IndexByte("\"'`<>()[]{},;=|@", s[from-1]) < 0 {
		from--
	}
	lead := s[from:at]
	sign := max(strings.LastIndexByte(lead, ':'), strings.LastIndexByte(lead, '/'))
	if sign < 1 || !alnum.has(lead[sign-1]) || strings.Contains(lead, "//") || !sc.machineAt(to) {
		return
	}
	c := count(lead[sign+1:])
	if c.digits > 0 && c.lowers+c.uppers > 0 && secretValue(password, lead[sign+1:], inProse) {
		sc.valued(urlPassword, from+sign+1, at)
	}
}

// machineAt reports whether what stands at i names a machine: localhost, an
// address of four numbers, or a name with a port.
func (sc *scan) machineAt(i int) bool {
	s := sc.s
	end := i
	for end < len(s) && end-i < 96 && wordDashDot.has(s[end]) {
		end++
	}
	host := strings.TrimRight(s[i:end], ".-")
	if host == "localhost" || strings.Count(host, ".") == 3 && digits.all(strings.ReplaceAll(host, ".", "")) {
		return true
	}
	if host == "" || end >= len(s) || s[end] != ':' {
		return false
	}
	port := sc.run(end+1, alnum)
	return port-end-1 >= 2 && port-end-1 <= 5 && digits.all(s[end+1:port])
}

func placeholderURL(v string) bool {
	switch strings.ToLower(v) {
	case "password", "pass", "passwd", "pwd", "xxx", "xxxx", "***", "...", "your_password", "your-password", "yourpassword":
		return true
	}
	return placeholder(v) && len(v) > 3 && count(v).others == len(v)
}

// authorization takes the credentials of an Authorization header, in whatever
// notation: a header, JSON, a call that sets it.
func (sc *scan) authorization(_, to int) {
	s := sc.s
	i := skipSigns(s, to, 4, "\\\"'`]")
	i = skipBlank(s, i, 8)
	if i == len(s) || s[i] != ':' && s[i] != '=' && s[i] != ',' {
		return
	}
	i = skipSigns(s, skipBlank(s, i+1, 8), len(s), "\\\"'`>")
	scheme := i
	for i < len(s) && i < scheme+20 && (isLower(s[i]|0x20) || s[i] == '-') {
		i++
	}
	if i == scheme || i >= len(s) || s[i] != ' ' {
		end := sc.run(scheme, bearing)
		if end-scheme >= 16 && count(s[scheme:min(end, scheme+judged)]).digits > 0 && headerSecret(s[scheme:end]) {
			sc.valued(authorization, scheme, end)
		}
		return
	}
	switch strings.ToLower(s[scheme:i]) {
	case "bearer", "basic", "token", "apikey", "api-key", "key", "bot", "digest", "negotiate":
	default:
		return
	}
	i = skipBlank(s, i, 4)
	if end := sc.run(i, bearing); end-i >= 6 && headerSecret(s[i:end]) {
		sc.valued(authorization, i, end)
	}
}

// bearer takes a token behind the word alone, when it can be nothing else.
func (sc *scan) bearer(from, to int) {
	s := sc.s
	if !wordStart(s, from) {
		return
	}
	if end := sc.run(to, bearing); end-to >= 16 && count(s[to:min(end, to+judged)]).digits > 0 && headerSecret(s[to:end]) {
		sc.valued(authorization, to, end)
	}
}

func headerSecret(v string) bool {
	v = v[:min(len(v), judged)]
	c := count(v)
	if c.digits == 0 && (c.uppers == 0 || c.lowers == 0) && len(v) < 24 {
		return false
	}
	return !placeholder(v) && !dotted(v) && !(c.digits == 0 && mentions(v)) && !strings.Contains(v, "://")
}

// cookies takes the values of a Cookie or Set-Cookie header, except those that
// are attributes or too short to open anything.
func (sc *scan) cookies(_, to int) {
	s := sc.s
	i := skipSigns(s, to, 4, "\\\"'`]")
	i = skipBlank(s, i, 4)
	if i == len(s) || s[i] != ':' && s[i] != '=' && s[i] != ',' {
		return
	}
	i = skipSigns(s, skipBlank(s, i+1, 4), len(s), "\\\"'`")
	stop := min(len(s), to+4096)
	for i < stop {
		name := i
		for i < stop && cookieByte(s[i]) && s[i] != '=' {
			i++
		}
		key := s[name:i]
		if i == stop || key == "" {
			return
		}
		if s[i] == '=' {
			from := i + 1
			for i = from; i < len(s) && cookieByte(s[i]); i++ {
			}
			if cookieSecret(key, s[from:i]) {
				sc.valued(cookie, from, i)
			}
		}
		if i >= stop || s[i] != ';' {
			return
		}
		i = skipBlank(s, i+1, 4)
	}
}

func cookieByte(b byte) bool { return b > ' ' && b < 0x7f && strings.IndexByte(";,\"'`\\<>", b) < 0 }

func cookieSecret(name, value string) bool {
	name = strings.ToLower(name)
	switch name {
	case "path", "domain", "expires", "max-age", "samesite", "priority", "version", "comment":
		return false
	}
	if markAt(value, 0) > 0 || len(value) < 4 || placeholder(value) || reference(value, inQuotes) {
		return false
	}
	for _, word := range [...]string{"sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "login", "remember", "secret", "key", "id"} {
		if strings.Contains(name, word) {
			return len(value) >= 6 && (count(value).digits > 0 || len(value) >= 16)
		}
	}
	return randomText(value) || isHexText(value) && len(value) >= 32
}
