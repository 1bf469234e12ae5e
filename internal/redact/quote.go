package redact

import "strings"

// joinMost is the most of a text that [separator] needs to see.
const joinMost = 32

// separator is the length of what joins a name and its value at the start of
// s, 0 when nothing does. A comma joins the arguments of a call.
func separator(s string, argument bool) int {
	// 密碼應該是, 密碼現在已經改成了: what says when and how surely stands before.
	if rest := strings.TrimLeft(s, "還还仍就現现在目前應应該该已經经都也將将會会"); len(rest) < len(s) && rest != "" && rest[0] >= 0x80 {
		if n := separator(rest, false); n > 0 {
			return len(s) - len(rest) + n
		}
		return 0
	}
	for _, sep := range [...]string{":=", "=>", "===", "!==", "==", "!=", "->", "→", "：", "＝", "是：", "是:", "為：", "为：", "是", "係：", "係:", "係", "為", "为", "設成", "设成", "設為", "设为", "改成", "改為", "改为", "設定為", "设置为", "換成", "换成", `\uff1a`, `\u662f`, "is: ", "was: ", "is ", "was "} {
		if strings.HasPrefix(s, sep) {
			if sep[0] >= 0x80 && strings.HasPrefix(s[len(sep):], "了") {
				return len(sep) + len("了")
			}
			return len(sep)
		}
	}
	switch s[0] {
	case '=':
		return 1
	case ':':
		if len(s) > 1 && s[1] == ':' {
			return 0
		}
		return 1
	case ',':
		if argument {
			return 1
		}
	}
	return 0
}

func skipBlank(s string, i, limit int) int {
	return skipSigns(s, i, limit, " \t")
}

// skipSigns steps over the signs at i, so many at most.
func skipSigns(s string, i, limit int, signs string) int {
	for stop := min(len(s), i+limit); i < stop && strings.IndexByte(signs, s[i]) >= 0; {
		i++
	}
	return i
}

// skipOpening steps over the quotes that Chinese and printed texts open with.
func skipOpening(s string, i int) int {
	for _, open := range [...]string{"「", "『", "“", "‘"} {
		if strings.HasPrefix(s[i:], open) {
			return i + len(open)
		}
	}
	return i
}

// quotedText is the text between quotes at i, which may themselves be escaped
// any number of times. Without an end within the line it reports false, and
// from is where the text begins.
func quotedText(s string, i int) (from, to int, ok bool) {
	q := i
	for q < len(s) && q < i+8 && s[q] == '\\' {
		q++
	}
	if q == len(s) || s[q] != '"' && s[q] != '\'' && s[q] != '`' {
		return i, 0, false
	}
	fence := s[i : q+1]
	from = q + 1
	if strings.HasPrefix(s[from:], fence) { // empty, or a triple quote
		return from, from, true
	}
	limit := min(len(s), from+1024)
	for j := from; j < limit && s[j] != '\n'; j++ {
		if len(fence) == 1 && s[j] == '\\' {
			j++
			continue
		}
		if strings.HasPrefix(s[j:], fence) {
			return from, j, true
		}
	}
	return from, 0, false
}

// trimEnd moves the end of from..end before up to three of the signs.
func trimEnd(s string, from, end int, signs string) int {
	for range 3 {
		if end > from && strings.IndexByte(signs, s[end-1]) >= 0 {
			end--
		}
	}
	return end
}
