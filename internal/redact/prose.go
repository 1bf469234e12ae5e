package redact

import (
	"slices"
	"strings"
)

// told takes a value that a sentence gives to a name, with words between: "my
// password for the vpn is …", "the password for ann: …", "changed the password
// to …", "log in as ann with password …", "use … as the password".
func (sc *scan) told(k kind, start, end int) bool {
	s := sc.s
	if k == plural || k == unnamed || s[start] >= 0x80 || !sc.sentence(start) {
		return false
	}
	i, verb := sc.afterGap(start, end)
	if i > 0 {
		return sc.toldValue(k, i, verb)
	}
	if k != password {
		return false
	}
	return sc.valueBehind(start, end) || sc.valueBefore(start)
}

// sentence reports whether what stands before a place on its line is no code.
func (sc *scan) sentence(start int) bool {
	return !strings.ContainsAny(strings.TrimLeft(sc.lineBefore(start, 120), "> \t"), "{}[]<>;|=\\")
}

// afterGap is where a value may begin behind a name and the words that say what
// the name is for, 0 where none does. verb reports whether a word joins them.
func (sc *scan) afterGap(start, end int) (value int, verb bool) {
	s := sc.s
	i := end
	const most = 12 // words
	// changes reports whether another value is given to the name.
	changes := func() bool {
		return containsAny(strings.ToLower(s[max(0, start-40):start]), "change", "set ", "reset", "update", "rotate")
	}
	for n := range most {
		i = skipBlank(s, i, 2)
		if n == 0 && i < len(s) && s[i] == '(' {
			if in := sc.line(i, 48); strings.Contains(in, ")") {
				i += strings.IndexByte(in, ')') + 1
				continue
			}
		}
		from := i
		for i < len(s) && s[i] > ' ' && strings.IndexByte(",;:=!?()\"`", s[i]) < 0 && s[i] < 0x80 {
			i++
		}
		w := strings.ToLower(s[from:i])
		switch {
		case w == "" && !verb && n > 0 && i+1 < len(s) && (s[i] == ':' || s[i] == '=') && s[i+1] != ':' && s[i+1] != '=':
			return skipBlank(s, i+1, 4), false
		case w == "" && verb && i < len(s) && (s[i] == '"' || s[i] == '`'):
			return i, true
		case w == "" || strings.HasSuffix(w, "."):
			if verb && w != "" {
				return from, true
			}
			return 0, false
		case listed(w, joiningWord):
			verb = true
		case w == "from" && endsWithAny(s[:from-1], "changed", "reset"):
		case w == "to" && (verb || n == 0 && changes()):
			verb = true
		case verb:
			return from, true
		case n == 0 && digits.all(w): // which one of several
		case n == 0 && !listed(w, openingWord):
			return 0, false
		}
	}
	return 0, false
}

// toldValue judges the value of a sentence, which begins at i.
func (sc *scan) toldValue(k kind, i int, verb bool) bool {
	s := sc.s
	if from, to, ok := quotedText(s, i); ok {
		if !secretValue(k, s[from:to], inQuotes) || k != password && !strings.ContainsAny(s[from:to], allDigits) {
			return false
		}
		sc.valued(valueRule(s[from:to]), from, to)
		return true
	}
	p := inProse
	if verb {
		p = inSentence
	}
	to := trimEnd(s, i, sc.run(i, loose), ".:!?")
	if k == password {
		to, _ = sc.given(i, p, true)
	}
	v := s[i:to]
	rest := sc.line(to, 80)
	ends := rest == "" || strings.TrimLeft(rest, " ") != "" && strings.TrimLeft(rest, " ")[0] >= 0x80 || strings.IndexByte(".,;!\r", rest[0]) >= 0 && (len(rest) == 1 || !alnum.has(rest[1]))
	switch {
	case len(v) < 4:
		return false
	case secretValue(k, v, p):
	case k != password || !verb:
		return false
	case ends && len(v) >= 5 && chosenWord(v):
	default:
		return sc.toldPhrase(i, strings.HasSuffix(strings.ToLower(s[max(0, i-200):i]), "phrase is "))
	}
	sc.valued(valueRule(v), i, to)
	if k == password {
		sc.another(to)
	}
	return true
}

// another takes a second password that the line tells behind the first: changed
// from … to …, the old password is …, the new one is …, 舊密碼是 …，新的是 ….
func (sc *scan) another(end int) {
	rest := sc.line(end, 64)
	i := 0
	for _, join := range [...]string{" one is ", " one was ", "的是"} {
		if n := strings.Index(rest, join); n >= 0 {
			i = n + len(join)
			break
		}
	}
	if i == 0 && strings.HasPrefix(rest, " to ") {
		i = len(" to ")
	}
	if i == 0 {
		return
	}
	i = skipOpening(sc.s, skipBlank(sc.s, end+i, 2))
	if to, ok := sc.given(i, inSentence, true); ok {
		sc.valued(credential, i, to)
	}
}

// toldPhrase takes several chosen words up to the end of their sentence. Where
// the name promises a phrase they may be words that describe.
func (sc *scan) toldPhrase(i int, promised bool) bool {
	line := sc.line(i, 120)
	if n := strings.IndexAny(line, ".,;!?:()\"`"); n >= 0 {
		line = line[:n]
	}
	line = strings.TrimRight(line, " \r")
	if !passphrase(line) || strings.ContainsFunc(line, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return false
	}
	for w := range strings.FieldsSeq(line) {
		if len(w) < 3 || !promised && (adjective(w) || describes(w) || placeholder(w)) {
			return false
		}
	}
	sc.valued(credential, i, i+len(line))
	return true
}

// chosenWord reports whether a word, alone at the end of a sentence, can only be
// a password: letters, perhaps joined by hyphens, that describe nothing.
func chosenWord(v string) bool {
	if !letters.all(strings.ReplaceAll(v, "-", "")) {
		return false
	}
	low := strings.ToLower(v)
	if adjective(low) || algorithm(low) || describes(low) || placeholder(low) || mentions(low) || listed(low, sentenceWord) || listed(low, manualWord) {
		return false
	}
	last := low[strings.LastIndexByte(low, '-')+1:]
	return last == low || !adjective(last) && !describes(last) && !listed(last, sentenceWord)
}

const allDigits = "0123456789"

// valueBehind takes a password that follows its name with nothing between, where
// the sentence is about logging in, or the value is clearly made up.
func (sc *scan) valueBehind(start, end int) bool {
	s := sc.s
	i := skipBlank(s, end, 2)
	if i == end || i == len(s) {
		return false
	}
	account := hasListed(strings.ToLower(sc.lineBefore(start, 64)), accountWord)
	if from, to, ok := quotedText(s, i); ok {
		phrase := strings.HasSuffix(strings.ToLower(s[start:end]), "phrase")
		if secretValue(password, s[from:to], inQuotes) && (phrase || account && !strings.Contains(s[from:to], " ")) {
			sc.valued(credential, from, to)
			return true
		}
		return false
	}
	to, ok := sc.given(i, inProse, account)
	v := s[i:to]
	if !ok || strings.ContainsAny(v, "/\\=") || version(v) {
		return false
	}
	c := count(v)
	if c.digits == len(v) || !account && !(c.digits > 0 && c.lowers > 0 && (strings.ContainsAny(v, "!@#$%^&*?+~") || c.uppers > 0 && len(v) >= 10)) {
		return false
	}
	sc.valued(credential, i, to)
	return true
}

// pass takes what stands behind the short name for a password: pass=…, user ann
// pass ….
func (sc *scan) pass(from, to int) {
	s := sc.s
	if s[from:to] != "pass" || to+1 >= len(s) || from > 0 && wordDashDot.has(s[from-1]) {
		return
	}
	switch s[to] {
	case '"', '\'', '\\':
		i := skipBlank(s, skipSigns(s, to, 4, `\"'`), 2)
		if i == len(s) || s[i] != ':' {
			return
		}
		if f, t, ok := quotedText(s, skipBlank(s, i+1, 4)); ok && secretValue(password, s[f:t], inProse) {
			sc.valued(credential, f, t)
		}
	case '=', ':':
		i := skipBlank(s, to+1, 2)
		if end, ok := sc.given(i, inProse, false); ok && count(s[i:end]).digits < end-i {
			sc.valued(credential, i, end)
		}
	case ' ':
		sc.valueBehind(from, to)
	}
}

// valueBefore takes a password that stands before its name: … as the password.
func (sc *scan) valueBefore(start int) bool {
	s := sc.s
	from := max(0, start-80)
	before := strings.TrimRight(s[from:start], " ")
	if n := strings.LastIndexByte(before, ' '); n >= 0 && listed(strings.ToLower(before[n+1:]), articleWord) {
		before = strings.TrimRight(before[:n], " ")
	}
	before, ok := strings.CutSuffix(before, " as")
	if !ok {
		return false
	}
	n := strings.LastIndexAny(before, " \n\t") + 1
	v := strings.Trim(before[n:], "\"'`")
	if at := from + n + strings.Index(before[n:], v); len(v) >= 6 && at >= sc.cueDone && secretValue(password, v, inProse) && strings.ContainsAny(v, allDigits) && !strings.ContainsAny(v, "/\\()=,") {
		sc.valued(credential, at, at+len(v))
		return true
	}
	return false
}

// pin takes the digits that open something, behind a name for them: the PIN is
// 4829, PIN 碼是 482913, verification code 493021.
func (sc *scan) pin(from, to int) {
	s := sc.s
	if from > 0 && alnum.has(s[from-1]) || to < len(s) && alnum.has(s[to]) && alnum.has(s[to-1]) {
		return
	}
	i := to
	for _, more := range [...]string{" code", " number", " 碼", " 码", "碼", "码"} {
		if hasFoldedPrefix(s[i:], more) {
			i += len(more)
			break
		}
	}
	value := 0
	j := skipBlank(s, i, 2)
	if j < len(s) {
		if n := separator(s[j:min(len(s), j+joinMost)], false); n > 0 {
			value = skipBlank(s, j+n, 4)
		} else if value, _ = sc.afterGap(from, i); value == 0 {
			return
		}
	}
	if value == 0 || value >= len(s) {
		return
	}
	value = skipOpening(s, value)
	end := sc.run(value, loose)
	v := strings.TrimRight(s[value:end], ".:!?")
	c := count(v)
	if rest := sc.line(value+len(v), 2); c.digits == len(v) && len(v) >= 4 && len(v) <= 8 && !strings.HasPrefix(rest, " b") || len(v) >= 6 && c.digits > 0 && c.digits < len(v) && secretValue(password, v, inProse) && !uuid(v) && !path(v) {
		sc.valued(credential, value, value+len(v))
	}
}

// account takes the password of "the login is admin / …", "log in as ann/…",
// "credentials: ann:…", 帳號：ann/….
func (sc *scan) account(from, to int) {
	s := sc.s
	if from > 0 && s[from] < 0x80 && alnum.has(s[from-1]) {
		return
	}
	i := to
	for i < len(s) && i < to+4 && isLower(s[i]) {
		i++ // credentials, logins
	}
	i = skipBlank(s, i, 2)
	const most = 24 // bytes of Chinese between
	for s[from] >= 0x80 && i < len(s) && i < to+most && (s[i] >= 0x80 || s[i] == '/') {
		i++ // 帳號密碼：
	}
	joins := [...]string{":", "is ", "are ", "was ", "as ", "with ", "using "}
	n := slices.IndexFunc(joins[:], func(join string) bool { return strings.HasPrefix(s[i:], join) })
	if n >= 0 {
		i += len(joins[n])
	} else if s[from] < 0x80 {
		return
	}
	i = skipBlank(s, i, 2)
	user := i
	for i < len(s) && (wordDashDot.has(s[i]) || s[i] == '@') {
		i++
	}
	if i == user {
		return
	}
	j := skipBlank(s, i, 2)
	sign := ""
	for _, sign = range [...]string{"/", ":", "／"} {
		if strings.HasPrefix(s[j:], sign) {
			break
		}
	}
	if !strings.HasPrefix(s[j:], sign) {
		return
	}
	v := skipBlank(s, j+len(sign), 2)
	// Behind "account" a slash alone makes a path.
	glued := sign == "/" && j == i && v == j+1
	if glued && (strings.EqualFold(s[from:to], "account") || strings.Contains(s[user:i], ".")) {
		return
	}
	end, ok := sc.given(v, inSentence, true)
	if ok && !strings.Contains(s[v:end], "/") && !(glued && strings.Contains(s[v:end], ".")) && !digits.all(s[v:end]) {
		sc.valued(credential, v, end)
	}
}

// pair takes the password of "the login for staging is ann / …", "user ann with …" and
// "log in to the wiki as ann with …", where it can hardly be a word.
func (sc *scan) pair(from, to int) {
	s := sc.s
	end, ok := sc.given(to, inSentence, true)
	if !ok || !madeUp(s[to:end]) || path(s[to:end]) {
		return
	}
	before := strings.Fields(sc.lineBefore(from, 96))
	if len(before) < 2 {
		return
	}
	before = before[:len(before)-1] // without the name
	if last := before[len(before)-1]; s[from+1] != '/' && last != "as" {
		before = []string{last}
	}
	line := strings.ToLower(strings.Join(before, " "))
	if hasListed(line, signInWord) || containsAny(line, "登入", "登录", "登錄", "帳號", "帐号", "账号") {
		sc.valued(credential, to, end)
	}
}

// madeUp reports whether a text is put together as passwords are: of small letters,
// capitals, digits and signs.
func madeUp(v string) bool {
	const least = 8
	c := count(v)
	return len(v) >= least && c.lowers > 1 && c.uppers > 0 && c.digits > 0 && c.others > 0 && !strings.ContainsAny(v, "./:()=<>") &&
		(c.digits > 1 || strings.ContainsAny(v, "!@#$%^&*_?~"))
}
