package redact

import (
	"slices"
	"strings"
)

// spoken handles a password that is a plain word, where a person says it: at
// the end of a line of prose, as in "the staging password: …", joined to its name
// as in password=…, at the end of a clause behind "is", and in Chinese,
// where a Latin word behind 密碼是 can hardly be anything else. The value begins
// at i, behind the name and what begins with sign. It reports whether it was one.
func (sc *scan) spoken(name argument, i int, sign byte) bool {
	s, start := sc.s, name.from
	chinese := s[start] >= 0x80 || s[start] == '\\'
	verb := sign == 'i' || sign == 'w' // is, was
	if !chinese && (sign != ':' && sign != '=' && !verb || !slices.Contains(bareNames[:], strings.ToLower(s[start:name.to])) || !sc.prose(start)) {
		return false
	}
	if chinese {
		i = skipOpening(s, i)
	}
	to := sc.run(i, alnum)
	v := s[i:to]
	if chinese && to < len(s) && s[to] == ' ' && sc.toldPhrase(i, true) {
		return true
	}
	if len(v) < 5 || len(v) > judged {
		return false
	}
	if sc.reach(i) > to {
		if _, ok := sc.given(i, inSentence, true); ok {
			return false // more than a word
		}
	}
	if c := count(v); c.digits > 0 || describes(v) || !secretValue(password, v, inData) {
		return false
	}
	rest := sc.line(to, 64)
	ends := func(signs string) bool { return rest == "" || strings.IndexByte(signs, rest[0]) >= 0 }
	other := false // it is a part of something else
	switch {
	case chinese:
		other = rest != "" && ends("-_./(=@#$%^&*+") || said(rest)
	case sign == '=':
		other = len(v) < 6 || !ends(" \t\r.,!?") || strings.ContainsAny(rest, "(){}[]=")
	case verb:
		other = adjective(v) || !ends(".,;!\r") || len(rest) > 1 && alnum.has(rest[1])
	default:
		other = strings.Trim(rest, " \t\r.!") != ""
	}
	if !other {
		sc.valued(credential, i, to)
		sc.another(to)
	}
	return !other
}

// bareNames are those by which people call a password.
var bareNames = [...]string{"password", "passwd", "passphrase", "passcode", "pwd"}

// prose reports whether what stands before a place on its line is neither code
// nor a table.
func (sc *scan) prose(start int) bool {
	const most = 120
	from := max(0, start-most)
	before := sc.s[from:start]
	if n := strings.LastIndexByte(before, '\n'); n >= 0 {
		before = before[n+1:]
	} else if from > 0 {
		return false
	}
	return !strings.ContainsAny(before, "{}()[]<>=;,|\"'`\\")
}

// said reports whether the text behind a Latin word of a Chinese sentence makes
// it say of what kind something is: hashed 的, string 型別.
func said(rest string) bool {
	rest = strings.TrimLeft(rest, " \t")
	return startsWithAny(rest, "的", "型", "類", "类", "欄", "栏", "字", "編", "编", "雜", "哈", "加密", "格式", "存", "值", "參", "参", "變", "变", "方式", "演算", "算法", "過", "过")
}

// telegram handles the token of a Telegram bot: its number, a colon, and some
// 35 characters of which the first are AA.
func (sc *scan) telegram(from, to int) {
	s := sc.s
	start := from
	for start > 0 && from-start < 11 && isDigit(s[start-1]) {
		start--
	}
	if n := from - start; n < 8 || n > 10 {
		return
	}
	const least, most = 32, 40
	if end := sc.run(to, wordDash); end-from > least && end-from <= most && randomText(s[from+1:end]) {
		sc.shaped(serviceToken, start, end)
	}
}
