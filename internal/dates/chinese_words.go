package dates

import (
	"strings"
	"unicode/utf8"
)

// one returns the end of the first of the words that s has at i, 0 for none.
func (s *scanner) one(i int, words ...string) int {
	for _, word := range words {
		if strings.HasPrefix(s.text[i:], word) {
			return i + len(word)
		}
	}
	return 0
}

// without returns end, but 0 if one of the characters follows there, which
// would make another word of what ends at end.
func (s *scanner) without(end int, characters string) int {
	if s.follows(end, characters) {
		return 0
	}
	return end
}

// follows reports whether one of the characters stands at i.
func (s *scanner) follows(i int, characters string) bool {
	_, size := utf8.DecodeRuneInString(s.text[i:])
	return size > 0 && strings.Contains(characters, s.text[i:i+size])
}

// Characters that make other words of 日 (日志), 底, 初, 末 (底层, 初始化), 周 (周期)
// and 前 (前端).
const (
	behindSun  = "志誌期常程历曆"
	behindEdge = "层層部座始次级級尾端线線"
	behindWeek = "期年围圍边邊密全知折转轉"
	behindFore = "端面缀綴提置台臺景往后後者"
)

// spaces returns the end of a space at i, else i.
func (s *scanner) spaces(i int) int {
	if i < len(s.text) && s.text[i] == ' ' {
		i++
	}
	return i
}

// possessive returns i, or the end of the 的 or the spaces there.
func (s *scanner) possessive(i int) int {
	return max(s.spaces(i), s.one(i, "的"))
}

// isDigits reports whether a Chinese number may begin with r or go on with it.
func isDigits(r rune) bool {
	_, ok := digitOf(r)
	return ok || r == '十'
}

// digitOf returns the value of an ASCII, full-width or Chinese digit.
func digitOf(r rune) (int, bool) {
	switch {
	case '0' <= r && r <= '9':
		return int(r - '0'), true
	case '０' <= r && r <= '９':
		return int(r - '０'), true
	}
	n, ok := numerals[r]
	return n, ok
}

var numerals = map[rune]int{'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}

// chineseNumber reads 8, 23, 2023, ２３, 二十三 or 二〇二三 at i. It gives the number
// of digits it would have, 0 and the end 0 if there is no such number or it is
// longer than four digits. Two numerals side by side, as in 两三天, are a few.
func (s *scanner) chineseNumber(i int) (n, digits, end int) {
	numerals, tens := 0, false
	for i < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		d, ok := digitOf(r)
		switch {
		case r == '十' && digits <= 1 && !tens:
			n, digits, tens = 10*max(n, 1), 2, true
		case !ok:
			if digits == 2 && numerals == 2 && !tens {
				n = few
			}
			return n, digits, end
		case tens && digits == 2 && n%10 == 0:
			n += d
		default:
			n = 10*n + d
			digits++
		}
		if ok && r != rune('0'+d) && r != rune('０'+d) {
			numerals++
		}
		if digits > 4 {
			return 0, 0, 0
		}
		i += size
		end = i
	}
	return n, digits, end
}
